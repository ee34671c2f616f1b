//! How fast are we beside the C peers? Starts the measured races; each prints its own tables.

use crate::{interop, metadata, sh, venv};
use anyhow::{Result, bail};
use std::path::PathBuf;

/// `blpk` against the reference's `blpk` on a file of 400 MB in memory; options go to `xtask/bench/cli.py`.
pub(crate) fn cli(options: &[&str]) -> Result<()> {
    let python = required_venv()?;
    let ours = interop::release_blpk()?;
    let theirs = python.with_file_name("blpk");
    let rustc = sh::capture(sh::command("rustc").arg("--version"))?;
    let mut race = sh::command(&python);
    race.arg("xtask/bench/cli.py").arg(&ours).arg(&theirs).args(options).env("RUSTC_VERSION", rustc.trim());
    sh::run(&mut race)
}

/// Our chunk codec against the C library that the blosc2 wheel carries; options go to the race in `benches/`.
pub(crate) fn chunks(options: &[&str]) -> Result<()> {
    let python = required_venv()?;
    let library =
        "import blosc2, glob, os; print(glob.glob(os.path.dirname(blosc2.__file__) + '/lib/libblosc2.so*')[0])";
    let library = sh::capture(sh::command(&python).args(["-c", library]))?;
    sh::run(&mut in_benches("build", &["--release"])?)?;
    let race = metadata::target_directory()?.join("benches/release/chunks");
    // C-Blosc2 then writes chunks in the layout of Blosc1, which both sides know.
    sh::run(sh::command(&race).arg(library.trim()).args(options).env("BLOSC_BLOSC1_COMPAT", "1"))
}

/// Checks that the races build and lint, without running them.
pub(crate) fn build() -> Result<()> {
    sh::run(in_benches("clippy", &["--all-targets"])?.args(["--", "-D", "warnings"]))?;
    sh::run(&mut in_benches("build", &[])?)
}

fn in_benches(action: &str, options: &[&str]) -> Result<std::process::Command> {
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
