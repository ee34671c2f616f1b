//! How fast are we beside the C libraries? Finds data and peers, starts the measured races, keeps their tables.

mod data;
mod peers;

use crate::{interop, metadata, sh, venv};
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// One of the races, or all of them; the rest are options of that race.
pub(crate) fn run(args: &[&str]) -> Result<()> {
    match args {
        ["chunks", options @ ..] => race("chunks", options),
        ["threads", options @ ..] => race("threads", options),
        ["cli", options @ ..] => cli(options),
        _ => bail!("bench wants one of chunks, threads, cli"),
    }
}

/// `blpk` against the reference's `blpk` on a file of 400 MB in memory; options go to `xtask/bench/cli.py`.
fn cli(options: &[&str]) -> Result<()> {
    let python = required_venv()?;
    let ours = interop::release_blpk()?;
    let theirs = python.with_file_name("blpk");
    let rustc = sh::capture(sh::command("rustc").arg("--version"))?;
    let mut race = sh::command(&python);
    race.arg("xtask/bench/cli.py").arg(&ours).arg(&theirs).args(options).env("RUSTC_VERSION", rustc.trim());
    sh::run(&mut race)
}

/// A race of the program in `benches/`.
fn race(name: &str, options: &[&str]) -> Result<()> {
    let python = required_venv()?;
    let mut race = sh::command(built(false)?);
    race.arg(name).arg("--data").arg(data::folder(&python)?).args(peers::libraries(&python)?).args(options);
    race.env("BENCH_BUILT_FROM", built_from()?);
    sh::run(&mut race)
}

/// Checks that the races build and lint, without running them.
pub(crate) fn build() -> Result<()> {
    sh::run(in_benches("clippy", &["--all-targets"])?.args(["--", "-D", "warnings"]))?;
    sh::run(&mut in_benches("build", &[])?)
}

/// The program of the races, with other crates as peers or without.
fn built(with_crates: bool) -> Result<PathBuf> {
    let features: &[&str] = if with_crates { &["--release", "--features", "crates"] } else { &["--release"] };
    sh::run(&mut in_benches("build", features)?)?;
    Ok(metadata::target_directory()?.join("benches/release/race"))
}

/// What a table says of the program that made it.
fn built_from() -> Result<String> {
    let rustc = sh::capture(sh::command("rustc").arg("--version"))?;
    let commit = sh::capture(sh::command("git").args(["describe", "--always", "--dirty", "--abbrev=12"]));
    Ok(format!("{}, commit {}", rustc.trim(), commit.as_deref().unwrap_or("unknown").trim()))
}

fn in_benches(action: &str, options: &[&str]) -> Result<Command> {
    let mut cargo = sh::cargo([action, "--locked", "--manifest-path", "benches/Cargo.toml", "--target-dir"]);
    cargo.arg(metadata::target_directory()?.join("benches")).args(options);
    Ok(cargo)
}

fn required_venv() -> Result<PathBuf> {
    match venv::python()? {
        venv::Venv::Ready(python) => Ok(python),
        venv::Venv::Impossible(why) => bail!("the peers come from a Python venv: {why}"),
    }
}
