//! The directory in which one case runs repeatedly, and snapshots of its contents.

use super::cases::Case;
use super::tools::{Program, Tools};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Contents of a directory by name.
pub(crate) type Snapshot = BTreeMap<String, Entry>;

/// A file or a directory tree: permissions and bytes by path. Directories have no bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry(BTreeMap<PathBuf, (u32, Option<Vec<u8>>)>);

impl Entry {
    fn overlook_locks(&mut self) {
        self.0.retain(|path, _| !path.ends_with("__lock__") && !path.ends_with("__staged__"));
    }

    pub(crate) fn has(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }
}

/// One case, its directory, and snapshots before and after a run without faults.
#[derive(Debug)]
pub(crate) struct Sandbox<'a> {
    pub(crate) case: &'a Case,
    tools: &'a Tools,
    fixture: &'a Path,
    scratch: PathBuf,
    pub(crate) dir: PathBuf,
    pub(crate) old: Snapshot,
    pub(crate) new: Snapshot,
    /// Content read from the edited container before and after a run without faults.
    old_content: Vec<u8>,
    new_content: Vec<u8>,
}

/// Output directory of commands with several outputs.
const OUTPUTS: &str = "packed";

/// Creates a work folder, in memory if possible, because the programs are tested and not the disk.
pub(crate) fn work_folder(name: &str) -> Result<PathBuf> {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = folder.join(format!("blpk-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder.canonicalize()?)
}

/// Creates `folder`, or empties it.
pub(super) fn empty_folder(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir_all(folder)?)
}

impl<'a> Sandbox<'a> {
    /// Runs the case once without faults and records the results.
    pub(crate) fn new(case: &'a Case, tools: &'a Tools, fixture: &'a Path, scratch: &Path) -> Result<Sandbox<'a>> {
        fs::create_dir_all(scratch)?;
        let mut sandbox = Sandbox {
            case,
            tools,
            fixture,
            dir: scratch.join("work"),
            scratch: scratch.to_owned(),
            old: Snapshot::new(),
            new: Snapshot::new(),
            old_content: Vec::new(),
            new_content: Vec::new(),
        };
        sandbox.reset()?;
        (sandbox.old, sandbox.old_content) = (snapshot(&sandbox.dir)?, sandbox.content()?);
        let output = sandbox.command()?.output()?;
        ensure!(output.status.success(), "{}: {}", case.name, String::from_utf8_lossy(&output.stderr));
        (sandbox.new, sandbox.new_content) = (snapshot(&sandbox.dir)?, sandbox.content()?);
        ensure!(sandbox.old != sandbox.new, "{} does nothing", case.name);
        Ok(sandbox)
    }

    /// Restores the initial state.
    pub(crate) fn reset(&self) -> Result<()> {
        if self.dir.exists() {
            fs::remove_dir_all(&self.dir)?;
        }
        // Anonymous temporary files are created here.
        fs::create_dir_all(self.dir.join("tmp"))?;
        for need in self.case.needs {
            let (from, to) = need.split_once('=').unwrap_or((need, need));
            copy(&self.fixture.join(from), &self.dir.join(to))?;
        }
        Ok(())
    }

    /// The command of the case.
    pub(crate) fn command(&self) -> Result<Command> {
        let mut command = self.tools.command(self.case.program, self.case.args, &self.dir);
        self.tools.feed(&mut command, self.case.stdin, &self.dir, &self.scratch)?;
        // Fixes the temporary folder and the language of system messages.
        command.env("TMPDIR", self.dir.join("tmp")).env("LC_ALL", "C");
        Ok(command)
    }

    /// Compares the directory with the old and the new state and returns which it matches, with the names of leftovers.
    /// A name that matches neither is an error. `lenient` ignores the lock and staging directories of a bcolz
    /// directory, which the next writer removes.
    pub(crate) fn judge(&self, lenient: bool) -> Result<Found> {
        let mut now = snapshot(&self.dir)?;
        if lenient {
            now.values_mut().for_each(Entry::overlook_locks);
        }
        let known = |name: &&String| self.old.contains_key(*name) || self.new.contains_key(*name);
        let leftovers: Vec<String> = now.keys().filter(|name| !known(name)).cloned().collect();
        let mut found = Found { leftovers, is_old: true, is_new: true };
        for name in self.old.keys().chain(self.new.keys()) {
            let (now, old, new) = (now.get(name), self.old.get(name), self.new.get(name));
            let (mut is_old, mut is_new) = (now == old, now == new);
            if self.case.edited == Some(name) && !is_old && !is_new {
                let content = self.content()?;
                (is_old, is_new) = (content == self.old_content, content == self.new_content);
            }
            ensure!(is_old || is_new, "'{name}' is neither as it was nor as it was to be");
            (found.is_old, found.is_new) = (found.is_old && is_old, found.is_new && is_new);
        }
        Ok(found)
    }

    /// Verifies the edited container and returns the content read from it.
    fn content(&self) -> Result<Vec<u8>> {
        let Some(name) = self.case.edited else { return Ok(Vec::new()) };
        self.tools.must(Program::Blpk, &format!("verify {name}"), "", &self.dir, &self.scratch)?;
        // Columns, metalayers, attributes.
        let mut info = self.tools.output(Program::Blpk, &format!("info {name}"), "", &self.dir, &self.scratch)?.stdout;
        if is_bcolz(name) {
            let dump = self.scratch.join("dump");
            let lines = format!("dump {}", dump.display());
            self.tools.must(Program::BcolzEdit, name, &lines, &self.dir, &self.scratch)?;
            info.extend(fs::read(dump)?);
            return Ok(info);
        }
        info.extend(self.tools.output(Program::Blpk, &format!("d {name} -"), "", &self.dir, &self.scratch)?.stdout);
        Ok(info)
    }

    /// Opens the edited container for writing without changing it.
    pub(crate) fn open_again(&self) -> Result<()> {
        let Some(name) = self.case.edited else { return Ok(()) };
        // Also for cases of `blpk`, which cannot open without a change. Opening removes stale locks and replays
        // journals.
        let (program, lines) = if is_bcolz(name) { (Program::BcolzEdit, "flush") } else { (Program::FrameEdit, "") };
        self.tools.must(program, name, lines, &self.dir, &self.scratch)
    }

    /// Compacts a sparse frame, which removes unreferenced chunk files.
    pub(crate) fn compact(&self) -> Result<()> {
        match self.case.edited {
            Some(name) if name.ends_with(".sframe") => {
                self.tools.must(Program::Blpk, &format!("compact {name}"), "", &self.dir, &self.scratch)
            }
            _ => Ok(()),
        }
    }

    /// Returns the current paths of all files and directories under `name`.
    pub(crate) fn paths(&self, name: &str) -> Result<Vec<PathBuf>> {
        let mut files = BTreeMap::new();
        collect(&self.dir.join(name), Path::new(""), &mut files)?;
        Ok(files.into_keys().collect())
    }

    /// Verifies every container that exists now.
    pub(crate) fn verify(&self) -> Result<()> {
        let is_container = |name: &&String| {
            [".blp", ".b2frame", ".b2nd", ".sframe", ".bcolz", ".zarr"].iter().any(|end| name.ends_with(end))
        };
        let there = |name: &&String| self.dir.join(name).exists();
        for name in self.old.keys().chain(self.new.keys()).filter(is_container).filter(there) {
            self.tools.must(Program::Blpk, &format!("verify {name}"), "", &self.dir, &self.scratch)?;
        }
        Ok(())
    }
}

/// State of the directory after a run that may have failed.
#[derive(Debug)]
pub(crate) struct Found {
    /// Names that are in neither the old nor the new state.
    pub(crate) leftovers: Vec<String>,
    pub(crate) is_old: bool,
    pub(crate) is_new: bool,
}

fn is_bcolz(name: &str) -> bool {
    name.ends_with(".bcolz")
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        fs::copy(from, to).with_context(|| from.display().to_string())?;
        return Ok(());
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

fn snapshot(dir: &Path) -> Result<Snapshot> {
    let mut found = Snapshot::new();
    for entry in fs::read_dir(dir)? {
        let (entry, mut files) = (entry?, BTreeMap::new());
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == OUTPUTS {
            // Each output is a separate entry.
            for entry in fs::read_dir(entry.path())? {
                let (entry, mut files) = (entry?, BTreeMap::new());
                collect(&entry.path(), Path::new(""), &mut files)?;
                found.insert(format!("{OUTPUTS}/{}", entry.file_name().to_string_lossy()), Entry(files));
            }
            continue;
        }
        collect(&entry.path(), Path::new(""), &mut files)?;
        found.insert(name, Entry(files));
    }
    Ok(found)
}

fn collect(path: &Path, name: &Path, files: &mut BTreeMap<PathBuf, (u32, Option<Vec<u8>>)>) -> Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    let mode = mode(&metadata);
    if !metadata.is_dir() {
        files.insert(name.to_owned(), (mode, Some(fs::read(path)?)));
        return Ok(());
    }
    files.insert(name.to_owned(), (mode, None));
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        collect(&entry.path(), &name.join(entry.file_name()), files)?;
    }
    Ok(())
}

#[cfg(unix)]
fn mode(metadata: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions())
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> u32 {
    0
}
