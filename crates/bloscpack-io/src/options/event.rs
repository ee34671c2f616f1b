//! The events that an operation reports while it runs.

use std::fmt;
use std::sync::Arc;

use blosc_core::{CParams, Candidate};
use bloscpack_format::Json;
use bloscpack_format::bloscpack::{Header, MetadataHeader};
use bloscpack_format::checksum::Digest;

/// An event that an operation reports while it runs, for progress and verbose output.
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
    /// A chunk has been read or written. Chunks are reported in order.
    Chunk {
        /// Its number.
        chunk: u64,
        /// Whether it is the last one, as far as that is known.
        last: bool,
        /// Its uncompressed size.
        nbytes: u64,
        /// Its compressed size, without the digest.
        cbytes: u64,
        /// Its digest.
        digest: &'a Digest,
    },
    /// Blocks of a chunk have been decoded to read a part of the container.
    Decoded {
        /// The number of the chunk.
        chunk: u64,
        /// The plain bytes of these blocks. 0 for a chunk that repeats a value or is stored uncompressed.
        nbytes: u64,
    },
    /// Automatic choice uses other parameters from a chunk on.
    Choice {
        /// The number of the chunk.
        chunk: u64,
        /// The parameters. The size of blocks is adapted to the length of each chunk.
        params: &'a CParams,
        /// The candidates of the search that they were chosen by, best first.
        tried: &'a [Candidate],
    },
    /// The offsets that were read or are written: all entries, with -1 for spare ones.
    Offsets(&'a [i64]),
    /// A conversion starts.
    Begin {
        /// The total number of uncompressed bytes.
        nbytes: u64,
    },
    /// This number of further uncompressed bytes has been decoded or converted.
    Plain(u64),
}

/// A function that receives [`Event`]s, from any thread.
type Listener = dyn Fn(Event<'_>) + Send + Sync;

/// The receiver of [`Event`]s, if there is one.
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
