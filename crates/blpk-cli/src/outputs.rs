//! Outputs of many inputs: where they go, and what happens to each input after its output is written.

use crate::file_message::FileMessage;
use crate::inputs::InputFile;
use crate::overwrite::{Named, Overwrite, Writes};
use crate::path_or_stdio::PathOrStdio;
use crate::privacy::Privacy;
use crate::session::Session;
use anyhow::{Context as _, Result, anyhow, bail};
use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};

/// Where the outputs of a run go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Destination {
    /// Beside the inputs, under names derived from the inputs' names. Data from stdin goes to stdout.
    BesideInputs,
    /// Into a directory, under names derived in the same way.
    Directory(PathBuf),
    /// To one output, independent of the inputs' names.
    Named {
        operand: PathOrStdio,
        /// The output is the second of two names on the command line, which could also be meant as a second input.
        is_second_of_two: bool,
    },
}

/// The outputs of one run.
#[derive(Debug)]
pub(crate) struct Outputs {
    destination: Destination,
    /// Inputs are removed once their outputs are safe.
    removes_inputs: bool,
    /// The name of the input of each output that was written.
    written: HashMap<PathBuf, String>,
}

impl Outputs {
    pub(crate) fn new(destination: Destination, removes_inputs: bool) -> Outputs {
        Outputs { destination, removes_inputs, written: HashMap::new() }
    }

    /// Returns the output, if it does not depend on the inputs' names.
    pub(crate) fn named(&self) -> Option<&PathOrStdio> {
        match &self.destination {
            Destination::Named { operand, .. } => Some(operand),
            Destination::BesideInputs | Destination::Directory(_) => None,
        }
    }

    /// Whether the outputs go into a separate directory.
    pub(crate) fn have_directory(&self) -> bool {
        matches!(self.destination, Destination::Directory(_))
    }

    /// Returns the rules for existing files that the output of an input may replace. `verb` names the command in
    /// advice.
    pub(crate) fn overwrite(&self, item: &InputFile, writes: Writes, verb: &'static str) -> Overwrite {
        let named = match (&item.operand, &self.destination) {
            (_, Destination::BesideInputs | Destination::Directory(_)) => Named::ByInput,
            (PathOrStdio::File(_) | PathOrStdio::Url(_), Destination::Named { is_second_of_two: true, .. }) => {
                Named::SecondOfTwo(verb)
            }
            (_, Destination::Named { .. }) => Named::AsOutput,
        };
        Overwrite { writes, named }
    }

    /// Returns the output of an input. `rename` derives the output's name from the input's name.
    pub(crate) fn operand(&self, item: &InputFile, rename: impl FnOnce(&Path) -> PathBuf) -> Result<PathOrStdio> {
        let operand = match (&self.destination, &item.operand) {
            (Destination::Named { operand, .. }, _) => return Ok(operand.clone()),
            (Destination::Directory(_), PathOrStdio::Standard) => {
                bail!("an output for stdin in a directory has no name; use --output")
            }
            (Destination::Directory(directory), PathOrStdio::File(_) | PathOrStdio::Url(_)) => {
                directory.join(rename(&item.name))
            }
            (Destination::BesideInputs, PathOrStdio::Standard) => return Ok(PathOrStdio::Standard),
            (Destination::BesideInputs, PathOrStdio::Url(_)) => {
                bail!("name the <out_file> for '{}', or use --output-dir", item.operand)
            }
            (Destination::BesideInputs, PathOrStdio::File(path)) => rename(path),
        };
        match self.written.get(&operand) {
            Some(other) => {
                bail!("input file '{}': output file '{}' is already that of '{other}'", item.operand, operand.display())
            }
            None => Ok(PathOrStdio::File(operand)),
        }
    }

    /// Creates missing directories, writes the output with `write`, and removes the input if that is requested.
    pub(crate) fn write(
        &mut self,
        item: &InputFile,
        output: &PathOrStdio,
        session: &Session,
        write: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let input = match &item.operand {
            PathOrStdio::File(path) => fs::metadata(path).ok(),
            PathOrStdio::Standard | PathOrStdio::Url(_) => None,
        };
        let _privacy = Privacy::of(&item.operand, output)?;
        let before = match &item.operand {
            PathOrStdio::Url(_) if self.removes_inputs => {
                bail!("--rm removes files, not '{}': leave it out", item.operand)
            }
            PathOrStdio::File(path) if self.removes_inputs => {
                Some(fs::symlink_metadata(path).with_context(|| naming("input file", path))?)
            }
            _ => None,
        };
        let made = match output {
            PathOrStdio::File(path) if self.have_directory() => make_directories(path, item)?,
            _ => Vec::new(),
        };
        if let Err(error) = write() {
            // From the innermost one outwards, so that each is empty.
            made.iter().rev().for_each(|directory| drop(fs::remove_dir(directory)));
            return Err(error);
        }
        if let PathOrStdio::File(path) = output {
            self.written.insert(path.clone(), item.operand.to_string());
            if let Some(input) = &input {
                keep_time(input, path);
            }
        }
        match (&item.operand, output) {
            (PathOrStdio::File(input), PathOrStdio::File(output)) if self.removes_inputs => {
                remove(input, before, output, session)
            }
            _ => Ok(()),
        }
    }
}

/// Copies the input's modification time to its output, as compressors do. Best effort: not all file systems support it,
/// and the data is complete without it.
fn keep_time(input: &Metadata, output: &Path) {
    let regular = |path: &Path| fs::metadata(path).is_ok_and(|found| found.is_file());
    if let (true, true, Ok(time)) = (input.is_file(), regular(output), input.modified()) {
        let _ = File::open(output).and_then(|output| output.set_modified(time));
    }
}

/// Creates missing parent directories of an output, as durable as the file itself will be. Directories that mirror those
/// of the input are no more accessible. Returns the directories that it created.
fn make_directories(output: &Path, input: &InputFile) -> Result<Vec<PathBuf>> {
    let missing = |directory: &&Path| !directory.as_os_str().is_empty() && !directory.is_dir();
    let mirrored = input.walked_directories().map(Some).chain(std::iter::repeat(None));
    let missing = output.ancestors().skip(1).take_while(missing).zip(mirrored);
    let mut made = Vec::new();
    for (directory, mirrored) in missing.collect::<Vec<_>>().into_iter().rev() {
        if directory.symlink_metadata().is_ok() {
            bail!("--output-dir: '{}' is a file, not a directory; name another directory", directory.display());
        }
        let _privacy = mirrored.map(|mirrored| Privacy::of_directory(mirrored, directory)).transpose()?;
        fs::create_dir(directory).with_context(|| naming("making directory", directory))?;
        made.push(directory.to_owned());
        if cfg!(unix) {
            let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty());
            // Best effort: some file systems cannot sync a directory, and the data is complete without it.
            let _ = File::open(parent.unwrap_or(Path::new("."))).and_then(|parent| parent.sync_all());
        }
    }
    Ok(made)
}

/// A message that ends with the name of a file.
fn naming(what: &str, path: &Path) -> FileMessage {
    FileMessage::new(&path.to_owned().into(), format!("{what} '{}'", path.display()))
}

/// Removes an input whose output is safe: both are regular files, and the input has not changed since.
fn remove(input: &Path, before: Option<Metadata>, output: &Path, session: &Session) -> Result<()> {
    let written = fs::metadata(output).with_context(|| naming("output file", output))?;
    let is_safe = written.is_file();
    let Some(before) = before.filter(|before| before.is_file() && is_safe) else {
        session.report.verbose(format!(
            "keeping the input file, because it or its output is not a regular file: '{}'",
            input.display()
        ));
        return Ok(());
    };
    let now = fs::symlink_metadata(input).with_context(|| naming("input file", input))?;
    if now.len() != before.len() || now.modified().ok() != before.modified().ok() || !now.is_file() {
        let message = format!("input file '{}' changed while it was read; it is not removed", input.display());
        return Err(anyhow!(FileMessage::new(&input.to_owned().into(), message)));
    }
    fs::remove_file(input).with_context(|| naming("removing input file", input))?;
    session.report.verbose(format!("removed input file: '{}'", input.display()));
    Ok(())
}
