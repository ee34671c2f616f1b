//! `cargo xtask ci`: runs every check in two rows of steps side by side, and stops at the first failure.
//!
//! Each row is in order, and in a process of its own ([`beside`]): most steps leave a core idle while they link, run
//! tests or wait for servers. Cargo locks a folder of one profile, so a row never waits for the other.

mod beside;

use crate::{
    api, bench, capi, deny, faults, front, fuzz, kill, layers, metadata, msrv, no_c, package, python, release, remote,
    sh, test, web, zstd_c,
};
use anyhow::{Context, Result, bail};
use beside::Beside;
use std::time::{Duration, Instant};

type Step = (&'static str, fn() -> Result<()>);

/// Steps that build with the profile `dev`, quick ones first.
const STEPS: [Step; 10] = [
    ("fmt", fmt),
    ("layers", layers::run),
    ("deny", deny::run),
    ("no-c", no_c::names),
    ("clippy", clippy),
    ("docs", docs),
    ("api", || api::run(&[])),
    ("test", test::run),
    ("zstd-c", zstd_c::run),
    ("benches", bench::verify),
];

/// Steps that build with the profile `release`, or in folders of their own. No step of [`STEPS`] uses their folders.
const BESIDE: [Step; 10] = [
    ("readme", front::readme),
    ("release", release::step),
    ("capi", capi::step),
    ("python", || python::run(&[])),
    ("remote", || remote::run(&[])),
    ("faults", faults_and_kills),
    ("msrv", msrv::run),
    ("package", package::run),
    ("web", || web::run(&[])),
    ("fuzz", fuzz::smoke),
];

/// Runs the named steps one after the other, or all steps if `names` is empty.
pub(crate) fn run(names: &[&str]) -> Result<()> {
    let all = || STEPS.into_iter().chain(BESIDE);
    if let Some(unknown) = names.iter().find(|name| !all().any(|(step, _)| step == **name)) {
        let names: Vec<&str> = all().map(|(name, _)| name).collect();
        bail!("no step is called {unknown}; there are {}", names.join(" "));
    }
    if !names.is_empty() {
        let count = run_steps(all().filter(|(name, _)| names.contains(name)), || Ok(()))?;
        println!("{count} passed, 0 failed");
        return Ok(());
    }
    let start = Instant::now();
    let mut beside = Beside::start(&BESIDE.map(|(name, _)| name))?;
    let count = run_steps(STEPS.into_iter(), || beside.check())?;
    beside.finish()?;
    println!("\nci: all steps in {:.0} s", start.elapsed().as_secs_f64());
    println!("{} passed, 0 failed", count + BESIDE.len());
    Ok(())
}

/// Runs steps and prints their times. Calls `check` after each. Returns the number of steps.
fn run_steps(steps: impl Iterator<Item = Step>, mut check: impl FnMut() -> Result<()>) -> Result<usize> {
    let mut times: Vec<(&str, Duration, f64)> = Vec::new();
    for (name, step) in steps {
        println!("\n== {name}");
        let (start, cpu) = (Instant::now(), cpu_seconds());
        step().with_context(|| format!("ci stopped at step `{name}` (`cargo xtask ci {name}` runs it alone)"))?;
        let cpu = cpu_seconds() - cpu;
        println!("== {name}: {:.1} s, {cpu:.1} s of CPU time", start.elapsed().as_secs_f64());
        times.push((name, start.elapsed(), cpu));
        check()?;
    }
    println!("\nci");
    for (name, time, cpu) in &times {
        println!("  {name:10} {:7.1} s  {cpu:7.1} s of CPU time", time.as_secs_f64());
    }
    let (time, cpu) = times.iter().fold((0.0, 0.0), |sum, (_, time, cpu)| (sum.0 + time.as_secs_f64(), sum.1 + cpu));
    println!("  {:10} {time:7.1} s  {cpu:7.1} s of CPU time", "together");
    Ok(times.len())
}

/// Returns the CPU time in seconds of all child processes that have ended; 0 where the system does not tell.
fn cpu_seconds() -> f64 {
    /// Linux counts these times in hundredths of a second.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The fields after the name, which is in parentheses: state, …, cutime and cstime.
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(13).take(2);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / TICKS
}

fn fmt() -> Result<()> {
    sh::run(&mut sh::cargo(["fmt", "--all", "--check"]))?;
    for manifest in
        ["fuzz/Cargo.toml", "benches/Cargo.toml", "crates/blpk-python/Cargo.toml", "crates/blpk-web/Cargo.toml"]
    {
        sh::run(&mut sh::cargo(["fmt", "--manifest-path", manifest, "--check"]))?;
    }
    Ok(())
}

fn clippy() -> Result<()> {
    let features = metadata::testable_features()?;
    sh::run(&mut sh::cargo([
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--features",
        &features,
        "--",
        "-D",
        "warnings",
    ]))
}

/// Runs a sample of the writing commands. `cargo xtask faults` and `cargo xtask kill` run all of them.
fn faults_and_kills() -> Result<()> {
    faults::run(&["--quick"])?;
    kill::run(&["--quick"])
}

fn docs() -> Result<()> {
    let features = metadata::testable_features()?;
    let mut doc = sh::cargo(["doc", "--no-deps", "--workspace", "--locked", "--features", &features]);
    sh::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
}
