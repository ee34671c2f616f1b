//! Layouts: the box of an array that each chunk of a container holds.

use std::fmt;

use bloscpack_format::frame::B2nd;
use bloscpack_format::numpy::{NumpyMeta, Order};
use bloscpack_format::zarr::{ArrayMeta, Compressor, Fill};

use crate::error::ReferenceRefusal;
use crate::{Archive, Error};

/// The shape and chunks of an array, and the codec of its chunks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    pub(super) meta: NumpyMeta,
    /// Items of a chunk along each axis.
    pub(super) chunkshape: Vec<u64>,
    /// The order in which chunks are numbered.
    pub(super) numbering: Order,
    pub(super) codec: ChunkCodec,
    /// The value of items in chunks that have no bytes.
    pub(super) fill: Fill,
}

/// The codecs of the chunks, by their names in numcodecs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChunkCodec {
    /// `blosc`: the plain bytes of a chunk are its items.
    Blosc,
    /// `b2nd`: the plain bytes of a chunk are blocks of items. Holds the shapes of a chunk and of a block.
    B2nd { chunks: Vec<u32>, blocks: Vec<u32> },
    /// The codecs of a Zarr array other than `blosc` alone, in the order in which a writer applies them.
    Other(Vec<&'static str>),
}

impl fmt::Display for ChunkCodec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChunkCodec::Blosc => f.write_str("blosc"),
            ChunkCodec::B2nd { chunks, blocks } => write!(f, "b2nd with chunks {chunks:?} and blocks {blocks:?}"),
            ChunkCodec::Other(names) if names.is_empty() => f.write_str("none"),
            ChunkCodec::Other(names) => f.write_str(&names.join(" and ")),
        }
    }
}

/// Why the chunks of an archive have no layout, or the error of reading a chunk's header.
pub(super) enum NoLayout {
    Refused(ReferenceRefusal),
    Failed(Error),
}

impl From<ReferenceRefusal> for NoLayout {
    fn from(refusal: ReferenceRefusal) -> Self {
        NoLayout::Refused(refusal)
    }
}

impl From<Error> for NoLayout {
    fn from(error: Error) -> Self {
        NoLayout::Failed(error)
    }
}

impl Layout {
    /// Determines the layout of an archive.
    pub(super) fn of(archive: &Archive<'_>) -> Result<Layout, NoLayout> {
        let meta = archive.numpy().ok_or(ReferenceRefusal::NoArray)?.clone();
        if let Some(zarr) = archive.zarr() {
            return Ok(Layout::of_zarr(meta, zarr)?);
        }
        if let Some(array) = archive.array() {
            return Ok(Layout::of_b2nd(meta, array));
        }
        let itemsize = meta.dtype.itemsize();
        if meta.nbytes() != Some(archive.nbytes()) || itemsize == 0 {
            return Err(ReferenceRefusal::NoArray.into());
        }
        let nbytes = first_nbytes(archive)?;
        if !nbytes.is_multiple_of(itemsize) {
            return Err(ReferenceRefusal::Items { nbytes, itemsize }.into());
        }
        let items = nbytes / itemsize;
        let shape = meta.shape.clone();
        let chunkshape = match meta.order {
            Order::C => chunkshape(&shape, items),
            Order::F => chunkshape(&reversed(&shape), items).map(|shape| reversed(&shape)),
        };
        let chunkshape = chunkshape.ok_or(ReferenceRefusal::Chunks { items, shape })?;
        let numbering = meta.order;
        Ok(Layout { meta, chunkshape, numbering, codec: ChunkCodec::Blosc, fill: Fill::zeros() })
    }

    /// A Zarr array. Format 2 must have the order of its items, and numcodecs its codecs.
    fn of_zarr(mut meta: NumpyMeta, zarr: &ArrayMeta) -> Result<Layout, ReferenceRefusal> {
        let codecs = &zarr.codecs;
        if !codecs.is_c_order() {
            meta.order = if codecs.is_reversed() { Order::F } else { return Err(ReferenceRefusal::Transposed) };
        }
        let codec = match codecs.compressors.as_slice() {
            [Compressor::Blosc(_)] => ChunkCodec::Blosc,
            other => ChunkCodec::Other(other.iter().map(name_of).collect::<Result<_, _>>()?),
        };
        let chunkshape = zarr.chunkshape.iter().map(|len| (*len).max(1)).collect();
        let fill = if zarr.fill.is_zeros() { Fill::zeros() } else { zarr.fill.clone() };
        Ok(Layout { meta, chunkshape, numbering: Order::C, codec, fill })
    }

    fn of_b2nd(meta: NumpyMeta, array: &B2nd) -> Layout {
        // An axis without items has chunks without items, which Zarr does not know.
        let chunkshape = array.chunkshape.iter().map(|len| u64::from(*len).max(1)).collect();
        let codec = ChunkCodec::B2nd { chunks: array.chunkshape.clone(), blocks: array.blockshape.clone() };
        Layout { meta, chunkshape, numbering: Order::C, codec, fill: Fill::zeros() }
    }

    /// Returns the number of chunks along each axis.
    pub(super) fn counts(&self) -> Vec<u64> {
        self.meta.shape.iter().zip(&self.chunkshape).map(|(len, chunk)| len.div_ceil((*chunk).max(1))).collect()
    }

    /// Returns the position of chunk `number` in the grid of chunks.
    pub(super) fn position(&self, counts: &[u64], number: u64) -> Vec<u64> {
        match self.numbering {
            Order::C => unravelled(counts, number),
            Order::F => reversed(&unravelled(&reversed(counts), number)),
        }
    }

    /// Returns the uncompressed size of a chunk in bytes, with the padding of b2nd to whole blocks. `None` if it is 2^64
    /// or more.
    pub(super) fn chunk_nbytes(&self) -> Option<u64> {
        let padded = |(chunk, block): (&u32, &u32)| u64::from(*chunk).next_multiple_of(u64::from(*block).max(1));
        let axes: Vec<u64> = match &self.codec {
            ChunkCodec::Blosc | ChunkCodec::Other(_) => self.chunkshape.clone(),
            ChunkCodec::B2nd { chunks, blocks } => chunks.iter().zip(blocks).map(padded).collect(),
        };
        axes.iter().try_fold(self.meta.dtype.itemsize(), |nbytes, len| nbytes.checked_mul(*len))
    }

    /// Returns the axis along which chunks follow each other in the order of the items: only the last chunk along it may
    /// be shorter.
    pub(super) fn outer_axis(&self) -> usize {
        match self.meta.order {
            Order::C => 0,
            Order::F => self.chunkshape.len().saturating_sub(1),
        }
    }
}

/// Returns the name of a codec in numcodecs.
fn name_of(compressor: &Compressor) -> Result<&'static str, ReferenceRefusal> {
    Ok(match compressor {
        Compressor::Blosc(_) => "blosc",
        Compressor::Zstd { .. } => "zstd",
        Compressor::Gzip { .. } => "gzip",
        Compressor::Zlib { .. } => "zlib",
        Compressor::Crc32c => "crc32c",
        _ => return Err(ReferenceRefusal::Codec),
    })
}

/// Returns the uncompressed size of the first chunk. Checks that all others but the last have the same.
fn first_nbytes(archive: &Archive<'_>) -> Result<u64, NoLayout> {
    let nchunks = archive.nchunks();
    archive.get_limits().check_chunks(nchunks).map_err(Error::from)?;
    if nchunks == 0 {
        return Ok(0);
    }
    let nbytes = |chunk: u64| archive.chunk_range(chunk).map(|range| range.end - range.start);
    let expected = nbytes(0)?;
    for chunk in 1..nchunks {
        let found = nbytes(chunk)?;
        if found > expected || found < expected && chunk + 1 < nchunks {
            return Err(ReferenceRefusal::Uneven { chunk, found, expected }.into());
        }
    }
    Ok(expected)
}

/// Returns the shape of the boxes of `items` items that follow each other in C order. `None` if there are no such boxes.
fn chunkshape(shape: &[u64], items: u64) -> Option<Vec<u64>> {
    let mut chunk: Vec<u64> = shape.iter().map(|len| (*len).max(1)).collect();
    if shape.contains(&0) || items == 0 {
        return Some(chunk);
    }
    let mut inner = 1_u64;
    for axis in (0..shape.len()).rev() {
        let len = *shape.get(axis)?;
        let whole = inner.checked_mul(len)?;
        if items >= whole && axis > 0 {
            inner = whole;
            continue;
        }
        let along = items / inner;
        if !items.is_multiple_of(inner) || axis > 0 && !len.is_multiple_of(along) {
            return None;
        }
        chunk.get_mut(..axis)?.fill(1);
        *chunk.get_mut(axis)? = along;
        break;
    }
    Some(chunk)
}

/// Returns the position of element `number` of an array of this shape, in C order.
fn unravelled(shape: &[u64], mut number: u64) -> Vec<u64> {
    let mut position: Vec<u64> = shape
        .iter()
        .rev()
        .map(|len| {
            let len = (*len).max(1);
            let at = number % len;
            number /= len;
            at
        })
        .collect();
    position.reverse();
    position
}

fn reversed(shape: &[u64]) -> Vec<u64> {
    shape.iter().rev().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_of_consecutive_items() {
        for (shape, items, expected) in [
            (&[100][..], 30, Some(&[30][..])),
            (&[100], 100, Some(&[100])),
            (&[10, 20], 60, Some(&[3, 20])),
            (&[10, 20], 50, None),
            (&[10, 20], 5, Some(&[1, 5])),
            (&[10, 20], 7, None),
            (&[4, 6, 5], 10, Some(&[1, 2, 5])),
            (&[4, 6, 5], 20, None),
            (&[4, 6, 5], 30, Some(&[1, 6, 5])),
            (&[4, 6, 5], 90, Some(&[3, 6, 5])),
            (&[], 1, Some(&[])),
            (&[0, 5], 0, Some(&[1, 5])),
            (&[1, 1, 8], 4, Some(&[1, 1, 4])),
        ] {
            assert_eq!(chunkshape(shape, items).as_deref(), expected, "{shape:?} {items}");
        }
    }

    #[test]
    fn positions() {
        assert_eq!(unravelled(&[2, 3, 4], 23), [1, 2, 3]);
        assert_eq!(unravelled(&[2, 3, 4], 5), [0, 1, 1]);
        assert_eq!(unravelled(&[], 0), [0; 0]);
    }
}
