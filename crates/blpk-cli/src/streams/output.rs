//! Sequential outputs.

use super::standard::standard;
use crate::file_message::FileMessage;
use crate::path_or_stdio::PathOrStdio;
use anyhow::{Context as _, Result, anyhow, bail};
use bloscpack_io::AtomicFile;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal as _, Write};

/// An output that is written sequentially.
#[derive(Debug)]
pub(crate) enum Output {
    /// A file that appears whole or not at all.
    File(BufWriter<AtomicFile>),
    /// An existing target that is not a regular file: it can be written to, but not replaced.
    Device(BufWriter<File>),
    Stdout(BufWriter<File>),
}

impl Output {
    /// Opens an output. With `force` only, replaces an existing file, and writes binary data to a terminal.
    pub(crate) fn create(operand: &PathOrStdio, force: bool) -> Result<Output> {
        let path = match operand {
            PathOrStdio::Standard => {
                refuse_terminal(force)?;
                return Ok(Output::Stdout(BufWriter::new(standard(io::stdout()).context("opening stdout")?)));
            }
            PathOrStdio::File(path) => path,
            PathOrStdio::Url(_) => bail!("'{operand}' cannot be written to by this command; name a file"),
        };
        match fs::metadata(path) {
            Ok(found) if force && !found.is_file() && !found.is_dir() => {
                let file = File::options().write(true).open(path);
                Ok(Output::Device(BufWriter::new(file.with_context(|| format!("opening '{operand}'"))?)))
            }
            _ => Ok(Output::File(BufWriter::new(AtomicFile::create(path, force)?))),
        }
    }

    /// Flushes the output. A file replaces its target atomically.
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

/// The error that the reader of stdout has closed it.
#[derive(Debug, thiserror::Error)]
#[error("stdout is closed")]
pub(crate) struct StdoutClosed;

fn closed_stdout(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => io::Error::new(io::ErrorKind::BrokenPipe, StdoutClosed),
        _ => error,
    }
}

/// Refuses to write binary data to a terminal, which would obey control codes in it.
fn refuse_terminal(force: bool) -> Result<()> {
    if io::stdout().is_terminal() && !force {
        let message = "refusing to write binary data to a terminal; name an output file, redirect stdout, or use -f";
        return Err(anyhow!(FileMessage::new(&PathOrStdio::Standard, message.into())));
    }
    Ok(())
}
