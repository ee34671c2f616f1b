//! Where do bytes come from and go to? Files, devices, pipes, and stdin and stdout under the name `-`.

use crate::kind::is_container_directory;
use anyhow::{Context as _, Result, bail};
use bloscpack_io::{AtomicFile, Cancel, LocalSource, OutOfMemory, known_size};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal as _, Read, Seek as _, Write};
use std::path::{Path, PathBuf};

/// An input or output as named on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// `-`: stdin or stdout.
    Standard,
    File(PathBuf),
}

impl From<PathBuf> for Place {
    fn from(path: PathBuf) -> Place {
        if path.as_os_str() == "-" { Place::Standard } else { Place::File(path) }
    }
}

/// For texts: a name may hold anything, but no line of a text is made of a part of one.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.name().chars().try_for_each(|c| match c.is_control() {
            true => c.escape_default().try_for_each(|c| f.write_char(c)),
            false => f.write_char(c),
        })
    }
}

impl Place {
    /// The name as it is.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Place::Standard => b"-",
            Place::File(path) => path.as_os_str().as_encoded_bytes(),
        }
    }

    /// The name as it is, but for bytes that are no text.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        match self {
            Place::Standard => "-".into(),
            Place::File(path) => path.to_string_lossy(),
        }
    }
}

/// An input that is read front to back. Where it may have to wait for its bytes, it stops waiting when the operation is
/// called off.
#[derive(Debug)]
pub(crate) struct Input {
    file: File,
    regular: bool,
    cancel: Cancel,
}

impl Input {
    pub(crate) fn open(place: &Place, cancel: &Cancel) -> Result<Input> {
        let file = match place {
            Place::Standard => standard(io::stdin()).context("opening stdin")?,
            Place::File(path) => File::open(path).with_context(|| format!("opening '{}'", path.display()))?,
        };
        let metadata = file.metadata().with_context(|| format!("opening '{place}'"))?;
        if metadata.is_dir() {
            bail!("'{place}' is a directory, not a file");
        }
        Ok(Input { file, regular: metadata.is_file(), cancel: cancel.clone() })
    }

    /// The size of a regular file, if it is known before the file is read.
    pub(crate) fn known_size(&self) -> Option<u64> {
        known_size(&self.file)
    }

    /// Everything, if it is not more than `limit` bytes.
    pub(crate) fn read_all(self, limit: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        let read = read.map_err(|error| sized(error, 2 * bytes.capacity())).context("reading the input")?;
        if read as u64 > limit {
            bail!("the input has more than {limit} bytes, which is all that one chunk can be");
        }
        Ok(bytes)
    }
}

/// An I/O error, with the size if the standard library could not get memory for a buffer of `nbytes` bytes.
pub(crate) fn sized(error: io::Error, nbytes: usize) -> io::Error {
    match error.kind() {
        io::ErrorKind::OutOfMemory if error.get_ref().is_none() => OutOfMemory::new(nbytes).into(),
        _ => error,
    }
}

impl Read for Input {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        if !self.regular {
            wait_for(&self.file, &self.cancel)?;
        }
        if self.cancel.is_cancelled() {
            return Err(io::Error::other(Interrupted));
        }
        self.file.read(buf)
    }
}

/// Returns when a read would not wait, or the operation is called off.
#[cfg(unix)]
fn wait_for(file: &File, cancel: &Cancel) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    const TENTH_OF_A_SECOND: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    loop {
        let ready = match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&TENTH_OF_A_SECOND)) {
            Err(rustix::io::Errno::INTR) => 0,
            ready => ready?,
        };
        if ready > 0 || cancel.is_cancelled() {
            return Ok(());
        }
    }
}

/// An output that is written front to back.
#[derive(Debug)]
pub(crate) enum Output {
    /// A file that appears whole or not at all.
    File(BufWriter<AtomicFile>),
    /// Something that exists and is no regular file: it can only be written to.
    Device(BufWriter<File>),
    Stdout(BufWriter<File>),
}

impl Output {
    /// Opens an output. What exists is replaced with `force` only, and binary data goes to a terminal with it only.
    pub(crate) fn create(place: &Place, force: bool) -> Result<Output> {
        let path = match place {
            Place::Standard => {
                refuse_terminal(force)?;
                return Ok(Output::Stdout(BufWriter::new(standard(io::stdout()).context("opening stdout")?)));
            }
            Place::File(path) => path,
        };
        match fs::metadata(path) {
            Ok(found) if force && !found.is_file() && !found.is_dir() => {
                let file = File::options().write(true).open(path);
                Ok(Output::Device(BufWriter::new(file.with_context(|| format!("opening '{place}'"))?)))
            }
            _ => Ok(Output::File(BufWriter::new(AtomicFile::create(path, force)?))),
        }
    }

    /// Puts everything in its place.
    pub(crate) fn commit(mut self) -> Result<()> {
        self.flush().context("writing the output")?;
        if let Output::File(file) = self {
            file.into_inner().map_err(io::IntoInnerError::into_error).context("writing the output")?.commit()?;
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Output::File(file) => file.write(buf),
            Output::Device(file) => file.write(buf),
            Output::Stdout(file) => file.write(buf).map_err(closed_stdout),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::File(file) => file.flush(),
            Output::Device(file) => file.flush(),
            Output::Stdout(file) => file.flush().map_err(closed_stdout),
        }
    }
}

/// Whoever read our stdout reads no more.
#[derive(Debug, thiserror::Error)]
#[error("stdout is closed")]
pub(crate) struct StdoutClosed;

/// Ctrl-C was pressed while waiting for input.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub(crate) struct Interrupted;

fn closed_stdout(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => io::Error::new(io::ErrorKind::BrokenPipe, StdoutClosed),
        _ => error,
    }
}

/// Refuses to fill a terminal with control codes.
pub(crate) fn refuse_terminal(force: bool) -> Result<()> {
    if io::stdout().is_terminal() && !force {
        bail!("refusing to write binary data to a terminal; name an output file, redirect stdout, or use -f");
    }
    Ok(())
}

/// Refuses an output that is the input, or in the directory that is, or a directory that the input is in: writing it would
/// destroy what is read.
pub(crate) fn refuse_same_file(input: &Place, output: &Place) -> Result<()> {
    if let (Place::File(read), Place::File(path)) = (input, output)
        && let Ok(read) = read.canonicalize()
    {
        // Where it leads to, if it is a link; else where it would be made.
        let there = path.canonicalize();
        if there.as_ref().is_ok_and(|there| there.is_dir() && read != *there && read.starts_with(there)) {
            bail!("input '{input}' is in output '{output}', which would be replaced; name another output");
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if read.is_dir() && there.or_else(|_| parent.canonicalize()).is_ok_and(|place| place.starts_with(read)) {
            bail!("output '{output}' is, or is in, input '{input}'; name another output");
        }
    }
    let same = match (identity(input, io::stdin()), identity(output, io::stdout())) {
        (Some(input), Some(output)) => input == output,
        _ => false,
    };
    if same {
        bail!("input '{input}' and output '{output}' are the same file; name another output");
    }
    Ok(())
}

/// Stdin or stdout without the buffer of the standard library, which is made for texts.
#[cfg(unix)]
fn standard(stream: impl std::os::fd::AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn standard(stream: impl std::os::windows::io::AsHandle) -> io::Result<File> {
    stream.as_handle().try_clone_to_owned().map(File::from)
}

/// What tells a regular file from all others: device and inode.
#[cfg(unix)]
fn identity(place: &Place, stream: impl std::os::fd::AsFd) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = match place {
        Place::Standard => standard(stream).and_then(|file| file.metadata()),
        Place::File(path) => fs::metadata(path),
    };
    metadata.ok().filter(fs::Metadata::is_file).map(|found| (found.dev(), found.ino()))
}

/// Elsewhere the standard library tells no identity of files; their full paths have to do.
#[cfg(not(unix))]
fn identity<S>(place: &Place, _: S) -> Option<PathBuf> {
    match place {
        Place::Standard => None,
        Place::File(path) => fs::canonicalize(path).ok(),
    }
}

/// What is at a place, to be read here and there: also a directory.
pub(crate) fn open_source(place: &Place, cancel: &Cancel) -> Result<LocalSource> {
    match place {
        Place::File(path) if is_container_directory(path) => Ok(LocalSource::open(path)?),
        _ => Ok(LocalSource::from(open_seekable(place, cancel)?)),
    }
}

/// A file for random access. A pipe, and a file whose size is not known, is copied to a temporary file without a name.
pub(crate) fn open_seekable(place: &Place, cancel: &Cancel) -> Result<File> {
    let mut input = Input::open(place, cancel)?;
    if input.known_size().is_some() {
        return Ok(input.file);
    }
    let mut spool = tempfile::tempfile().context("creating a temporary file")?;
    io::copy(&mut input, &mut spool).with_context(|| format!("reading '{place}'"))?;
    spool.rewind().context("reading a temporary file")?;
    Ok(spool)
}
