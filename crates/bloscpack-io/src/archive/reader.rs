//! A reader of the plain bytes of an archive. Chunks are decoded in parallel, a window at a time.

use std::io::{self, Read, Seek, SeekFrom};

use blosc_core::memory;
use bloscpack_format::frame::{Grid, Region};

use super::Archive;
use super::decoding::Decoding;
use super::frame_array::max_items_nbytes;
use super::stream::check_empty_chunks;
use crate::{Error, UnpackOptions};

/// Size of a window in bytes. Whole chunks are decoded until it is reached.
const WINDOW: u64 = 8 << 20;

/// Size of the pieces in which uncompressed data is read. It fits the CPU caches.
const PIECE: u64 = 256 << 10;

/// Reads the plain bytes of an archive, sequentially or with seeks.
///
/// A sequential read decodes whole chunks, up to 8 MiB at once. The first read after a seek to bytes that are not
/// decoded yet decodes only the rest of the chunks that it touches. For an array in a frame, it decodes the items. Each
/// following read decodes twice as much. A seek itself decodes nothing. It may go past the end, where reads return no
/// bytes.
///
/// ```
/// use std::io::{Read, Seek, SeekFrom};
/// use bloscpack_io::{Archive, PackOptions, UnpackOptions};
/// let plain: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
/// let archive = Archive::open(bloscpack_io::pack_bytes(&plain, &PackOptions::new().chunk_size(10_000))?)?;
/// let mut reader = archive.reader(&UnpackOptions::new());
/// let mut number = [0; 4];
/// reader.seek(SeekFrom::End(-40))?;
/// reader.read_exact(&mut number)?;
/// assert_eq!(u32::from_le_bytes(number), 99_990);
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
#[derive(Debug)]
pub struct PlainReader<'a> {
    archive: &'a Archive<'a>,
    options: UnpackOptions,
    /// Position after the window. In an array, the start of an item.
    at: u64,
    /// All items of an array in a frame; `None` for other archives.
    region: Option<Region>,
    window: Vec<u8>,
    /// Number of bytes of the window that were read.
    read: usize,
    /// Number of bytes of the next window to skip after a seek into an item. The window is then empty.
    skip: usize,
    /// Number of bytes to decode at once: small after a seek, then doubled by each read.
    ahead: u64,
}

impl<'a> PlainReader<'a> {
    pub(super) fn new(archive: &'a Archive<'a>, options: UnpackOptions) -> Self {
        let region = archive.grid().map(Grid::all);
        PlainReader { archive, options, at: 0, region, window: Vec::new(), read: 0, skip: 0, ahead: WINDOW }
    }

    /// Decodes the next bytes, for a read of `wanted` bytes.
    fn fill(&mut self, wanted: usize) -> Result<(), Error> {
        self.window.clear();
        self.read = 0;
        if self.at >= self.archive.nbytes() {
            return Ok(());
        }
        let wanted = self.ahead.max(wanted.saturating_add(self.skip) as u64).min(WINDOW);
        if let Err(error) = self.decode(wanted) {
            // The window may be incomplete, so it must not be read.
            self.window.clear();
            return Err(error);
        }
        let decoded = self.window.len() as u64;
        self.ahead = self.ahead.max(decoded).saturating_mul(2).min(WINDOW);
        self.at += decoded;
        self.read = std::mem::take(&mut self.skip).min(self.window.len());
        Ok(())
    }

    /// Decodes about `wanted` bytes from `at` on into the window.
    fn decode(&mut self, wanted: u64) -> Result<(), Error> {
        let (archive, len) = (self.archive, self.archive.nbytes());
        let is_distant = archive.container().is_distant();
        if let Some((source, start)) = archive.uncompressed().filter(|_| !is_distant) {
            self.options.cancel.check()?;
            let piece = wanted.min(PIECE).min(len - self.at) as usize;
            memory::resize(&mut self.window, piece, 0)?;
            return source.read_exact_at(start + self.at, &mut self.window).map_err(Error::reading);
        }
        if let (Some(region), Some(array)) = (&self.region, archive.frame_array()) {
            let grid = array.grid();
            let itemsize = grid.itemsize().max(1);
            let items = self.at / itemsize..len / itemsize;
            let mut most = max_items_nbytes(archive, &self.options.limits).checked_div(itemsize).unwrap_or(1);
            if self.ahead < WINDOW {
                most = most.min(wanted.div_ceil(itemsize));
            }
            if let Some(next) = array.boxes(region, items, most).next() {
                let nbytes = grid.nbytes_of(&next)?;
                // A single item may be larger than the limits allow.
                archive.check_output(nbytes, &self.options.limits.max_nbytes(usize::MAX))?;
                memory::reserve(&mut self.window, nbytes as usize)?;
                archive.copy_slice(&next, &mut self.window, &self.options)?;
            }
        } else {
            let window = wanted.min(self.options.limits.max_unearned as u64).max(1);
            let mut end = self.at;
            while end < len && end - self.at < window {
                let chunk = archive.chunk_of(end)?;
                let after = archive.chunk_range(chunk)?.end.max(end + 1).min(len);
                // A special value has no stored bytes, so its chunk can have any size, and a part of bytes that are not
                // compressed costs no more than its size. Only the window is decoded.
                let is_divisible = archive.container().is_special(chunk) || archive.uncompressed().is_some();
                end = if is_divisible { after.min(self.at + window) } else { after };
            }
            // The caller consumes the bytes, so `max_nbytes` does not apply. Only the expansion limit does.
            archive.check_output(end - self.at, &self.options.limits.max_nbytes(usize::MAX))?;
            memory::reserve(&mut self.window, (end - self.at) as usize)?;
            archive.copy_range_with(self.at..end, &mut self.window, &self.options)?;
        }
        let end = self.at + self.window.len() as u64;
        if end >= len { check_empty_chunks(Decoding::new(archive, &self.options)) } else { Ok(()) }
    }

    /// Returns the position of the next byte to read.
    fn position(&self) -> u64 {
        self.at - (self.window.len() - self.read) as u64 + self.skip as u64
    }

    fn go_to(&mut self, target: u64) {
        let start = self.at - self.window.len() as u64;
        if self.skip == 0 && (start..=self.at).contains(&target) {
            self.read = (target - start) as usize;
            return;
        }
        let itemsize = self.archive.grid().map_or(1, |grid| grid.itemsize().max(1));
        // There are no items past the end.
        let within = if target < self.archive.nbytes() { target % itemsize } else { 0 };
        self.window.clear();
        // An item has less than 2 GiB.
        (self.at, self.read, self.skip, self.ahead) = (target - within, 0, within as usize, 0);
    }
}

impl Read for PlainReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.read == self.window.len() && !buf.is_empty() {
            self.fill(buf.len())?;
        }
        let rest = self.window.get(self.read..).unwrap_or_default();
        let len = rest.len().min(buf.len());
        buf.get_mut(..len).unwrap_or_default().copy_from_slice(rest.get(..len).unwrap_or_default());
        self.read += len;
        Ok(len)
    }
}

impl Seek for PlainReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(target) => Some(target),
            SeekFrom::Current(by) => self.position().checked_add_signed(by),
            SeekFrom::End(by) => self.archive.nbytes().checked_add_signed(by),
        };
        let before =
            || io::Error::new(io::ErrorKind::InvalidInput, "a seek to before the first byte, or past any file");
        let target = target.ok_or_else(before)?;
        self.go_to(target);
        Ok(target)
    }
}
