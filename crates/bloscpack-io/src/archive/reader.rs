//! The plain bytes of an archive as a reader, for those who pull: chunks are decoded in parallel, some at a time.

use std::io::{self, Read};

use blosc_core::memory;
use bloscpack_format::frame::Region;

use super::Archive;
use super::boxes::Boxes;
use super::slices::most_of;
use crate::source::ReadAt;
use crate::{Error, UnpackOptions};

/// Whole chunks are decoded until there are so many bytes.
const WINDOW: u64 = 8 << 20;

/// Reads the plain bytes of an archive front to back.
#[derive(Debug)]
pub struct PlainReader<'a, R> {
    archive: &'a Archive<R>,
    options: UnpackOptions,
    /// Where the bytes that are not decoded yet start.
    at: u64,
    /// What is left of them of an array.
    region: Option<Region>,
    window: Vec<u8>,
    /// How much of the window was read.
    read: usize,
}

impl<R: ReadAt> Archive<R> {
    /// All plain bytes as a reader; what [`Archive::unpack`] answers comes out of it as an [`io::Error`].
    pub fn reader(&self, options: &UnpackOptions) -> PlainReader<'_, R> {
        let region = self.grid().map(|grid| grid.all());
        PlainReader { archive: self, options: options.clone(), at: 0, region, window: Vec::new(), read: 0 }
    }
}

impl<R: ReadAt> PlainReader<'_, R> {
    /// Decodes the next bytes.
    fn fill(&mut self) -> Result<(), Error> {
        let (archive, len) = (self.archive, self.archive.nbytes());
        self.window.clear();
        self.read = 0;
        if self.at >= len {
            return Ok(());
        }
        if let (Some(region), Some(array), Some(grid)) = (&self.region, archive.array(), archive.grid()) {
            let itemsize = grid.itemsize().max(1);
            let items = self.at / itemsize..len / itemsize;
            let most = most_of(&self.options.limits).checked_div(itemsize).unwrap_or(1);
            if let Some(next) = Boxes::new(array, region, items, most).next() {
                memory::reserve(&mut self.window, grid.nbytes_of(&next)? as usize)?;
                archive.copy_slice(&next, &mut self.window, &self.options)?;
            }
        } else {
            let window = WINDOW.min(self.options.limits.max_unearned as u64).max(1);
            let mut end = self.at;
            while end < len && end - self.at < window {
                let chunk = archive.chunk_of(end)?;
                let behind = archive.chunk_range(chunk)?.end.max(end + 1).min(len);
                // Values that nobody stored are there in any number.
                end = if archive.is_special(chunk) { behind.min(self.at + window) } else { behind };
            }
            // What is read of it is written on: only what is not earned is bounded.
            archive.check_output(end - self.at, &self.options.limits.max_nbytes(usize::MAX))?;
            memory::reserve(&mut self.window, (end - self.at) as usize)?;
            archive.copy_range_with(self.at..end, &mut self.window, &self.options)?;
        }
        self.at += self.window.len() as u64;
        if self.at >= len { archive.check_empty_chunks(&self.options) } else { Ok(()) }
    }
}

impl<R: ReadAt> Read for PlainReader<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.read == self.window.len() {
            self.fill()?;
        }
        let rest = self.window.get(self.read..).unwrap_or_default();
        let len = rest.len().min(buf.len());
        buf.get_mut(..len).unwrap_or_default().copy_from_slice(rest.get(..len).unwrap_or_default());
        self.read += len;
        Ok(len)
    }
}
