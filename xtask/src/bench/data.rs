//! The benchmark data sets, in `target/bench-data`. `benches/mkdata.py` creates them once, after downloading the
//! packages it uses.

use crate::{metadata, sh};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Inputs that determine the data sets.
const MADE_FROM: [&str; 4] = [
    include_str!("../../../benches/mkdata.py"),
    include_str!("../../../benches/kinds.py"),
    include_str!("../../../benches/corpus.py"),
    include_str!("../../../benches/requirements.txt"),
];

/// Returns the folder with the data sets. Without network it holds only the sets that `python`, with numpy alone, can
/// generate.
pub(super) fn folder(python: &Path) -> Result<PathBuf> {
    let target = metadata::target_directory()?;
    let folder = target.join("bench-data");
    let stamp = folder.join("made-from.txt");
    if std::fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == MADE_FROM.concat()) {
        return Ok(folder);
    }
    println!("making the data sets in {}; this happens once", folder.display());
    match make_all(&target, &folder) {
        Ok(()) => std::fs::write(stamp, MADE_FROM.concat())?, // last, so that an interrupted run is repeated
        Err(why) => {
            println!("WITHOUT the five measured data sets, which need packages of PyPI: {why:#}");
            sh::run(sh::command(python).arg("benches/mkdata.py").arg(&folder)).context("making the generated sets")?;
        }
    }
    Ok(folder)
}

fn make_all(target: &Path, folder: &Path) -> Result<()> {
    let (venv, downloads) = (target.join("bench-venv"), folder.join("downloads"));
    let python = venv.join("bin/python");
    if !python.exists() {
        sh::run(sh::command("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    let pip = |arguments: &[&str]| {
        let mut pip = sh::command(&python);
        pip.args(["-m", "pip", "--disable-pip-version-check"]).args(arguments);
        pip
    };
    sh::run(&mut pip(&["install", "--quiet", "--requirement", "benches/requirements.txt"]))?;
    let sources = sh::capture(sh::command(&python).args(["benches/mkdata.py", "--sources"]))?;
    for packages in sources.lines() {
        let mut download = pip(&["download", "--quiet", "--no-deps", "--dest"]);
        sh::run(download.arg(&downloads).args(packages.split_whitespace()))?;
    }
    sh::run(sh::command(&python).arg("benches/mkdata.py").arg(folder).arg(&downloads))
}
