//! Where does what comes of an input go, and what becomes of the input?

use crate::args::ManyArgs;
use crate::inputs::Item;
use crate::overwrite::{Named, Overwrite, Writes};
use crate::privacy::Privacy;
use crate::session::Session;
use crate::streams::Place;
use anyhow::{Context as _, Result, bail};
use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};

/// The outputs of one run.
#[derive(Debug)]
pub(crate) struct Outputs<'a> {
    many: &'a ManyArgs,
    named: Option<Place>,
    /// Whether the output is the second of two names.
    second_of_two: bool,
    /// Which input each was made of.
    written: HashMap<PathBuf, String>,
}

impl<'a> Outputs<'a> {
    /// `named` is the output among the names, if there is one.
    pub(crate) fn new(many: &'a ManyArgs, named: Option<&Path>) -> Outputs<'a> {
        let second_of_two = named.is_some();
        let named = named.or(many.output.as_deref()).map(|path| Place::from(path.to_owned()));
        let named = if many.stdout { Some(Place::Standard) } else { named };
        Outputs { many, named, second_of_two, written: HashMap::new() }
    }

    /// The output that has a name, whatever the input's is.
    pub(crate) fn named(&self) -> Option<&Place> {
        self.named.as_ref()
    }

    /// Whether the outputs are put into a directory of their own.
    pub(crate) fn have_directory(&self) -> bool {
        self.many.output_dir.is_some()
    }

    /// Says which existing files the output of an input may replace. `verb` names the command in advice.
    pub(crate) fn overwrite(&self, item: &Item, writes: Writes, verb: &'static str) -> Overwrite {
        let named = match (&item.place, &self.named) {
            (_, None) => Named::ByInput,
            (Place::File(_), Some(_)) if self.second_of_two => Named::SecondOfTwo(verb),
            _ => Named::AsOutput,
        };
        Overwrite { writes, named }
    }

    /// Where the output of an input goes; `rename` makes its name of the input's.
    pub(crate) fn place(&self, item: &Item, rename: impl FnOnce(&Path) -> PathBuf) -> Result<Place> {
        let place = match (&self.named, &self.many.output_dir, &item.place) {
            (Some(named), _, _) => return Ok(named.clone()),
            (None, Some(_), Place::Standard) => bail!("stdin has no name for a file in a directory; use --output"),
            (None, Some(directory), Place::File(_)) => directory.join(rename(&item.name)),
            (None, None, Place::Standard) => return Ok(Place::Standard),
            (None, None, Place::File(path)) => rename(path),
        };
        match self.written.get(&place) {
            Some(other) => {
                bail!("input file '{}': output file '{}' is already that of '{other}'", item.place, place.display())
            }
            None => Ok(Place::File(place)),
        }
    }

    /// Runs `write`, which writes the output, around which directories are made and the input is removed if so wished.
    pub(crate) fn write(
        &mut self,
        item: &Item,
        output: &Place,
        session: &Session,
        write: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let input = match &item.place {
            Place::File(path) => fs::metadata(path).ok(),
            Place::Standard => None,
        };
        let _privacy = input.as_ref().map(Privacy::of);
        let before = match &item.place {
            Place::File(path) if self.many.rm => {
                Some(fs::symlink_metadata(path).with_context(|| format!("input file '{}'", path.display()))?)
            }
            _ => None,
        };
        let made = match output {
            Place::File(path) if self.have_directory() => make_directories(path)?,
            _ => Vec::new(),
        };
        if let Err(error) = write() {
            // In the order in which they are empty.
            made.iter().rev().for_each(|directory| drop(fs::remove_dir(directory)));
            return Err(error);
        }
        if let Place::File(path) = output {
            self.written.insert(path.clone(), item.place.to_string());
            if let Some(input) = &input {
                keep_time(input, path);
            }
        }
        match (&item.place, output) {
            (Place::File(input), Place::File(output)) if self.many.rm => remove(input, before, output, session),
            _ => Ok(()),
        }
    }
}

/// Gives an output the time at which its input was changed, as compressors do: the content is as old. Not all file systems
/// can; the data is there all the same.
fn keep_time(input: &Metadata, output: &Path) {
    let regular = |path: &Path| fs::metadata(path).is_ok_and(|found| found.is_file());
    if let (true, true, Ok(time)) = (input.is_file(), regular(output), input.modified()) {
        let _ = File::open(output).and_then(|output| output.set_modified(time));
    }
}

/// Makes the directories that a file is to lie in, durable as the file itself will be. Those that were made.
fn make_directories(file: &Path) -> Result<Vec<PathBuf>> {
    let missing = |directory: &&Path| !directory.as_os_str().is_empty() && !directory.is_dir();
    let missing: Vec<_> = file.ancestors().skip(1).take_while(missing).collect();
    let mut made = Vec::new();
    for directory in missing.into_iter().rev() {
        if directory.symlink_metadata().is_ok() {
            bail!("--output-dir: '{}' is a file, not a directory; name another directory", directory.display());
        }
        fs::create_dir(directory).with_context(|| format!("making directory '{}'", directory.display()))?;
        made.push(directory.to_owned());
        if cfg!(unix) {
            let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty());
            // Some file systems cannot; the data is there all the same.
            let _ = File::open(parent.unwrap_or(Path::new("."))).and_then(|parent| parent.sync_all());
        }
    }
    Ok(made)
}

/// Removes an input whose output is safe: both are regular files, and the input is what it was before.
fn remove(input: &Path, before: Option<Metadata>, output: &Path, session: &Session) -> Result<()> {
    let written = fs::metadata(output).with_context(|| format!("output file '{}'", output.display()))?;
    let is_safe = written.is_file();
    let Some(before) = before.filter(|before| before.is_file() && is_safe) else {
        session
            .report
            .verbose(format!("input file stays, as it or its output is no regular file: '{}'", input.display()));
        return Ok(());
    };
    let now = fs::symlink_metadata(input).with_context(|| format!("input file '{}'", input.display()))?;
    if now.len() != before.len() || now.modified().ok() != before.modified().ok() || !now.is_file() {
        bail!("input file '{}' changed while it was read; it is not removed", input.display());
    }
    fs::remove_file(input).with_context(|| format!("removing input file '{}'", input.display()))?;
    session.report.verbose(format!("removed input file: '{}'", input.display()));
    Ok(())
}
