//! Why a chunk could not be decoded, data not encoded, or a name not read: where, what was found, what was expected.

mod decode;
mod encode;
mod io;
mod name;

pub use decode::DecodeError;
pub use encode::EncodeError;
pub use name::NameError;
