//! Why a chunk could not be decoded, or data not encoded: where, what was found, what was expected.

mod decode;
mod encode;
mod io;
mod location;
mod report;

pub use decode::DecodeError;
pub use encode::EncodeError;
pub use location::Location;
pub use report::Report;
