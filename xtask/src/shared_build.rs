//! One build for `cargo xtask test`: the tests, the examples and the programs that interop runs have the same profile
//! and features, so cargo compiles every crate once.

use crate::{metadata, sh};
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// The compiled programs.
pub(crate) struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Builds `blpk` and all examples, or finds them up to date after [`test()`].
    pub(crate) fn build() -> Result<Programs> {
        sh::run(cargo("build")?.args(["--bins", "--examples"]))?;
        Programs::built()
    }

    /// Programs that [`test()`] has just built.
    pub(crate) fn built() -> Result<Programs> {
        Ok(Programs { folder: metadata::target_directory()?.join("debug") })
    }

    /// Returns the path of `blpk`. The folder `examples` is next to it.
    pub(crate) fn blpk(&self) -> PathBuf {
        self.folder.join(format!("blpk{}", std::env::consts::EXE_SUFFIX))
    }

    /// Returns a command that runs an example.
    pub(crate) fn example(&self, name: &str) -> Command {
        sh::command(self.folder.join("examples").join(name))
    }
}

/// Returns a command that runs unit, integration and doc tests. `cargo test` also builds the programs.
pub(crate) fn test() -> Result<Command> {
    cargo("test")
}

fn cargo(command: &str) -> Result<Command> {
    let features = metadata::testable_features()?;
    Ok(sh::cargo([command, "--workspace", "--locked", "--features", &features]))
}
