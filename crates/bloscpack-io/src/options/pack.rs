//! Options for packing.

use std::sync::Arc;

use blosc_core::{Auto, CParams, Codec, FilterPipeline};
use bloscpack_format::Json;
use bloscpack_format::bloscpack::{DEFAULT_CHUNK_SIZE, MaxAppChunks, MetadataArgs};
use bloscpack_format::checksum::Checksum;

use super::event::Observer;
use crate::{Cancel, Threads};

/// Options for packing.
///
/// ```
/// use bloscpack_io::{Codec, PackOptions};
/// let options = PackOptions::new().codec(Codec::Zstd).typesize(4).chunk_size(4 << 20);
/// ```
#[derive(Debug, Clone)]
pub struct PackOptions {
    pub(crate) params: CParams,
    pub(crate) auto: Option<Auto>,
    pub(crate) chunk_size: u64,
    pub(crate) offsets: bool,
    pub(crate) checksum: Checksum,
    pub(crate) max_app_chunks: MaxAppChunks,
    /// Shared: metadata may be large, and options are cloned.
    pub(crate) metadata: Option<Arc<Json>>,
    pub(crate) metadata_args: MetadataArgs,
    pub(crate) plain_checksum: Checksum,
    pub(crate) verify: bool,
    pub(crate) overwrite: bool,
    pub(crate) threads: Threads,
    pub(crate) cancel: Cancel,
    pub(crate) observer: Observer,
}

impl PackOptions {
    /// The defaults of the original bloscpack: BloscLZ level 7, typesize 8, shuffle, chunks of 1 MiB with offsets and
    /// Adler-32, no metadata. Room is reserved for appending ten times the number of chunks.
    pub fn new() -> Self {
        PackOptions {
            params: CParams::new().codec(Codec::BloscLz).clevel(7).typesize(8),
            auto: None,
            chunk_size: DEFAULT_CHUNK_SIZE.into(),
            offsets: true,
            checksum: Checksum::Adler32,
            max_app_chunks: MaxAppChunks::default(),
            metadata: None,
            metadata_args: MetadataArgs::default(),
            plain_checksum: Checksum::None,
            verify: false,
            overwrite: false,
            threads: Threads::default(),
            cancel: Cancel::default(),
            observer: Observer::default(),
        }
    }

    /// Replaces all compression parameters, including the level: the default of [`CParams::new`] is 5, here it is 7.
    /// The setters [`codec`](PackOptions::codec), [`clevel`](PackOptions::clevel), [`typesize`](PackOptions::typesize)
    /// and [`filters`](PackOptions::filters) change one parameter and keep the others. A bloscpack file has Blosc1
    /// chunks only: packing refuses parameters of Blosc2 chunks.
    ///
    /// ```
    /// use bloscpack_io::blosc_core::{BlockSize, CParams};
    /// use bloscpack_io::PackOptions;
    /// let options = PackOptions::new().params(CParams::new().blocksize(BlockSize::Fixed(64 << 10))).clevel(7);
    /// ```
    pub fn params(mut self, params: CParams) -> Self {
        self.params = params;
        self
    }

    /// The codec of the chunks. Packing refuses a codec that this build lacks.
    pub fn codec(mut self, codec: Codec) -> Self {
        self.params = self.params.codec(codec);
        self
    }

    /// The compression level, 0..=9. 0 stores the data; 9 compresses best and may be much slower. Packing refuses other
    /// levels.
    pub fn clevel(mut self, clevel: u8) -> Self {
        self.params = self.params.clevel(clevel);
        self
    }

    /// The size of one element in bytes, 1..=255: 8 for `f64`. Packing refuses other sizes.
    pub fn typesize(mut self, typesize: usize) -> Self {
        self.params = self.params.typesize(typesize);
        self
    }

    /// The filters that run before the codec: shuffle, bitshuffle or none. Packing refuses others.
    pub fn filters(mut self, filters: FilterPipeline) -> Self {
        self.params = self.params.filters(filters);
        self
    }

    /// Chooses the parameters of each chunk for its data, except those that `auto` fixes. All others of these options are
    /// then ignored. `None` turns it off.
    ///
    /// ```
    /// use bloscpack_io::{Archive, Auto, Goal, PackOptions};
    /// let plain: Vec<u8> = (0..300_000u32).flat_map(u32::to_le_bytes).collect();
    /// let packed = bloscpack_io::pack_bytes(&plain, &PackOptions::new().auto(Auto::new(Goal::Balanced)))?;
    /// assert!(packed.len() < plain.len() / 100);
    /// # Ok::<(), bloscpack_io::Error>(())
    /// ```
    pub fn auto(mut self, auto: impl Into<Option<Auto>>) -> Self {
        self.auto = auto.into();
        self
    }

    /// The uncompressed size of each chunk but the last. Larger chunks compress better; smaller ones make partial reads
    /// faster.
    pub fn chunk_size(mut self, chunk_size: u64) -> Self {
        self.chunk_size = chunk_size;
        self
    }

    /// Whether the file stores the offsets of its chunks. Without them, a reader walks from chunk to chunk, but the
    /// file can be written to a pipe as it grows.
    pub fn offsets(mut self, offsets: bool) -> Self {
        self.offsets = offsets;
        self
    }

    /// The checksum of the chunks.
    pub fn checksum(mut self, checksum: Checksum) -> Self {
        self.checksum = checksum;
        self
    }

    /// Room reserved for chunks that are appended later, eight bytes for each. Has no effect without offsets.
    pub fn max_app_chunks(mut self, max_app_chunks: MaxAppChunks) -> Self {
        self.max_app_chunks = max_app_chunks;
        self
    }

    /// Metadata to store with the data.
    pub fn metadata(mut self, metadata: Option<Json>) -> Self {
        self.metadata = metadata.map(Arc::new);
        self
    }

    /// How the metadata is stored.
    pub fn metadata_args(mut self, metadata_args: MetadataArgs) -> Self {
        self.metadata_args = metadata_args;
        self
    }

    /// A checksum of all uncompressed bytes. It is not stored;
    /// [`PackReport::plain_digest`](crate::PackReport::plain_digest) returns it.
    pub fn plain_checksum(mut self, checksum: Checksum) -> Self {
        self.plain_checksum = checksum;
        self
    }

    /// Whether a new file is verified before it gets its name: it is read from the disk and decoded, and its
    /// uncompressed bytes are compared with those that were packed. This adds the time of unpacking. A device or pipe
    /// cannot be read again and gives [`Error::NotAsWritten`](crate::Error::NotAsWritten). Outputs in memory and
    /// writers are not read again.
    pub fn verify(mut self, verify: bool) -> Self {
        self.verify = verify;
        self
    }
}

impl Default for PackOptions {
    fn default() -> Self {
        PackOptions::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The default level is 7, not that of `CParams`.
    #[test]
    fn setters_change_one_parameter_and_keep_the_others() {
        let default = CParams::new().codec(Codec::BloscLz).clevel(7).typesize(8);
        let is = |options: PackOptions, params: CParams| assert_eq!(options.params, params);
        is(PackOptions::new(), default);
        is(PackOptions::new().codec(Codec::Zstd), default.codec(Codec::Zstd));
        is(PackOptions::new().clevel(2), default.clevel(2));
        is(PackOptions::new().typesize(4), default.typesize(4));
        let filters = FilterPipeline::bitshuffle();
        is(PackOptions::new().filters(filters), default.filters(filters));
        is(PackOptions::new().clevel(9).params(CParams::new()), CParams::new());
    }
}
