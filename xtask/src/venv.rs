//! Python venvs with pinned versions of other libraries, each made once: `.venv/` has the reference libraries.

use crate::sh;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// bloscpack 0.16.0 uses `collections.MutableMapping`, removed in Python 3.10. A `.pth` line runs at interpreter start.
const SHIM: &str = "import collections, collections.abc; collections.MutableMapping = collections.abc.MutableMapping\n";

/// Imports that prove the venv of the reference libraries usable. They fail in an incomplete one.
const PROBE: &str = "import blosc, blosc2, bloscpack, numcodecs.blosc, bcolz, numpy";

/// Exits with an error on Python versions for which the pinned libraries have no wheels.
const TOO_OLD: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// The venv's `python`, or the reason why this machine cannot have one.
pub(crate) enum Venv {
    Ready(PathBuf),
    Impossible(&'static str),
}

/// Returns the venv with the pinned versions for the interop scripts and the benchmarks.
pub(crate) fn python() -> Result<Venv> {
    made(&sh::root().join(".venv"), "xtask/interop/requirements.txt", SHIM, works, |python| {
        let packages = "import sysconfig; print(sysconfig.get_path('purelib'))";
        let packages = sh::capture(sh::command(python).args(["-c", packages]))?;
        std::fs::write(Path::new(packages.trim()).join("bloscpack_shim.pth"), SHIM)?;
        Ok(())
    })
}

/// Returns a venv with the versions in a file of the repository.
pub(crate) fn pinned(folder: &Path, requirements: &str) -> Result<Venv> {
    made(folder, requirements, "", Path::is_file, |_| Ok(()))
}

/// Returns a venv, recreated and finished unless it holds exactly the pinned versions and works. `more` are other facts
/// that it depends on.
fn made(
    folder: &Path,
    requirements: &str,
    more: &str,
    works: impl Fn(&Path) -> bool,
    finish: impl FnOnce(&Path) -> Result<()>,
) -> Result<Venv> {
    let Some(system) = sh::find_program("python3") else {
        return Ok(Venv::Impossible("python3 was not found; install Python 3.11 or later"));
    };
    if !sh::command(&system).args(["-c", TOO_OLD]).status()?.success() {
        return Ok(Venv::Impossible("python3 is too old; install Python 3.11 or later"));
    }
    let (python, stamp) = (folder.join("bin/python"), folder.join("made-from.txt"));
    let requirements = sh::root().join(requirements);
    let pinned = std::fs::read_to_string(&requirements).with_context(|| requirements.display().to_string())?;
    let wanted = sh::capture(sh::command(&system).arg("--version"))? + &pinned + more;
    if std::fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == wanted) && works(&python) {
        return Ok(Venv::Ready(python));
    }
    make(&system, folder, &requirements)
        .and_then(|()| finish(&python))
        .with_context(|| format!("making {} for {}", folder.display(), requirements.display()))?;
    if !works(&python) {
        bail!("{} was made, but does not work", folder.display());
    }
    std::fs::write(stamp, wanted)?; // last, so that an interrupted setup is repeated
    Ok(Venv::Ready(python))
}

/// Makes a venv and installs the pinned versions.
fn make(system: &Path, folder: &Path, requirements: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    sh::run(sh::command(system).args(["-m", "venv"]).arg(folder))?;
    let mut install = sh::command(folder.join("bin/python"));
    sh::run(install.args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(requirements))
}

fn works(python: &Path) -> bool {
    python.exists() && sh::command(python).args(["-c", PROBE]).status().is_ok_and(|status| status.success())
}
