//! `cargo xtask bench`: finds data sets and peers, runs the races against the C libraries, and saves their tables.

mod capi;
mod data;
mod peers;
mod program;

use crate::{metadata, release, sh, venv};
use anyhow::{Context, Result, bail};
use std::time::Instant;

use self::program::{Program, TABLES, built_from, in_benches, required_venv, trials};

/// The option of a single race that replaces our zstd by the C library.
const WITH_ZSTD_C: &str = "--zstd-c";

/// Runs one race with its options, or all races.
pub(crate) fn run(args: &[&str]) -> Result<()> {
    match args {
        [] => all(false),
        ["--quick"] => all(true),
        ["cli", options @ ..] => cli(options),
        ["auto", options @ ..] => auto(options),
        ["bcolz", options @ ..] => bcolz(options),
        ["capi", options @ ..] => capi::run(options),
        ["again", options @ ..] => again(&Program::build(&["crates"])?, options),
        [name @ ("chunks" | "contexts" | "partial" | "threads" | "serial" | "pipeline" | "blocks"), options @ ..] => {
            let options: Vec<&str> = options.iter().copied().filter(|option| *option != WITH_ZSTD_C).collect();
            let features: &[&str] = if args.contains(&WITH_ZSTD_C) { &["zstd-c"] } else { &[] };
            race(&Program::build(features)?, name, &options)
        }
        ["appends", options @ ..] => appends(&Program::build(&["crates"])?, options),
        ["goals"] => Program::build(&[])?.run("goals", &["--out", TABLES]),
        _ => bail!(
            "bench wants nothing, --quick, or one of chunks contexts partial threads serial pipeline blocks appends cli \
             auto bcolz capi again goals"
        ),
    }
}

/// Runs every race, then checks which goals are met. A quick run saves its tables under `target`, a full run in the
/// repository.
fn all(is_quick: bool) -> Result<()> {
    let start = Instant::now();
    let tables = if is_quick { trials()? } else { sh::root().join(TABLES) };
    let out = tables.to_str().context("the path of the tables is not UTF-8")?;
    let program = Program::build(if is_quick { &[] } else { &["crates"] })?;
    let mut options = vec!["--out", out];
    options.extend(is_quick.then_some("--quick"));
    race(&program, "chunks", &options)?;
    if !is_quick {
        again(&program, &[])?;
    }
    for name in ["contexts", "partial", "blocks", "threads", "serial", "pipeline"] {
        race(&program, name, &options)?;
    }
    appends(&program, &options)?;
    let tsv = tables.join("cli.tsv");
    let tsv = tsv.to_str().context("the path of the tables is not UTF-8")?;
    let rounds: &[&str] = if is_quick { &["--rounds", "3"] } else { &[] };
    cli(&[&["--tsv", tsv], rounds].concat())?;
    let tsv = tables.join("bcolz.tsv");
    let tsv = tsv.to_str().context("the path of the tables is not UTF-8")?;
    bcolz(&[&["--tsv", tsv], rounds].concat())?;
    if !is_quick {
        program.run("picture", &["speed", "--out", out])?;
    }
    program.run("goals", &["--out", out])?;
    println!("\ntables in {out}; {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Races `blpk` against the reference's `blpk`, `lz4` and `zstd` on a file in memory. Options go to
/// `xtask/bench/cli.py`.
fn cli(options: &[&str]) -> Result<()> {
    let python = required_venv()?;
    let ours = release::blpk()?;
    let theirs = python.with_file_name("blpk");
    let mut race = sh::command(&python);
    race.arg("xtask/bench/cli.py").arg(&ours).arg(&theirs).args(options).env("BENCH_BUILT_FROM", built_from()?);
    sh::run(&mut race)
}

/// Races `blpk --auto` against `zstd`, `lz4` and fixed settings, measures the choice itself, draws the picture and
/// checks the goals. Options go to `xtask/bench/auto.py`. With options the tables are saved under `target`, otherwise
/// in the repository.
fn auto(options: &[&str]) -> Result<()> {
    let (python, blpk, program) = (required_venv()?, release::blpk()?, Program::build(&[])?);
    let (data, tables) = (data::folder(&python)?, if options.is_empty() { sh::root().join(TABLES) } else { trials()? });
    let mut advise = program.command("advise")?; // before the first table makes the checkout differ from its commit
    let mut race = sh::command(&python);
    race.arg("xtask/bench/auto.py").arg(&blpk).arg(&data).args(options).arg("--tsv").arg(tables.join("auto.tsv"));
    sh::run(race.env("BENCH_BUILT_FROM", built_from()?))?;
    sh::run(advise.arg("--data").arg(&data).arg("--out").arg(&tables).args(options))?;
    for arguments in [["picture", "auto"], ["goals", "auto"]] {
        sh::run(program.command(arguments[0])?.arg(arguments[1]).arg("--out").arg(&tables))?;
    }
    Ok(())
}

/// Races reading columns of bcolz tables against bcolz. Options go to `xtask/bench/bcolz.py`.
fn bcolz(options: &[&str]) -> Result<()> {
    let python = required_venv()?;
    let ours = ["build", "--package", "bloscpack-io", "--example", "read_column"];
    sh::run(&mut release::cargo(ours)?)?;
    let ours = metadata::target_directory()?.join("release/examples/read_column");
    let mut race = sh::command(&python);
    race.arg("xtask/bench/bcolz.py").arg(&ours).args(options).env("BENCH_BUILT_FROM", built_from()?);
    sh::run(&mut race)
}

/// Runs one race of the program in `benches/` on the data sets.
fn race(program: &Program, name: &str, options: &[&str]) -> Result<()> {
    let python = required_venv()?;
    let mut race = program.command(name)?;
    race.arg("--data").arg(data::folder(&python)?).args(peers::libraries(&python)?).args(options);
    sh::run(&mut race)
}

/// Races again where C-Blosc2 was faster, or the chunks that options select, and updates the table of chunks.
fn again(program: &Program, options: &[&str]) -> Result<()> {
    race(program, "again", &[&["--out", TABLES], options].concat())
}

/// Runs the race of appends to frames, which generates its own data.
fn appends(program: &Program, options: &[&str]) -> Result<()> {
    let python = required_venv()?;
    sh::run(program.command("appends")?.args(peers::libraries(&python)?).args(options))
}

/// Checks that the races build and lint, their tests, and that all competitors return the right bytes. Peers from the venv are
/// skipped if there is no venv. Nothing is measured, because machines that run checks are shared.
pub(crate) fn verify() -> Result<()> {
    sh::run(in_benches("clippy", &["--all-targets", "--all-features"])?.args(["--", "-D", "warnings"]))?;
    sh::run(&mut in_benches("build", &[])?)?;
    sh::run(&mut in_benches("test", &["--quiet"])?)?;
    let program = Program::tested()?;
    let mut check = program.command("verify")?;
    match venv::python()? {
        venv::Venv::Ready(python) => drop(check.args(peers::libraries(&python)?)),
        venv::Venv::Impossible(why) => println!("benches: WITHOUT the C peers: {why}"),
    }
    let verified = sh::capture(&mut check)?;
    println!("benches: {} lines of races, all bytes right", verified.lines().count());
    Ok(())
}
