//! Dictionaries, parsed or hashed once for many streams.

use crate::codec::{Codec, StreamError, lz4, zstd};
use crate::memory::{self, OutOfMemory};

/// A dictionary prepared for compression, once for all threads.
pub(crate) struct Dictionary(pub(super) Prepared);

pub(super) enum Prepared {
    Lz4(lz4::DictTable),
    Lz4Hc(lz4::HcDictTable),
    #[cfg(any(feature = "zstd", feature = "zstd-c"))]
    Zstd(zstd::EncodeDict),
}

impl Dictionary {
    /// Prepares a dictionary. Returns `None` for a codec without dictionaries.
    #[cfg_attr(
        not(any(feature = "zstd", feature = "zstd-c")),
        allow(unused_variables, reason = "only zstd prepares for a level")
    )]
    pub(crate) fn new(codec: Codec, clevel: u8, dictionary: &[u8]) -> Result<Option<Self>, OutOfMemory> {
        Ok(Some(Dictionary(match codec {
            Codec::Lz4 => Prepared::Lz4(lz4::DictTable::new(dictionary)?),
            Codec::Lz4Hc => Prepared::Lz4Hc(lz4::HcDictTable::new(dictionary)?),
            #[cfg(any(feature = "zstd", feature = "zstd-c"))]
            Codec::Zstd => match zstd::EncodeDict::new(dictionary, clevel) {
                Ok(dictionary) => Prepared::Zstd(dictionary),
                Err(StreamError::Corrupt(_) | StreamError::Plugin(_)) => return Ok(None),
                Err(StreamError::OutOfMemory(error)) => return Err(error),
            },
            _ => return Ok(None),
        })))
    }
}

/// The dictionary used last. Parsing one takes as long as decoding several blocks.
#[derive(Debug, Default)]
pub(crate) struct DictionaryCache {
    zstd: Option<(Vec<u8>, zstd::DecodeDict)>,
}

impl DictionaryCache {
    pub(super) fn get(&mut self, dictionary: &[u8]) -> Result<zstd::DecodeDict, StreamError> {
        match &self.zstd {
            Some((bytes, parsed)) if bytes == dictionary => Ok(parsed.clone()),
            _ => {
                let parsed = zstd::DecodeDict::new(dictionary)?;
                self.zstd = Some((memory::copy_of(dictionary)?, parsed.clone()));
                Ok(parsed)
            }
        }
    }
}
