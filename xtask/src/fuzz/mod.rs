//! `cargo xtask fuzz`: builds the targets of `fuzz/` and runs them on seeds from the golden data.
//!
//! | file | contents |
//! |---|---|
//! | `options` | the command line |
//! | `build` | the list of targets, and their build |
//! | `seeds` | the golden files that each target starts with |
//! | `report` | the figures of a run, and the table of all runs |

mod build;
mod options;
mod report;
mod seeds;

use self::options::{Job, Options};
use self::report::{Figures, Report};
use crate::mutex::lock;
use crate::sh;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Enough to run every seed and some mutations of each. For long runs use `cargo xtask fuzz --minutes N`.
const SMOKE_SECONDS: u64 = 5;

/// From this many seconds for each target, the targets are worth a build with all optimization.
const LONG: u64 = 60;

/// Time limit for seeds and regressions alone. libFuzzer runs them first, regardless of its own time limit.
const SLACK: Duration = Duration::from_secs(600);

/// Runs the command that the arguments describe.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    match options::parse(arguments, &build::targets()?)? {
        Job::Report => report::print(),
        Job::Fuzz(options) => fuzz_all(&options),
    }
}

/// The CI step: every seed, every input that once failed, and a few seconds of new inputs.
pub(crate) fn smoke() -> Result<()> {
    run(&["--seconds", &SMOKE_SECONDS.to_string()])
}

/// Runs every requested target, even if an earlier one failed.
fn fuzz_all(options: &Options) -> Result<()> {
    let report = Report::open()?;
    let commit = report::commit()?;
    let mut wanted = options.targets.clone();
    if options.resume {
        let done = report.done(&commit, options.seconds)?;
        wanted.retain(|target| !done.contains(target));
        println!("fuzz: {} targets are done already for {commit}", options.targets.len() - wanted.len());
    }
    let binaries = build::build(&wanted, options.seconds < LONG)?;
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || -> Result<()> {
        while let Some(target) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            let figures = fuzz(&binaries, target, options).with_context(|| format!("fuzz target {target}"))?;
            if !figures.result.is_empty() {
                lock(&failed).push(format!("{target}: {}", figures.result));
            }
            report.add(target, &commit, &figures)?;
            println!("{}", report::line(target, &commit, &figures));
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|_| bail!("a worker panicked")))
    })?;
    let failed = lock(&failed).clone();
    if !failed.is_empty() {
        bail!("{} of {} targets failed:\n{}", failed.len(), wanted.len(), failed.join("\n"));
    }
    println!(
        "fuzz: {} targets found nothing in {} s each; figures in {}",
        wanted.len(),
        options.seconds,
        report.place()
    );
    Ok(())
}

/// Runs one target. Its output goes to a log. A failing input is saved and named in the figures.
fn fuzz(binaries: &Path, target: &str, options: &Options) -> Result<Figures> {
    let corpus = sh::root().join("fuzz/corpus").join(target);
    let artifacts = sh::root().join("fuzz/artifacts").join(target);
    std::fs::create_dir_all(&artifacts)?;
    seeds::write(target, &corpus)?;
    let log = artifacts.join("log");
    let mut command = Command::new(binaries.join(target));
    command.current_dir(sh::root()).stdin(Stdio::null());
    match options.seconds {
        // Seeds and regressions only.
        0 => command.arg("-runs=0"),
        seconds => command.arg(format!("-max_total_time={seconds}")),
    };
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    // 2 GB and 10 s are far above the targets' own limits, so exceeding them is a finding. So is a single allocation of
    // 1 GB, even if it is never written to.
    command.args(["-rss_limit_mb=2048", "-malloc_limit_mb=1024", "-timeout=10", "-max_len=65536"]);
    command.args(["-print_final_stats=1", "-verbosity=1"]).arg(&corpus);
    // Inputs that once failed run with the seeds, before any new input.
    let regressions = sh::root().join("fuzz/regressions").join(target);
    if regressions.is_dir() {
        command.arg(regressions);
    }
    command.env("ASAN_OPTIONS", "detect_odr_violation=0");
    let scratch = scratch(target)?;
    command.env("TMPDIR", &scratch);
    let file = std::fs::File::create(&log).with_context(|| log.display().to_string())?;
    command.stdout(file.try_clone()?).stderr(file);
    println!("fuzz: {target} for {} s, log in {}", options.seconds, log.display());
    let start = std::time::Instant::now();
    let status = command.status().with_context(|| format!("cannot start {target}"));
    std::fs::remove_dir_all(&scratch)?;
    let status = status?;
    let written = String::from_utf8_lossy(&std::fs::read(&log)?).into_owned();
    let mut figures = Figures::read(&written, start.elapsed());
    if !status.success() && figures.result.is_empty() {
        figures.result = format!("failed ({status}), see {}", log.display());
    }
    if !figures.result.is_empty() {
        let from =
            written.lines().position(|line| line.contains("panicked at") || line.contains("ERROR:")).unwrap_or(0);
        let shown: Vec<&str> = written.lines().skip(from).take(40).collect();
        println!("{}", shown.join("\n"));
    } else if start.elapsed() > Duration::from_secs(options.seconds) + SLACK {
        println!("fuzz: {target} took {} s: its seeds are too slow", start.elapsed().as_secs());
    }
    Ok(figures)
}

/// Creates a folder for files that a target writes. It is in memory where possible, because waiting for a disk would
/// take most of the time.
fn scratch(target: &str) -> Result<PathBuf> {
    let shared = Path::new("/dev/shm");
    let parent = if shared.is_dir() { shared.to_path_buf() } else { std::env::temp_dir() };
    let scratch = parent.join(format!("blosc-fuzz-{}-{target}", std::process::id()));
    std::fs::create_dir_all(&scratch).with_context(|| scratch.display().to_string())?;
    Ok(scratch)
}
