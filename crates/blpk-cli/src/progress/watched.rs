//! Readers and writers that count their bytes as progress.

use super::Progress;
use std::io::{self, Read, Write};

impl Progress {
    /// Wraps `output` to report the bytes written as progress, out of `all`.
    pub(crate) fn watch<W: Write>(&self, output: W, all: u64) -> Watched<'_, W> {
        Watched { progress: self, output, all, done: 0 }
    }

    /// Wraps `input` to count the bytes read as progress.
    pub(crate) fn count<R: Read>(&self, input: R) -> Counted<'_, R> {
        Counted { progress: self, input }
    }
}

/// A writer that reports progress.
pub(crate) struct Watched<'a, W> {
    progress: &'a Progress,
    output: W,
    all: u64,
    done: u64,
}

impl<W: Write> Write for Watched<'_, W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let written = self.output.write(buf)?;
        self.done += written as u64;
        self.progress.is_at(self.done, self.all);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// A reader that reports progress.
pub(crate) struct Counted<'a, R> {
    progress: &'a Progress,
    input: R,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buf)?;
        self.progress.add(read as u64);
        Ok(read)
    }
}
