//! Single streams: the one `match` over all codecs, with the state that each codec keeps between streams.

mod decode;
mod dictionary;
mod encode;

pub(crate) use decode::{StreamCodec, StreamDecoder};
pub(crate) use dictionary::{Dictionary, DictionaryCache};
pub(crate) use encode::StreamEncoder;
