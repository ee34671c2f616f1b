//! The Python venv with the reference libraries, `.venv/`, created once from pinned versions.

use crate::sh;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Pinned versions for the interop scripts and the benchmarks.
const REQUIREMENTS: &str = include_str!("../interop/requirements.txt");

/// bloscpack 0.16.0 uses `collections.MutableMapping`, removed in Python 3.10. A `.pth` line runs at interpreter start.
const SHIM: &str = "import collections, collections.abc; collections.MutableMapping = collections.abc.MutableMapping\n";

/// Imports that prove a venv usable. They fail in an incomplete one.
const PROBE: &str = "import blosc, blosc2, bloscpack, numcodecs.blosc, bcolz, numpy";

/// Exits with an error on Python versions for which the pinned numpy has no wheels.
const TOO_OLD: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// The venv's `python`, or the reason why this machine cannot have one.
pub(crate) enum Venv {
    Ready(PathBuf),
    Impossible(&'static str),
}

/// Returns the venv, recreating it unless it holds exactly the pinned versions.
pub(crate) fn python() -> Result<Venv> {
    let Some(system) = sh::find_program("python3") else {
        return Ok(Venv::Impossible("python3 was not found; install Python 3.11 or later"));
    };
    if !sh::command(&system).args(["-c", TOO_OLD]).status()?.success() {
        return Ok(Venv::Impossible("python3 is too old; install Python 3.11 or later"));
    }
    let folder = sh::root().join(".venv");
    let python = folder.join("bin/python");
    let version = sh::capture(sh::command(&system).arg("--version"))?;
    let wanted = format!("{version}{REQUIREMENTS}{SHIM}");
    let stamp = folder.join("made-from.txt");
    if std::fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == wanted) && works(&python) {
        return Ok(Venv::Ready(python));
    }
    make(&system, &folder, &python)
        .with_context(|| format!("making {} for the reference libraries", folder.display()))?;
    std::fs::write(stamp, wanted)?; // last, so that an interrupted setup is repeated
    Ok(Venv::Ready(python))
}

fn make(system: &Path, folder: &Path, python: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    sh::run(sh::command(system).args(["-m", "venv"]).arg(folder))?;
    let requirements = sh::root().join("xtask/interop/requirements.txt");
    sh::run(sh::command(python).args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(requirements))?;
    let packages = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let packages = sh::capture(sh::command(python).args(["-c", packages]))?;
    std::fs::write(Path::new(packages.trim()).join("bloscpack_shim.pth"), SHIM)?;
    if !works(python) {
        bail!("the venv was made, but `{PROBE}` fails in it");
    }
    Ok(())
}

fn works(python: &Path) -> bool {
    python.exists() && sh::command(python).args(["-c", PROBE]).status().is_ok_and(|status| status.success())
}
