//! Errors of decoding and encoding: the position, the value found, and the value expected.

mod decode;
mod encode;
mod io;
mod location;
mod report;

pub use decode::DecodeError;
pub use encode::EncodeError;
pub use location::Location;
pub use report::Report;
