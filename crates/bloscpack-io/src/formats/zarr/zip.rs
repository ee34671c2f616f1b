//! A zip archive as a directory.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use blosc_core::{Limits, memory};
use bloscpack_format::FormatError;
use bloscpack_format::checksum::{Checksum, Digest};
use bloscpack_format::zarr::zip::{
    End, Entry, LOCAL_HEADER_LEN, Method, TAIL_LEN, ZIP64_END_LEN, parse_directory, parse_end, parse_zip64_end,
};
use bloscpack_format::zarr::{Wrapper, ZarrError, inflate};

use crate::source::{ReadAt, ReadDirectory, shown};
use crate::{Error, OpenOptions};

/// The files in a zip archive, stored or compressed with Deflate.
///
/// Stored files are read in place. Compressed ones are decompressed completely when they are first read, within the
/// limits.
#[derive(Debug)]
pub struct ZipDirectory<R> {
    source: R,
    len: u64,
    /// Sorted by name.
    entries: Vec<Entry>,
    limits: Limits,
}

/// Returns whether a source starts like a zip archive.
pub(crate) fn is_zip(prefix: &[u8]) -> bool {
    prefix.starts_with(b"PK\x03\x04") || prefix.starts_with(b"PK\x05\x06")
}

impl<R: ReadAt> ZipDirectory<R> {
    /// Opens an archive. Only its directory is read.
    ///
    /// # Errors
    /// [`Error::Format`] if it is damaged or not a zip archive; [`Error::Limit`]; [`Error::Io`].
    pub fn open(source: R) -> Result<Self, Error> {
        ZipDirectory::open_with(source, &OpenOptions::new())
    }

    /// [`ZipDirectory::open`] with other options.
    ///
    /// # Errors
    /// As [`ZipDirectory::open`].
    pub fn open_with(source: R, options: &OpenOptions) -> Result<Self, Error> {
        let limits = options.limits;
        let len = source.len().map_err(Error::reading)?;
        let read = |offset: u64, len: u64| {
            let mut bytes = memory::zeroed(usize::try_from(len).unwrap_or(usize::MAX))?;
            source.read_exact_at(offset, &mut bytes).map_err(Error::reading)?;
            Ok::<_, Error>(bytes)
        };
        let tail = read(len.saturating_sub(TAIL_LEN), len.min(TAIL_LEN))?;
        let directory = match parse_end(&tail, len)? {
            End::Directory(directory) => directory,
            End::Zip64(offset) => {
                let end = offset.checked_add(ZIP64_END_LEN as u64).filter(|end| *end <= len);
                end.ok_or_else(|| {
                    let problem = "the end of the zip64 directory is past the end of the archive".into();
                    FormatError::from(ZarrError::Zip { offset, problem })
                })?;
                parse_zip64_end(&read(offset, ZIP64_END_LEN as u64)?, offset)?
            }
        };
        limits.check_chunks(directory.entries)?;
        // Each entry takes more memory than its bytes in the archive.
        limits.check_memory("the directory of a zip archive", directory.nbytes.saturating_mul(4))?;
        let entries = parse_directory(&read(directory.offset, directory.nbytes)?, &directory)?;
        Ok(ZipDirectory { source, len, entries, limits })
    }

    /// Returns the archive as a directory, `None` if the source is not a zip archive.
    pub(crate) fn if_zip(source: R, options: &OpenOptions) -> Result<Option<Arc<dyn ReadDirectory>>, Error>
    where
        R: 'static,
    {
        let mut start = [0; 4];
        // A pipe has no length, and no archive is shorter.
        if source.read_exact_at(0, &mut start).is_err() || !is_zip(&start) {
            return Ok(None);
        }
        Ok(Some(Arc::new(ZipDirectory::open_with(source, options)?)))
    }

    fn find(&self, path: &str) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| entry.name.as_str().cmp(path)).ok()?;
        self.entries.get(at)
    }

    fn open_entry<'a>(&'a self, entry: &'a Entry) -> Result<Box<dyn ReadAt + 'a>, Error> {
        let offset = self.data_offset(entry)?;
        match entry.method {
            Method::Stored => Ok(Box::new(Section { source: &self.source, offset, entry })),
            Method::Deflate => Ok(Box::new(Deflated { directory: self, entry, offset, plain: Mutex::new(None) })),
            Method::Other(method) => {
                let name = method.map_or("encryption".into(), |method| method.to_string().into());
                let advice = "files in zip archives are stored, or compressed with Deflate";
                Err(FormatError::from(ZarrError::Unsupported { what: "zip method", name, advice }).into())
            }
        }
    }

    /// Returns the offset of the stored bytes of a file, which are within the archive.
    fn data_offset(&self, entry: &Entry) -> Result<u64, Error> {
        let past_end = || {
            let problem = "the file is past the end of the archive".into();
            Error::from(FormatError::from(ZarrError::Zip { offset: entry.header, problem }))
        };
        let header_end = entry.header.checked_add(LOCAL_HEADER_LEN as u64).filter(|end| *end <= self.len);
        header_end.ok_or_else(past_end)?;
        let mut header = [0; LOCAL_HEADER_LEN];
        self.source.read_exact_at(entry.header, &mut header).map_err(Error::reading)?;
        let offset = entry.data_offset(&header)?;
        offset.checked_add(entry.stored).filter(|end| *end <= self.len).ok_or_else(past_end)?;
        if entry.method == Method::Stored && entry.stored != entry.nbytes {
            let problem = format!("{} bytes are stored of a file of {} bytes", entry.stored, entry.nbytes);
            return Err(FormatError::from(ZarrError::Zip { offset: entry.header, problem: problem.into() }).into());
        }
        Ok(offset)
    }

    fn decompressed(&self, entry: &Entry, offset: u64) -> Result<Vec<u8>, Error> {
        self.limits.check_memory("a compressed file in a zip archive", entry.stored.saturating_add(entry.nbytes))?;
        self.limits.check_unearned(entry.nbytes, entry.stored)?;
        let mut stored = memory::zeroed(usize::try_from(entry.stored).unwrap_or(usize::MAX))?;
        self.source.read_exact_at(offset, &mut stored).map_err(Error::reading)?;
        let nbytes = usize::try_from(entry.nbytes).unwrap_or(usize::MAX);
        let plain = inflate(&stored, Wrapper::Raw, Some(nbytes), nbytes)?;
        check_crc(entry, &plain)?;
        Ok(plain)
    }
}

/// Compares the content of a file with its CRC-32.
fn check_crc(entry: &Entry, content: &[u8]) -> Result<(), Error> {
    let (computed, expected) = (Checksum::Crc32.digest(content), entry.crc32.to_le_bytes());
    if Digest::from_stored(&expected) == Some(computed) {
        return Ok(());
    }
    let problem = format!("the CRC-32 of the file is {computed}, expected {:#010x}", entry.crc32);
    Err(FormatError::from(ZarrError::Zip { offset: entry.header, problem: problem.into() }).into())
}

impl<R: ReadAt> ReadDirectory for ZipDirectory<R> {
    fn open(&self, path: &str) -> io::Result<Box<dyn ReadAt + '_>> {
        let entry = self.find(path).ok_or(io::ErrorKind::NotFound)?;
        self.open_entry(entry).map_err(io::Error::from)
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        Ok(self.list_sizes(path)?.into_iter().map(|(name, _)| name).collect())
    }

    fn list_sizes(&self, path: &str) -> io::Result<Vec<(String, Option<u64>)>> {
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        let start = self.entries.partition_point(|entry| entry.name.as_str() < prefix.as_str());
        let below = self.entries.get(start..).unwrap_or_default().iter();
        let below = below.map_while(|entry| Some((entry.name.strip_prefix(&prefix)?, entry.nbytes)));
        let names: BTreeMap<&str, Option<u64>> = below
            .map(|(rest, nbytes)| rest.split_once('/').map_or((rest, Some(nbytes)), |(name, _)| (name, None)))
            .collect();
        match names.is_empty() && !path.is_empty() {
            true => Err(io::ErrorKind::NotFound.into()),
            false => Ok(names.into_iter().map(|(name, size)| (name.to_owned(), size)).collect()),
        }
    }

    fn name(&self, path: &str) -> String {
        shown(path)
    }

    fn request_cost(&self) -> Option<usize> {
        self.source.request_cost()
    }

    fn offset_in_archive(&self, path: &str) -> io::Result<Option<u64>> {
        let entry = self.find(path).ok_or(io::ErrorKind::NotFound)?;
        match entry.method {
            Method::Stored => self.data_offset(entry).map(Some).map_err(io::Error::from),
            _ => Err(io::Error::new(io::ErrorKind::Unsupported, "the zip archive stores the file compressed")),
        }
    }
}

/// A stored file. Its CRC-32 is compared when all of it is read at once.
struct Section<'a, R> {
    source: &'a R,
    offset: u64,
    entry: &'a Entry,
}

impl<R: ReadAt> ReadAt for Section<'_, R> {
    fn len(&self) -> io::Result<u64> {
        Ok(self.entry.stored)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let len = self.entry.stored;
        if offset.checked_add(buf.len() as u64).is_none_or(|end| end > len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.source.read_exact_at(self.offset + offset, buf)?;
        match buf.len() as u64 == len {
            true => Ok(check_crc(self.entry, buf)?),
            false => Ok(()),
        }
    }

    fn request_cost(&self) -> Option<usize> {
        self.source.request_cost()
    }

    fn prefetch(&self, ranges: &[Range<u64>]) {
        let moved: Vec<_> = ranges.iter().map(|range| self.offset + range.start..self.offset + range.end).collect();
        self.source.prefetch(&moved);
    }
}

/// A compressed file. Its length is known without decompressing it.
struct Deflated<'a, R> {
    directory: &'a ZipDirectory<R>,
    entry: &'a Entry,
    offset: u64,
    plain: Mutex<Option<Vec<u8>>>,
}

impl<R: ReadAt> ReadAt for Deflated<'_, R> {
    fn len(&self) -> io::Result<u64> {
        Ok(self.entry.nbytes)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let mut plain = self.plain.lock().unwrap_or_else(PoisonError::into_inner);
        let plain = match &mut *plain {
            Some(plain) => plain,
            empty => empty.insert(self.directory.decompressed(self.entry, self.offset).map_err(io::Error::from)?),
        };
        plain.read_exact_at(offset, buf)
    }

    fn request_cost(&self) -> Option<usize> {
        self.directory.request_cost()
    }
}
