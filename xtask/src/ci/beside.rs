//! Steps that run in a process of their own, beside those of the caller.

use crate::{metadata, sh};
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};

/// The process. Its output goes to a file, and is shown when it has ended.
pub(super) struct Beside {
    child: Child,
    output: PathBuf,
    has_ended: bool,
}

impl Beside {
    /// Starts `cargo xtask ci` with the named steps.
    pub(super) fn start(steps: &[&str]) -> Result<Beside> {
        let output = metadata::target_directory()?.join("ci-beside.log");
        let file = File::create(&output).with_context(|| output.display().to_string())?;
        let program = std::env::current_exe().context("the path of xtask is unknown")?;
        let mut command = sh::command(program);
        command.arg("ci").args(steps).stdout(file.try_clone()?).stderr(file);
        let child = command.spawn().context("cannot start the steps that run beside others")?;
        println!("beside: {}, output in {}", steps.join(" "), output.display());
        Ok(Beside { child, output, has_ended: false })
    }

    /// Fails if a step has failed.
    pub(super) fn check(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            Some(status) => self.ended(status),
            None => Ok(()),
        }
    }

    /// Waits for the end. Fails if a step failed.
    pub(super) fn finish(&mut self) -> Result<()> {
        let status = self.child.wait()?;
        self.ended(status)
    }

    fn ended(&mut self, status: ExitStatus) -> Result<()> {
        if !self.has_ended {
            self.has_ended = true;
            println!("\n== output of the steps that ran beside others");
            println!("{}", String::from_utf8_lossy(&std::fs::read(&self.output)?));
        }
        if !status.success() {
            bail!("a step that ran beside others failed: {status}");
        }
        Ok(())
    }
}

/// A failure of another step ends these, too.
impl Drop for Beside {
    fn drop(&mut self) {
        // An error means that the process has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
