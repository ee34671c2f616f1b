//! The metadata of arrays and groups: what both versions have in common.

use super::basics::{MAX_CHUNK_NBYTES, Version};
use super::fields;
use super::{Codecs, Consolidated, Fill, KeyEncoding, ZarrError};
use crate::axes::product;
use crate::bcolz::Attrs;
use crate::error::FormatError;
use crate::numpy::Dtype;

/// The metadata of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayMeta {
    /// The version of the format.
    pub version: Version,
    /// Items along each axis. All items together take at most 2⁶³ - 1 bytes.
    pub shape: Vec<u64>,
    /// Items of a chunk along each axis. Has the same number of axes. Greater than 0 where the shape is. With sharding,
    /// the chunks in a shard; the shape of a shard is in [`Codecs::sharding`]. A chunk takes at most
    /// [`MAX_CHUNK_NBYTES`].
    pub chunkshape: Vec<u64>,
    /// The dtype of the items, with the byte order in which they are stored.
    pub dtype: Dtype,
    /// The value of items that are not stored.
    pub fill: Fill,
    /// The keys of chunks, or of shards.
    pub keys: KeyEncoding,
    /// How a chunk is stored.
    pub codecs: Codecs,
    /// The attributes of the user.
    pub attributes: Attrs,
    /// Names of the axes. Version 2 has none.
    pub dimension_names: Option<Vec<Option<String>>>,
}

impl ArrayMeta {
    /// Creates the metadata of an array without compression, with the keys and the order that the version uses by
    /// default.
    #[must_use]
    pub fn new(version: Version, shape: Vec<u64>, chunkshape: Vec<u64>, dtype: Dtype) -> Self {
        let keys = match version {
            Version::V2 => KeyEncoding::V2,
            Version::V3 => KeyEncoding::V3,
        };
        ArrayMeta {
            version,
            shape,
            chunkshape,
            dtype,
            fill: Fill::zeros(),
            keys,
            codecs: Codecs::default(),
            attributes: Attrs::default(),
            dimension_names: None,
        }
    }

    /// Returns the number of axes.
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Returns the uncompressed size of a chunk in bytes.
    #[must_use]
    pub fn chunk_nbytes(&self) -> u64 {
        product(&self.chunkshape, self.dtype.itemsize()).unwrap_or(u64::MAX)
    }

    /// Returns the shape of the unit that has a key: of a shard, or else of a chunk.
    #[must_use]
    pub fn stored_shape(&self) -> &[u64] {
        self.codecs.sharding.as_ref().map_or(&self.chunkshape, |sharding| &sharding.shape)
    }

    /// Returns the number of chunks of a shard along each axis. Without sharding, that is 1.
    #[must_use]
    pub fn chunks_in_shard(&self) -> Vec<u64> {
        let axes = self.stored_shape().iter().zip(&self.chunkshape);
        axes.map(|(shard, chunk)| shard.checked_div(*chunk).unwrap_or(1)).collect()
    }

    /// Refuses sizes that are not supported, and shards that are not made of whole chunks.
    ///
    /// # Errors
    ///
    /// [`ZarrError::ItemSize`], [`ZarrError::ShapeTooLarge`], [`ZarrError::ChunkTooLarge`], [`ZarrError::Value`].
    pub fn check(&self) -> Result<(), FormatError> {
        let itemsize = self.dtype.itemsize();
        if itemsize == 0 {
            return Err(ZarrError::ItemSize.into());
        }
        // An axis of length 0 counts as 1: the steps between items must not overflow.
        let axes: Vec<u64> = self.shape.iter().map(|len| (*len).max(1)).collect();
        if product(&axes, itemsize).is_none_or(|nbytes| i64::try_from(nbytes).is_err()) {
            return Err(ZarrError::ShapeTooLarge.into());
        }
        let found = product(&self.chunkshape, itemsize);
        if found.is_none_or(|nbytes| nbytes > MAX_CHUNK_NBYTES)
            || self.chunkshape.iter().any(|len| *len > MAX_CHUNK_NBYTES)
        {
            return Err(ZarrError::ChunkTooLarge { found, max: MAX_CHUNK_NBYTES }.into());
        }
        if let Some(sharding) = &self.codecs.sharding {
            sharding.check(&self.chunkshape)?;
        }
        if let Some(order) = &self.codecs.transpose {
            let mut axes: Vec<usize> = order.clone();
            axes.sort_unstable();
            if !axes.iter().copied().eq(0..self.ndim()) {
                let found = fields::json_lengths(&order.iter().map(|axis| *axis as u64).collect::<Vec<_>>());
                return Err(fields::bad("order", &found, "each axis once").into());
            }
        }
        Ok(())
    }
}

/// The metadata of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupMeta {
    /// The version of the format.
    pub version: Version,
    /// The attributes of the user.
    pub attributes: Attrs,
    /// The metadata of all arrays and groups in the group, if stored with it.
    pub consolidated: Option<Consolidated>,
}

impl GroupMeta {
    /// Creates the metadata of a group without attributes.
    #[must_use]
    pub fn new(version: Version) -> Self {
        GroupMeta { version, attributes: Attrs::default(), consolidated: None }
    }
}
