//! Macros of the command line, in the order in which they stand there: the last word counts, as with `cpp`.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use spinor_syntax::Define;

/// `-D` and `-U`, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Macros(Vec<Define>);

const DEFINE: &str = "define";
const UNDEFINE: &str = "undefine";

impl Macros {
    /// As the preprocessor wants them.
    pub(crate) fn defines(&self) -> &[Define] {
        &self.0
    }

    /// Also those that stand behind these.
    pub(crate) fn extend(&mut self, others: &Macros) {
        self.0.extend_from_slice(&others.0);
    }

    /// As words of a command line.
    pub(crate) fn words(&self) -> Vec<String> {
        let word = |it: &Define| match it {
            Define::Define { name, value } => format!("-D{name}={value}"),
            Define::Undef(name) => format!("-U{name}"),
        };
        self.0.iter().map(word).collect()
    }

    /// The definitions, as `NAME=VALUE`.
    pub(crate) fn definitions(&self) -> Vec<String> {
        let definition = |it: &Define| match it {
            Define::Define { name, value } => Some(format!("{name}={value}")),
            Define::Undef(_) => None,
        };
        self.0.iter().filter_map(definition).collect()
    }
}

/// `NAME` and `NAME=VALUE`; the name may have parameters.
fn definition(text: &str) -> Result<Define, String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let (word, parameters) = name.split_at(name.find('(').unwrap_or(name.len()));
    let is_macro = is_name(word) && (parameters.is_empty() || parameters.ends_with(')'));
    if !is_macro {
        return Err(format!("`{name}` is no name of a macro: write NAME, NAME=VALUE or NAME(x)=VALUE"));
    }
    Ok(Define::Define { name: name.into(), value: value.into() })
}

fn undefinition(text: &str) -> Result<Define, String> {
    if is_name(text) { Ok(Define::Undef(text.into())) } else { Err(format!("`{text}` is no name of a macro")) }
}

fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(is_letter) && text.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

impl FromArgMatches for Macros {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Macros, Error> {
        let of = |name: &str| {
            let places = matches.indices_of(name).into_iter().flatten();
            let values = matches.get_many::<Define>(name).into_iter().flatten().cloned();
            places.zip(values).collect::<Vec<_>>()
        };
        let mut all: Vec<(usize, Define)> = [of(DEFINE), of(UNDEFINE)].concat();
        all.sort_by_key(|(place, _)| *place);
        Ok(Macros(all.into_iter().map(|(_, it)| it).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Macros::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Macros {
    fn augment_args(command: Command) -> Command {
        let define = Arg::new(DEFINE).short('D').value_name("NAME[=VALUE]").value_parser(definition);
        let undefine = Arg::new(UNDEFINE).short('U').value_name("NAME").value_parser(undefinition);
        command
            .arg(define.action(ArgAction::Append).help("Define a macro, as in -DN=3"))
            .arg(undefine.action(ArgAction::Append).help("Undefine a macro; of several -D and -U the last counts"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Macros::augment_args(command)
    }
}

#[cfg(test)]
mod tests {
    use super::Macros;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Words {
        #[command(flatten)]
        macros: Macros,
    }

    #[test]
    fn macros_keep_their_order() {
        let line = ["m", "-UN", "-D", "N=4", "-DF(x)=(x+1)", "-U", "M", "-DM"];
        let words = Words::try_parse_from(line).expect("macros");
        assert_eq!(words.macros.words(), ["-UN", "-DN=4", "-DF(x)=(x+1)", "-UM", "-DM=1"]);
        assert_eq!(words.macros.definitions(), ["N=4", "F(x)=(x+1)", "M=1"]);
    }

    #[test]
    fn what_names_no_macro_is_refused() {
        for word in ["-D=3", "-D3=x", "-Da-b", "-U=", "-UN=3", "-DF(x=3"] {
            assert!(Words::try_parse_from(["m", word]).is_err(), "{word}");
        }
    }
}
