//! Command line: `fuzz [--minutes N | --seconds N] [--jobs J] [--resume] [TARGET]...` or `fuzz --report`.

use anyhow::{Context, Result, bail};

const USAGE: &str = "usage: cargo xtask fuzz [--minutes N | --seconds N] [--jobs J] [--resume] [TARGET]...
       cargo xtask fuzz --report";

/// For a quick check after a change.
const DEFAULT_SECONDS: u64 = 10;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Job {
    Fuzz(Options),
    /// Prints the table of all runs.
    Report,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// Run time of each target; 0 runs only seeds and regressions.
    pub(super) seconds: u64,
    /// Number of targets that run concurrently.
    pub(super) jobs: usize,
    /// Whether to skip targets that have run at least that long with this commit.
    pub(super) resume: bool,
    /// The targets, in the order they run.
    pub(super) targets: Vec<String>,
}

/// Parses the arguments; without a target, all of them are selected.
pub(super) fn parse(arguments: &[&str], targets: &[String]) -> Result<Job> {
    let mut options = Options { seconds: DEFAULT_SECONDS, jobs: 1, resume: false, targets: Vec::new() };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut number = || -> Result<u64> {
            let value = arguments.next().with_context(|| format!("{argument} takes a number\n{USAGE}"))?;
            value.parse().with_context(|| format!("{argument} takes a number, not {value}"))
        };
        match *argument {
            "--report" => return Ok(Job::Report),
            "--minutes" => options.seconds = number()?.saturating_mul(60),
            "--seconds" => options.seconds = number()?,
            "--jobs" => options.jobs = usize::try_from(number()?)?.max(1),
            "--resume" => options.resume = true,
            option if option.starts_with('-') => bail!("unknown option {option}\n{USAGE}"),
            name if targets.iter().any(|target| target == name) => options.targets.push(name.to_owned()),
            name => bail!("no fuzz target is called {name}; there are {}", targets.join(" ")),
        }
    }
    if options.targets.is_empty() {
        options.targets = targets.to_vec();
    }
    Ok(Job::Fuzz(options))
}

#[cfg(test)]
mod tests {
    use super::{Job, Options, parse};

    #[test]
    fn minutes_are_seconds_and_no_target_is_all() {
        let targets = ["a".to_owned(), "b".to_owned()];
        let all = Options { seconds: 1200, jobs: 2, resume: true, targets: targets.to_vec() };
        let parsed = parse(&["--minutes", "20", "--jobs", "2", "--resume"], &targets);
        assert!(parsed.is_ok_and(|job| job == Job::Fuzz(all)));
        let one = Options { seconds: 0, jobs: 1, resume: false, targets: vec!["b".to_owned()] };
        assert!(parse(&["b", "--seconds", "0"], &targets).is_ok_and(|job| job == Job::Fuzz(one)));
        assert!(parse(&["--report"], &targets).is_ok_and(|job| job == Job::Report));
        assert!(parse(&["c"], &targets).is_err() && parse(&["--minutes"], &targets).is_err());
    }
}
