//! How to pack, unpack and append: builders with the original bloscpack's defaults.

use std::fmt;
use std::sync::Arc;

use blosc_core::{CParams, Codec, FilterPipeline, Limits};
use bloscpack_format::Json;
use bloscpack_format::bloscpack::{DEFAULT_CHUNK_SIZE, Header, MaxAppChunks, MetadataArgs, MetadataHeader};
use bloscpack_format::checksum::{Checksum, Digest};

use crate::{Cancel, Threads};

/// What an operation tells while it runs; for progress and verbose output.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The bloscpack header that was read or is written.
    Header(&'a Header),
    /// The metadata section that was read or is written.
    Metadata {
        /// Its header.
        header: &'a MetadataHeader,
        /// Its content.
        value: &'a Json,
    },
    /// A chunk has been read or written, in order.
    Chunk {
        /// Its number.
        chunk: u64,
        /// Whether it is the last one, as far as that is known.
        last: bool,
        /// Its plain size.
        nbytes: u64,
        /// Its compressed size, without the digest.
        cbytes: u64,
        /// Its digest.
        digest: &'a Digest,
    },
    /// The offsets that were read or are written: all entries, spare ones as -1.
    Offsets(&'a [i64]),
    /// A conversion has so many plain bytes before it.
    Begin {
        /// All plain bytes.
        nbytes: u64,
    },
    /// So many plain bytes more have been decoded or converted.
    Plain(u64),
}

/// What is done with an [`Event`], from whatever thread.
type Listener = dyn Fn(Event<'_>) + Send + Sync;

/// Somebody who listens to [`Event`]s.
#[derive(Clone, Default)]
pub(crate) struct Observer(Option<Arc<Listener>>);

impl Observer {
    pub(crate) fn new(observer: impl Fn(Event<'_>) + Send + Sync + 'static) -> Self {
        Observer(Some(Arc::new(observer)))
    }

    pub(crate) fn tell(&self, event: Event<'_>) {
        if let Some(observer) = &self.0 {
            observer(event);
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Observer" } else { "no observer" })
    }
}

/// How to pack.
///
/// ```
/// use bloscpack_io::{Codec, PackOptions};
/// let options = PackOptions::new().codec(Codec::Zstd).typesize(4).chunk_size(4 << 20);
/// ```
#[derive(Debug, Clone)]
pub struct PackOptions {
    pub(crate) params: CParams,
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
    /// The original's defaults: BloscLZ level 7, typesize 8, shuffle, chunks of 1 MiB with offsets and Adler-32, room for
    /// ten times as many chunks to be appended, no metadata.
    pub fn new() -> Self {
        PackOptions {
            params: CParams::new().codec(Codec::BloscLz).clevel(7).typesize(8),
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

    /// Replaces all parameters of compression, the level included: that of [`CParams::new`] is 5, here the default is 7. The
    /// setters [`codec`](PackOptions::codec), [`clevel`](PackOptions::clevel), [`typesize`](PackOptions::typesize) and
    /// [`filters`](PackOptions::filters) change one parameter and keep the others. A bloscpack file has Blosc1 chunks only:
    /// parameters of Blosc2 chunks are refused when packing starts.
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

    /// The compression level, 0..=9: 0 stores, 9 is smallest and may be much slower. Packing refuses other levels.
    pub fn clevel(mut self, clevel: u8) -> Self {
        self.params = self.params.clevel(clevel);
        self
    }

    /// Bytes of one element, 1..=255: 8 for `f64`. Packing refuses other sizes.
    pub fn typesize(mut self, typesize: usize) -> Self {
        self.params = self.params.typesize(typesize);
        self
    }

    /// The filters that run before the codec: shuffle, bitshuffle or none. Packing refuses others.
    pub fn filters(mut self, filters: FilterPipeline) -> Self {
        self.params = self.params.filters(filters);
        self
    }

    /// Plain bytes in each chunk but the last. Larger chunks compress better, smaller ones are read in part faster.
    pub fn chunk_size(mut self, chunk_size: u64) -> Self {
        self.chunk_size = chunk_size;
        self
    }

    /// Whether the file tells where its chunks lie. Without, parts are found by walking from chunk to chunk, but the
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

    /// Room for chunks to be appended, eight bytes for each. Means nothing without offsets.
    pub fn max_app_chunks(mut self, max_app_chunks: MaxAppChunks) -> Self {
        self.max_app_chunks = max_app_chunks;
        self
    }

    /// Metadata to be stored with the data.
    pub fn metadata(mut self, metadata: Option<Json>) -> Self {
        self.metadata = metadata.map(Arc::new);
        self
    }

    /// How the metadata is stored.
    pub fn metadata_args(mut self, metadata_args: MetadataArgs) -> Self {
        self.metadata_args = metadata_args;
        self
    }

    /// A checksum of all plain bytes, which is not stored: [`PackReport::plain_digest`](crate::PackReport::plain_digest)
    /// has it.
    pub fn plain_checksum(mut self, checksum: Checksum) -> Self {
        self.plain_checksum = checksum;
        self
    }

    /// Whether a file that was written is read from the disk and decoded, and its plain bytes are compared with those that
    /// were packed, before it takes its place. Takes as long again as unpacking. An output that is no file cannot be read
    /// again: that is [`Error::NotAsWritten`](crate::Error::NotAsWritten); of [`pack_stream`](crate::pack_stream) and
    /// [`pack_bytes`](crate::pack_bytes) nothing is read.
    pub fn verify(mut self, verify: bool) -> Self {
        self.verify = verify;
        self
    }
}

/// How to unpack, verify or read.
#[derive(Debug, Clone, Default)]
pub struct UnpackOptions {
    pub(crate) limits: Limits,
    pub(crate) overwrite: bool,
    pub(crate) threads: Threads,
    pub(crate) cancel: Cancel,
    pub(crate) observer: Observer,
}

impl UnpackOptions {
    /// All threads of the current pool, default limits.
    pub fn new() -> Self {
        UnpackOptions::default()
    }

    /// What the input may cost. [`Limits::max_nbytes`] bounds only what is put together in memory.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// How to append. What is not set stays as the file has it, or as [`PackOptions::new`] says.
#[derive(Debug, Clone)]
pub struct AppendOptions {
    pub(crate) codec: Codec,
    pub(crate) clevel: u8,
    pub(crate) filters: FilterPipeline,
    pub(crate) typesize: Option<usize>,
    pub(crate) metadata: Option<Json>,
    pub(crate) limits: Limits,
    pub(crate) threads: Threads,
    pub(crate) cancel: Cancel,
    pub(crate) observer: Observer,
}

impl AppendOptions {
    /// BloscLZ level 7, shuffle, the typesize of the file, metadata unchanged.
    pub fn new() -> Self {
        AppendOptions {
            codec: Codec::BloscLz,
            clevel: 7,
            filters: FilterPipeline::shuffle(),
            typesize: None,
            metadata: None,
            limits: Limits::new(),
            threads: Threads::default(),
            cancel: Cancel::default(),
            observer: Observer::default(),
        }
    }

    /// The codec of the new chunks.
    pub fn codec(mut self, codec: Codec) -> Self {
        self.codec = codec;
        self
    }

    /// The level of the new chunks, 0..=9.
    pub fn clevel(mut self, clevel: u8) -> Self {
        self.clevel = clevel;
        self
    }

    /// The filters of the new chunks.
    pub fn filters(mut self, filters: FilterPipeline) -> Self {
        self.filters = filters;
        self
    }

    /// The typesize of the new chunks in bytes; `None` for the file's.
    pub fn typesize(mut self, typesize: impl Into<Option<usize>>) -> Self {
        self.typesize = typesize.into();
        self
    }

    /// What reading the file may cost.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Metadata to replace the file's; `None` leaves it.
    pub fn metadata(mut self, metadata: Option<Json>) -> Self {
        self.metadata = metadata;
        self
    }
}

impl Default for PackOptions {
    fn default() -> Self {
        PackOptions::new()
    }
}

impl Default for AppendOptions {
    fn default() -> Self {
        AppendOptions::new()
    }
}

macro_rules! running {
    ($($options:ty),*) => {$(
        impl $options {
            /// Who does the work. The bytes that come out are the same.
            pub fn threads(mut self, threads: Threads) -> Self {
                self.threads = threads;
                self
            }

            /// A switch that calls the operation off.
            pub fn cancel(mut self, cancel: Cancel) -> Self {
                self.cancel = cancel;
                self
            }

            /// Somebody to be told what happens.
            pub fn observe(mut self, observer: impl Fn(Event<'_>) + Send + Sync + 'static) -> Self {
                self.observer = Observer::new(observer);
                self
            }
        }
    )*};
}

running!(PackOptions, UnpackOptions, AppendOptions);

macro_rules! overwriting {
    ($($options:ty),*) => {$(
        impl $options {
            /// Whether an output that exists is replaced rather than refused.
            pub fn overwrite(mut self, overwrite: bool) -> Self {
                self.overwrite = overwrite;
                self
            }
        }
    )*};
}

overwriting!(PackOptions, UnpackOptions);

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

    #[test]
    fn a_typesize_to_append_with_is_a_number_or_none() {
        assert_eq!(AppendOptions::new().typesize(4).typesize, Some(4));
        assert_eq!(AppendOptions::new().typesize(Some(4)).typesize(None).typesize, None);
    }
}
