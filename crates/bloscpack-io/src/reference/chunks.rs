//! The references of one array.

use std::sync::Arc;

use blosc_core::{Special, memory};

use super::layout::{ChunkCodec, Layout};
use super::options::ReferenceOptions;
use super::padded::padded;
use super::values::{ChunkReference, ReferencedBytes};
use crate::Archive;
use crate::container::{Extent, Fetched};
use crate::error::{Error, ReferenceRefusal};

/// An array, and where its container is.
pub(super) struct Placed<'a> {
    pub(super) archive: &'a Archive<'a>,
    pub(super) url: &'a str,
    pub(super) layout: &'a Layout,
}

impl Placed<'_> {
    /// Appends the references to the chunks of the array. `target` is the layout that readers see. `place` changes the
    /// position of a chunk to that in the joined array.
    pub(super) fn append_to(
        &self,
        chunks: &mut Vec<ChunkReference>,
        target: &Layout,
        place: impl Fn(Vec<u64>) -> Vec<u64>,
        options: &ReferenceOptions,
    ) -> Result<(), Error> {
        let Placed { archive, url, layout } = self;
        let counts = layout.counts();
        let mut finder = Finder {
            archive,
            url,
            whole: Arc::from(*url),
            target,
            with_zeros: !options.dims.is_empty(),
            special: None,
        };
        let mut push = |number: u64, bytes: ReferencedBytes| {
            let at = place(layout.position(&counts, number));
            memory::push(chunks, ChunkReference { at, bytes })
        };
        if finder.skips_missing() {
            for stored in archive.container().to_verify(archive.get_limits())?.chunks {
                options.cancel.check()?;
                let (number, _) = stored?;
                if let Found::Bytes(bytes) = finder.find(number)? {
                    push(number, bytes)?;
                }
            }
            return Ok(());
        }
        let mut number = 0;
        while number < archive.nchunks() {
            options.cancel.check()?;
            match finder.find(number)? {
                Found::Zeros { alike } => number += alike.max(1),
                Found::Bytes(bytes) => {
                    push(number, bytes)?;
                    number += 1;
                }
            }
        }
        Ok(())
    }
}

/// The content of a chunk.
enum Found {
    /// Zeros, in this chunk and in the next `alike - 1`.
    Zeros {
        alike: u64,
    },
    Bytes(ReferencedBytes),
}

/// Finds the bytes of chunks.
struct Finder<'a> {
    archive: &'a Archive<'a>,
    url: &'a str,
    /// The URL of a container that is one file.
    whole: Arc<str>,
    target: &'a Layout,
    /// Whether chunks of zeros are kept. xarray takes the fill value for missing items.
    with_zeros: bool,
    /// The last special value, as a chunk. Most are equal to the one before.
    special: Option<(Special, Arc<[u8]>)>,
}

impl Finder<'_> {
    fn find(&mut self, number: u64) -> Result<Found, Error> {
        let (archive, limits) = (self.archive, self.archive.get_limits());
        if archive.chunk_range(number)?.is_empty() {
            return Ok(Found::Zeros { alike: 1 });
        }
        let expected = self.target.chunk_nbytes().unwrap_or(u64::MAX);
        match archive.container().chunk_extent(number, limits)? {
            None => self.special(number, expected),
            Some(extent) if extent.nbytes == expected => Ok(Found::Bytes(self.stored(extent))),
            Some(extent) if extent.nbytes < expected && self.target.codec == ChunkCodec::Blosc => {
                let itemsize = self.target.meta.dtype.itemsize();
                let chunk = padded(archive, number, expected, itemsize, self.with_zeros)?;
                Ok(chunk.map_or(Found::Zeros { alike: 1 }, |chunk| Found::Bytes(ReferencedBytes::Inline(chunk.into()))))
            }
            Some(extent) => Err(self.other_size(number, extent.nbytes, expected)),
        }
    }

    fn other_size(&self, chunk: u64, found: u64, expected: u64) -> Error {
        Error::reference(self.url, ReferenceRefusal::ChunkSize { chunk, found, expected })
    }

    /// Returns whether missing chunks of a Zarr array, of which a sparse one may have any number, need no reference:
    /// readers take the fill value for them.
    fn skips_missing(&self) -> bool {
        let is_inlined = self.with_zeros && self.target.codec == ChunkCodec::Blosc && self.target.fill.is_zeros();
        self.archive.zarr().is_some() && !is_inlined
    }

    /// Finds a special value without stored bytes. Zarr's fill value stands for zeros, and for items never written.
    fn special(&mut self, number: u64, expected: u64) -> Result<Found, Error> {
        let container = self.archive.container();
        let Fetched::Special { special, nbytes } = container.fetch(number, None, self.archive.get_limits())? else {
            return Err(self.other_size(number, 0, expected));
        };
        if u64::from(nbytes) != expected {
            return Err(self.other_size(number, nbytes.into(), expected));
        }
        if special != Special::Nan && !self.with_zeros || self.skips_missing() {
            return Ok(Found::Zeros { alike: container.alike(number) });
        }
        let chunk = match &self.special {
            Some((before, chunk)) if *before == special => Arc::clone(chunk),
            _ if self.archive.zarr().is_some() => {
                let itemsize = self.target.meta.dtype.itemsize();
                Arc::from(padded(self.archive, number, expected, itemsize, true)?.unwrap_or_default())
            }
            _ => Arc::from(self.archive.compressed_chunk(number)?),
        };
        self.special = Some((special, Arc::clone(&chunk)));
        Ok(Found::Bytes(ReferencedBytes::Inline(chunk)))
    }

    fn stored(&self, extent: Extent) -> ReferencedBytes {
        let Extent { file, offset, cbytes: length, .. } = extent;
        let url = match file {
            None => Arc::clone(&self.whole),
            Some(file) => format!("{}/{file}", self.url).into(),
        };
        ReferencedBytes::Stored { url, offset, length }
    }
}
