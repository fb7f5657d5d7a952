//! Hosts that are network namespaces of this machine, and what happens when a line between them is cut.

use super::run::PLAIN;
use crate::command;
use crate::scratch::Scratch;
use crate::spinor::Spinor;
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How many hosts there are.
const HOSTS: usize = 4;
/// Who misses another process says so within this time.
const BOUND: Duration = Duration::from_secs(40);

/// Hosts with a bridge between them.
pub(super) struct Network {
    scratch: Scratch,
}

fn ip(args: &str) -> Result<(), String> {
    let words: Vec<&str> = args.split_whitespace().collect();
    let finished = command::run("ip", &words, Path::new("."), 20)?;
    if finished.code == Some(0) { Ok(()) } else { Err(format!("ip {args}: {}", finished.stderr.trim())) }
}

impl Network {
    /// # Errors
    /// If this needs rights or programs that are not there.
    pub(super) fn build() -> Result<Network, String> {
        if !command::exists("ip") {
            return Err("--namespaces needs the program ip (iproute2)".to_owned());
        }
        let network = Network { scratch: Scratch::new("hosts")? };
        let needs_root = |error: String| format!("--namespaces needs the rights of root: {error}");
        ip("link add spinor-br type bridge").map_err(needs_root)?;
        ip("link set spinor-br up")?;
        for host in 0..HOSTS {
            ip(&format!("netns add spinor-{host}"))?;
            ip(&format!("link add spinor-v{host} type veth peer name eth0 netns spinor-{host}"))?;
            ip(&format!("link set spinor-v{host} master spinor-br up"))?;
            ip(&format!("-n spinor-{host} addr add 10.77.0.{}/24 dev eth0", host + 1))?;
            ip(&format!("-n spinor-{host} link set eth0 up"))?;
            ip(&format!("-n spinor-{host} link set lo up"))?;
        }
        Ok(network)
    }

    /// Starts a search, one process a host.
    fn start(&self, spinor: &Spinor, model: &Path, count: usize, options: &[&str]) -> Result<Vec<Child>, String> {
        let lines: String = (1..=count).map(|host| format!("10.77.0.{host}:7000\n")).collect();
        let hosts = self.scratch.write("hosts", &lines)?;
        let one = |index: usize| {
            let mut command = Command::new("ip");
            command.args(["netns", "exec", &format!("spinor-{index}"), spinor.program()]);
            // The others get model and options from the first.
            if index == 0 {
                command.args(PLAIN).arg("--json").args(options).arg(model);
            } else {
                command.arg("check");
            }
            command.arg("--hosts").arg(&hosts).args(["--host-index", &index.to_string()]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|error| error.to_string())
        };
        (0..count).map(one).collect()
    }

    /// What the first process reports.
    pub(super) fn search(
        &self,
        spinor: &Spinor,
        model: &Path,
        count: usize,
        options: &[&str],
    ) -> Result<Value, String> {
        let children = self.start(spinor, model, count, options)?;
        let outputs: Result<Vec<_>, _> = children.into_iter().map(Child::wait_with_output).collect();
        let outputs = outputs.map_err(|error| error.to_string())?;
        serde_json::from_slice(&outputs[0].stdout)
            .map_err(|_| format!("no report: {}", String::from_utf8_lossy(&outputs[0].stderr).trim()))
    }

    /// Cuts a line while processes search; whether all end in time, undecided.
    pub(super) fn cut(&self, spinor: &Spinor, model: &Path) -> Result<bool, String> {
        // Without compression of time the search would be over before.
        let mut children = self.start(spinor, model, 3, &["--engine", "interpret"])?;
        thread::sleep(Duration::from_millis(1_500));
        let is_running = children.iter_mut().all(|child| matches!(child.try_wait(), Ok(None)));
        ip("link set spinor-v1 down")?;
        let begun = Instant::now();
        let is_over = |children: &mut Vec<Child>| children.iter_mut().all(|it| !matches!(it.try_wait(), Ok(None)));
        while !is_over(&mut children) && begun.elapsed() < BOUND {
            thread::sleep(Duration::from_millis(50));
        }
        let seconds = begun.elapsed().as_secs_f64();
        let has_ended = is_over(&mut children);
        children.iter_mut().for_each(|child| drop(child.kill()));
        let outputs: Vec<_> = children.into_iter().filter_map(|it| it.wait_with_output().ok()).collect();
        ip("link set spinor-v1 up")?;
        let codes: Vec<_> = outputs.iter().map(|it| it.status.code()).collect();
        let said = outputs.first().map(|it| String::from_utf8_lossy(&it.stdout).into_owned()).unwrap_or_default();
        let report: Value = serde_json::from_str(&said).unwrap_or_default();
        let is_said = report["verdict"] == "undecided" && report["notes"].to_string().contains("process ");
        println!(
            "a line was cut: the processes ended after {seconds:.1} s with exit codes {codes:?}, {} {}",
            report["verdict"], report["notes"],
        );
        if !is_running {
            println!("the search was over before the line was cut: this says nothing");
        }
        Ok(is_running && has_ended && is_said)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for host in 0..HOSTS {
            let _ = ip(&format!("netns del spinor-{host}"));
            let _ = ip(&format!("link del spinor-v{host}"));
        }
        let _ = ip("link del spinor-br");
    }
}
