//! Options for converting.

use std::sync::Arc;

use blosc_core::{Auto, Codec, FilterPipeline, Limits, SplitMode};
use bloscpack_format::Json;
use bloscpack_format::bloscpack::{MaxAppChunks, MetadataArgs};
use bloscpack_format::checksum::Checksum;
use bloscpack_format::zarr::Version;

use super::event::Observer;
use super::open::Typing;
use crate::target::ConvertOption;
use crate::{Cancel, Threads};

/// Options for converting. Unset options have the value of the input, or the default of the target's writer.
///
/// Setters of optional values take `Some`, `None` or the value itself. An option that the target does not have is an
/// [`Error::UnfitOption`](crate::Error::UnfitOption). The exceptions are codec, level, typesize and filters: targets
/// without compression ignore these.
///
/// ```
/// use bloscpack_io::{Codec, ConvertOptions};
/// let options = ConvertOptions::new().codec(Codec::Zstd).chunkshape(vec![100, 100]).overwrite(true);
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct ConvertOptions {
    pub(crate) typing: Typing,
    pub(crate) column: Option<String>,
    pub(crate) typesize: Option<u32>,
    pub(crate) auto: Option<Auto>,
    pub(crate) recompress: bool,
    pub(crate) codec: Option<Codec>,
    pub(crate) clevel: Option<u8>,
    pub(crate) filters: Option<FilterPipeline>,
    pub(crate) split: Option<SplitMode>,
    pub(crate) dictionary: bool,
    pub(crate) blocksize: Option<u32>,
    pub(crate) chunk_size: Option<u32>,
    pub(crate) chunkshape: Option<Vec<u32>>,
    pub(crate) blockshape: Option<Vec<u32>>,
    pub(crate) checksum: Option<Checksum>,
    pub(crate) offsets: Option<bool>,
    pub(crate) max_app_chunks: Option<MaxAppChunks>,
    /// Shared: metadata may be large, and options are cloned.
    pub(crate) metadata: Option<Arc<Json>>,
    pub(crate) metadata_args: Option<MetadataArgs>,
    pub(crate) zarr_format: Option<Version>,
    pub(crate) write_empty_chunks: bool,
    pub(crate) verify: bool,
    pub(crate) limits: Limits,
    pub(crate) overwrite: bool,
    pub(crate) threads: Threads,
    pub(crate) cancel: Cancel,
    pub(crate) observer: Observer,
}

impl ConvertOptions {
    /// Everything as in the input. An existing output is refused.
    pub fn new() -> Self {
        ConvertOptions::default()
    }

    /// The dtype and shape of the items. With a dtype, an input of unrecognised format is read as raw bytes.
    pub fn typing(mut self, typing: Typing) -> Self {
        self.typing = typing;
        self
    }

    /// The column of a table to convert; `None` for all columns.
    pub fn column<'n>(mut self, name: impl Into<Option<&'n str>>) -> Self {
        self.column = name.into().map(str::to_owned);
        self
    }

    /// The size of an item in bytes.
    pub fn typesize(mut self, typesize: impl Into<Option<u32>>) -> Self {
        self.typesize = typesize.into();
        self
    }

    /// Chooses the compression of each chunk for its data, except for the options that are set. The typesize is that of the
    /// items, if they are known. `None` turns it off.
    pub fn auto(mut self, auto: impl Into<Option<Auto>>) -> Self {
        self.auto = auto.into();
        self
    }

    /// Whether chunks are decoded and compressed again, even if their compressed bytes could be copied. Setting codec,
    /// level, filters, typesize, split mode or [`auto`](Self::auto) has the same effect. Targets without Blosc1 chunks ignore
    /// it.
    pub fn recompress(mut self, recompress: bool) -> Self {
        self.recompress = recompress;
        self
    }

    /// The codec.
    pub fn codec(mut self, codec: impl Into<Option<Codec>>) -> Self {
        self.codec = codec.into();
        self
    }

    /// The compression level, 0..=9.
    pub fn clevel(mut self, clevel: impl Into<Option<u8>>) -> Self {
        self.clevel = clevel.into();
        self
    }

    /// The filters.
    pub fn filters(mut self, filters: impl Into<Option<FilterPipeline>>) -> Self {
        self.filters = filters.into();
        self
    }

    /// Whether blocks are split into one stream for each byte of an element.
    pub fn split(mut self, split: impl Into<Option<SplitMode>>) -> Self {
        self.split = split.into();
        self
    }

    /// Whether the blocks of a frame's chunk share a dictionary.
    pub fn dictionary(mut self, dictionary: bool) -> Self {
        self.dictionary = dictionary;
        self
    }

    /// The size of a frame's block in bytes; 0 selects it automatically.
    pub fn blocksize(mut self, blocksize: impl Into<Option<u32>>) -> Self {
        self.blocksize = blocksize.into();
        self
    }

    /// The uncompressed size of a chunk of a bloscpack file or a frame, in bytes.
    pub fn chunk_size(mut self, chunk_size: impl Into<Option<u32>>) -> Self {
        self.chunk_size = chunk_size.into();
        self
    }

    /// The items of a chunk along each axis of an array. In bcolz the first number is the rows of a chunk.
    pub fn chunkshape(mut self, chunkshape: impl Into<Option<Vec<u32>>>) -> Self {
        self.chunkshape = chunkshape.into();
        self
    }

    /// The items of a block along each axis of an array in a frame.
    pub fn blockshape(mut self, blockshape: impl Into<Option<Vec<u32>>>) -> Self {
        self.blockshape = blockshape.into();
        self
    }

    /// The checksum of the chunks of a bloscpack file.
    pub fn checksum(mut self, checksum: impl Into<Option<Checksum>>) -> Self {
        self.checksum = checksum.into();
        self
    }

    /// Whether a bloscpack file stores the offsets of its chunks.
    pub fn offsets(mut self, offsets: impl Into<Option<bool>>) -> Self {
        self.offsets = offsets.into();
        self
    }

    /// Room reserved for the offsets of chunks that are appended to a bloscpack file later.
    pub fn max_app_chunks(mut self, max_app_chunks: impl Into<Option<MaxAppChunks>>) -> Self {
        self.max_app_chunks = max_app_chunks.into();
        self
    }

    /// The metadata of a bloscpack file, instead of the input's attributes.
    pub fn metadata(mut self, metadata: impl Into<Option<Json>>) -> Self {
        self.metadata = metadata.into().map(Arc::new);
        self
    }

    /// How the metadata of a bloscpack file is stored.
    pub fn metadata_args(mut self, metadata_args: impl Into<Option<MetadataArgs>>) -> Self {
        self.metadata_args = metadata_args.into();
        self
    }

    /// Whether a new bloscpack file is verified before it gets its name. See
    /// [`PackOptions::verify`](crate::PackOptions::verify).
    pub fn verify(mut self, verify: bool) -> Self {
        self.verify = verify;
        self
    }

    /// The version of the Zarr format; `None` for version 3.
    pub fn zarr_format(mut self, version: impl Into<Option<Version>>) -> Self {
        self.zarr_format = version.into();
        self
    }

    /// Whether a Zarr array stores chunks that consist of its fill value: zero, or that of a Zarr input. By default they
    /// are left out, and readers take them for fill values.
    pub fn write_empty_chunks(mut self, write_empty_chunks: bool) -> Self {
        self.write_empty_chunks = write_empty_chunks;
        self
    }

    /// Limits for reading the input.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The options that are set and that not every target has.
    pub(crate) fn set_options(&self) -> impl Iterator<Item = ConvertOption> {
        [
            (ConvertOption::Column, self.column.is_some()),
            (ConvertOption::ChunkSize, self.chunk_size.is_some()),
            (ConvertOption::Chunkshape, self.chunkshape.is_some()),
            (ConvertOption::Blockshape, self.blockshape.is_some()),
            (ConvertOption::Blocksize, self.blocksize.is_some()),
            (ConvertOption::Split, self.split.is_some()),
            (ConvertOption::Dictionary, self.dictionary),
            (ConvertOption::Checksum, self.checksum.is_some()),
            (ConvertOption::Offsets, self.offsets.is_some()),
            (ConvertOption::MaxAppChunks, self.max_app_chunks.is_some()),
            (ConvertOption::Metadata, self.metadata.is_some()),
            (ConvertOption::MetadataArgs, self.metadata_args.is_some()),
            (ConvertOption::ZarrFormat, self.zarr_format.is_some()),
            (ConvertOption::WriteEmptyChunks, self.write_empty_chunks),
            (ConvertOption::Verify, self.verify),
        ]
        .into_iter()
        .filter_map(|(option, is_set)| is_set.then_some(option))
    }
}
