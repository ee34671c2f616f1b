//! An open array: its directory, metadata and chunks.

use blosc_core::Limits;
use bloscpack_format::Format;
use bloscpack_format::numpy::{NumpyMeta, Order};
use bloscpack_format::zarr::{ArrayMeta, Version, ZARR_JSON_FILE, ZARRAY_FILE};

use super::geometry::Geometry;
use super::node::{Node, node_at};
use super::shards::Shards;
use crate::source::ReadDirectory;
use crate::{Activity, Error};

/// An open array.
pub(crate) struct OpenZarr<'a> {
    pub(super) dir: Box<dyn ReadDirectory + 'a>,
    pub(super) meta: ArrayMeta,
    pub(super) geometry: Geometry,
    pub(super) shards: Shards,
    pub(super) numpy: NumpyMeta,
}

impl<'a> OpenZarr<'a> {
    /// Opens the array in a directory. Only its metadata is read.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a group; [`Error::InFile`] if the metadata is damaged.
    pub(crate) fn open(dir: Box<dyn ReadDirectory + 'a>, limits: &Limits) -> Result<Self, Error> {
        match node_at(&*dir, "", limits)? {
            Some(Node::Array(meta)) => OpenZarr::new(dir, *meta),
            Some(Node::Group(_)) => Err(Error::Unsupported { format: Format::ZarrGroup }),
            None => Err(Error::Io { doing: Activity::Other("opening"), source: std::io::ErrorKind::NotFound.into() }
                .in_file(dir.name(ZARR_JSON_FILE))),
        }
    }

    /// Opens the array whose metadata is known.
    pub(crate) fn new(dir: Box<dyn ReadDirectory + 'a>, meta: ArrayMeta) -> Result<Self, Error> {
        let geometry = Geometry::new(&meta).map_err(|error| error.in_file(dir.name(metadata_file(&meta))))?;
        let numpy = NumpyMeta { dtype: meta.dtype.clone(), shape: meta.shape.clone(), order: Order::C };
        Ok(OpenZarr { dir, meta, geometry, shards: Shards::default(), numpy })
    }

    /// Returns the key of chunk `number`, or of its shard.
    pub(super) fn key(&self, number: u64) -> String {
        self.meta.keys.key(&self.geometry.locate(number).position)
    }

    /// Adds the key of chunk `number`, and its number, to an error of decoding it.
    pub(super) fn named(&self, number: u64, error: Error) -> Error {
        let error = match error {
            Error::Chunk { source, offset, .. } => Error::Chunk { chunk: number, offset, source },
            Error::Cancelled => return Error::Cancelled,
            error => error,
        };
        error.in_file(self.dir.name(&self.key(number)))
    }
}

/// Returns the file with the metadata of an array.
pub(super) fn metadata_file(meta: &ArrayMeta) -> &'static str {
    match meta.version {
        Version::V2 => ZARRAY_FILE,
        Version::V3 => ZARR_JSON_FILE,
    }
}
