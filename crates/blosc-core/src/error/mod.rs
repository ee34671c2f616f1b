//! Why a chunk could not be decoded, or data not encoded: where, what was found, what was expected.

mod decode;
mod encode;
mod io;

pub use decode::DecodeError;
pub use encode::EncodeError;
