//! The figures of a run, and the table of all runs.
//!
//! The table has one line per target and run, appended when the target finishes, so that an interrupted run loses none.

use crate::mutex::lock;
use crate::{metadata, sh};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

const COLUMNS: &str = "target\tcommit\tseconds\texecutions\tper second\tcov\tft\tcorpus\tpeak MB\tresult";

/// Final statistics of libFuzzer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Figures {
    seconds: u64,
    executions: u64,
    /// Covered edges of this project's code.
    cov: u64,
    /// Features: edges, how often each was taken, and comparisons.
    features: u64,
    /// Number of inputs in the corpus; each adds a feature.
    corpus: u64,
    peak_mb: u64,
    /// Empty if the target found nothing.
    pub(super) result: String,
}

impl Figures {
    /// Parses a log: the last status line, `#1234 DONE cov: 7 ft: 8 corp: 9/10b …`, and the statistics after it.
    pub(super) fn read(log: &str, elapsed: Duration) -> Figures {
        let mut figures = Figures { seconds: elapsed.as_secs(), ..Figures::default() };
        for line in log.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            for pair in words.windows(2) {
                // In `9/10b`, 9 is the number of inputs.
                let value = pair[1].split('/').next().unwrap_or_default().parse();
                let place = match pair[0] {
                    "cov:" if line.starts_with('#') => &mut figures.cov,
                    "ft:" if line.starts_with('#') => &mut figures.features,
                    "corp:" if line.starts_with('#') => &mut figures.corpus,
                    "stat::number_of_executed_units:" => &mut figures.executions,
                    "stat::peak_rss_mb:" => &mut figures.peak_mb,
                    _ => continue,
                };
                *place = value.unwrap_or(*place);
            }
            if let Some((_, file)) = line.split_once("Test unit written to ") {
                figures.result = format!("failed: {file}");
            }
        }
        figures
    }
}

/// The table file.
pub(super) struct Report {
    path: PathBuf,
    file: Mutex<File>,
}

impl Report {
    pub(super) fn open() -> Result<Report> {
        let path = path()?;
        let is_new = !path.exists();
        std::fs::create_dir_all(path.parent().context("a path in the target directory")?)?;
        let mut file = OpenOptions::new().append(true).create(true).open(&path)?;
        if is_new {
            writeln!(file, "{COLUMNS}")?;
        }
        Ok(Report { path, file: Mutex::new(file) })
    }

    pub(super) fn place(&self) -> String {
        self.path.display().to_string()
    }

    pub(super) fn add(&self, target: &str, commit: &str, figures: &Figures) -> Result<()> {
        Ok(writeln!(lock(&self.file), "{}", line(target, commit, figures))?)
    }

    /// Returns the targets that ran at least `seconds` with this commit and found nothing. A dirty commit never counts,
    /// because its name does not identify its contents.
    pub(super) fn done(&self, commit: &str, seconds: u64) -> Result<Vec<String>> {
        if commit.ends_with("-dirty") {
            return Ok(Vec::new());
        }
        let text = std::fs::read_to_string(&self.path)?;
        let done = text.lines().filter_map(|line| {
            let words: Vec<&str> = line.split('\t').collect();
            let [target, with, ran, .., result] = words.as_slice() else { return None };
            let is_done = *with == commit && ran.parse().is_ok_and(|ran: u64| ran >= seconds) && *result == "clean";
            is_done.then(|| (*target).to_owned())
        });
        Ok(done.collect())
    }
}

/// Returns a line of the table.
pub(super) fn line(target: &str, commit: &str, figures: &Figures) -> String {
    let Figures { seconds, executions, cov, features, corpus, peak_mb, result } = figures;
    let result = if result.is_empty() { "clean" } else { result };
    let rate = executions / seconds.max(&1);
    format!("{target}\t{commit}\t{seconds}\t{executions}\t{rate}\t{cov}\t{features}\t{corpus}\t{peak_mb}\t{result}")
}

/// Prints one run of each target, selected by [`merged`], as a Markdown table.
pub(super) fn print() -> Result<()> {
    let text = std::fs::read_to_string(path()?).context("no target has run yet")?;
    print!("{}", merged(&text));
    Ok(())
}

/// Keeps the longest run of each target; of runs of equal length, the later one. A failure replaces an earlier run and
/// stays until a later clean run.
fn merged(table: &str) -> String {
    let mut longest: BTreeMap<&str, (bool, u64, Vec<&str>)> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let words: Vec<&str> = line.split('\t').collect();
        let [target, _, ran, .., result] = words.as_slice() else { continue };
        let (failed, ran) = (*result != "clean", ran.parse().unwrap_or(0));
        let is_better = |(old_failed, old, _): &(bool, u64, _)| failed || *old_failed || ran >= *old;
        if longest.get(target).is_none_or(is_better) {
            longest.insert(target, (failed, ran, words));
        }
    }
    let row = |words: &[&str]| format!("| {} |\n", words.join(" | "));
    let head: Vec<&str> = COLUMNS.split('\t').collect();
    let rule = vec!["---"; head.len()];
    let rows = longest.values().map(|(_, _, words)| row(words));
    [row(&head), row(&rule)].into_iter().chain(rows).collect()
}

/// Returns the commit that is checked out, with the suffix `-dirty` if there are changes.
pub(super) fn commit() -> Result<String> {
    let mut git = sh::command("git");
    Ok(sh::capture(git.args(["describe", "--always", "--dirty", "--abbrev=9", "--exclude=*"]))?.trim().to_owned())
}

fn path() -> Result<PathBuf> {
    Ok(metadata::target_directory()?.join("fuzz-report.tsv"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "#51720\tNEW    cov: 768 ft: 1838 corp: 340/5467b lim: 80 exec/s: 17240 rss: 292Mb L: 22/68\n\
        #52180\tDONE   cov: 769 ft: 1839 corp: 341/5467b lim: 80 exec/s: 13045 rss: 292Mb\n\
        Done 52180 runs in 4 second(s)\n\
        stat::number_of_executed_units: 52180\n\
        stat::peak_rss_mb:              292\n";

    #[test]
    fn figures_are_those_at_the_end() {
        let figures = Figures::read(LOG, Duration::from_secs(4));
        assert_eq!(line("a", "c", &figures), "a\tc\t4\t52180\t13045\t769\t1839\t341\t292\tclean");
        let failed = Figures::read("artifact_prefix='x/'; Test unit written to x/crash-1", Duration::ZERO);
        assert_eq!(failed.result, "failed: x/crash-1");
    }

    #[test]
    fn the_longest_clean_run_counts() {
        let run = |ran: u64, result: &str| format!("a\tc\t{ran}\t0\t0\t0\t0\t0\t0\t{result}\n");
        let last = |runs: &[String]| merged(&format!("{COLUMNS}\n{}", runs.concat())).lines().last().map(str::to_owned);
        let expect = |ran: u64, result: &str| Some(format!("| a | c | {ran} | 0 | 0 | 0 | 0 | 0 | 0 | {result} |"));
        assert_eq!(last(&[run(60, "clean"), run(5, "clean")]), expect(60, "clean"));
        assert_eq!(last(&[run(60, "clean"), run(5, "failed: x")]), expect(5, "failed: x"));
        assert_eq!(last(&[run(60, "failed: x"), run(5, "clean")]), expect(5, "clean"));
    }
}
