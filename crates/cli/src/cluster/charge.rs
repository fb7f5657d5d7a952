//! What the first process of a search sends to those that were started without a model.

use crate::args::{CheckArgs, Command, Spinor};
use crate::files::{Files, Texts};
use clap::Parser as _;
use std::path::PathBuf;

/// What is to be done, and the files for it.
#[derive(Debug)]
pub(super) struct Charge {
    /// The arguments of the first process.
    arguments: Vec<String>,
    /// Where it was started; relative paths that all processes see begin there.
    directory: PathBuf,
    files: Texts,
}

impl Charge {
    /// What this process was asked to do, and the files that it read for it.
    pub(super) fn here(files: &Files) -> Result<Charge, String> {
        let plain = |it: std::ffi::OsString| it.into_string().map_err(|it| format!("{it:?} is not in UTF-8"));
        let arguments = std::env::args_os().skip(1).map(plain).collect::<Result<_, _>>()?;
        let directory = std::env::current_dir().map_err(|error| error.to_string())?;
        Ok(Charge { arguments, directory, files: files.read_so_far() })
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let Charge { arguments, directory, files } = self;
        serde_json::to_vec(&(arguments, directory, files)).expect("texts can be written")
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Charge, String> {
        let read = serde_json::from_slice(bytes);
        let (arguments, directory, files) =
            read.map_err(|error| format!("what the first process sent is not understood: {error}"))?;
        Ok(Charge { arguments, directory, files })
    }

    /// The same as the first process was asked to do, but by the process that was started with these arguments. The
    /// first one warns of what is in the model.
    pub(super) fn accept(self, own: &CheckArgs) -> Result<(CheckArgs, Files), String> {
        let Charge { arguments, directory, files } = self;
        let words = std::iter::once("spinor".to_string()).chain(arguments);
        let parsed = Spinor::try_parse_from(words).map_err(|error| error.to_string())?;
        let Command::Check(mut args) = parsed.command else { return Err("the first process does not check".into()) };
        (args.hosts, args.host_index, args.supervised) = (own.hosts.clone(), own.host_index, own.supervised);
        args.reading.no_warnings = true;
        for place in [&mut args.checkpoint, &mut args.resume].into_iter().flatten() {
            *place = directory.join(&*place);
        }
        Ok((*args, Files::sent(files)))
    }
}

/// Whether nothing was asked of a process but to join the others.
pub(super) fn is_bare(args: &CheckArgs) -> bool {
    let (hosts, index) = (args.hosts.clone().unwrap_or_default(), args.host_index.unwrap_or_default());
    let mut words: Vec<std::ffi::OsString> = vec!["spinor".into(), "check".into()];
    words.extend(["--hosts".into(), hosts.into(), "--host-index".into(), index.to_string().into()]);
    words.extend(args.supervised.then(|| "--supervised".into()));
    let Ok(Spinor { command: Command::Check(bare) }) = Spinor::try_parse_from(words) else { return false };
    format!("{bare:?}") == format!("{args:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> CheckArgs {
        match Spinor::try_parse_from(words.split_whitespace()).expect("arguments").command {
            Command::Check(args) => *args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_charge_is_taken_over_with_all_options() {
        let files = Texts::from([("m.pml".to_string(), "init { skip }".to_string())]);
        let arguments = "check m.pml -DN=3 --store tree --checkpoint here --hosts a --host-index 0";
        let arguments = arguments.split_whitespace().map(String::from).collect();
        let charge = Charge { arguments, directory: "/there".into(), files };
        let own = parse("spinor check --hosts b --host-index 2");
        let (args, files) = Charge::read(&charge.write()).and_then(|it| it.accept(&own)).expect("it is understood");
        assert_eq!((args.hosts, args.host_index), (Some("b".into()), Some(2)));
        assert_eq!(
            (args.reading.macros.words(), args.checkpoint),
            (vec!["-DN=3".to_string()], Some("/there/here".into()))
        );
        assert_eq!(files.read("m.pml".as_ref()).as_deref(), Ok("init { skip }"));
    }

    #[test]
    fn who_has_options_has_not_only_joined() {
        assert!(is_bare(&parse("spinor check --hosts a --host-index 1")));
        assert!(is_bare(&parse("spinor check --hosts a --host-index 1 --supervised")));
        assert!(!is_bare(&parse("spinor check --hosts a --host-index 1 --store tree")));
    }
}
