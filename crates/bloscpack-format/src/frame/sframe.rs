//! Sparse frames: a directory with a frame without data and a file for each chunk.
//!
//! ```text
//! name.b2frame/chunks.b2frame     header | index | trailer
//! name.b2frame/00000000.chunk     the chunk whose entry in the index is 0
//! name.b2frame/0000000A.chunk     … 10
//! ```
//!
//! Entries of the index are file numbers, not offsets. A number is not reused for another chunk while any frame on disk
//! may still refer to the old one.

/// The file that identifies a directory as a sparse frame.
pub const INDEX_FILE: &str = "chunks.b2frame";

const SUFFIX: &str = ".chunk";
const DIGITS: usize = 8;

/// Returns the name of chunk file `number`.
///
/// ```
/// assert_eq!(bloscpack_format::frame::sframe::chunk_file_name(300), "0000012C.chunk");
/// ```
#[must_use]
pub fn chunk_file_name(number: u32) -> String {
    format!("{number:0DIGITS$X}{SUFFIX}")
}

/// Returns the number of a chunk file, `None` for any other file. C-Blosc2 would not open names with lower-case digits.
#[must_use]
pub fn chunk_file_number(name: &str) -> Option<u32> {
    let number = u32::from_str_radix(name.strip_suffix(SUFFIX)?, 16).ok()?;
    (chunk_file_name(number) == name).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_and_nothing_else_is_one() {
        for number in [0, 9, 10, 0xABCDEF, u32::MAX] {
            assert_eq!(chunk_file_number(&chunk_file_name(number)), Some(number));
        }
        for name in ["chunks.b2frame", "0000000a.chunk", "+000000A.chunk", "0.chunk", "100000000.chunk", "00000000"] {
            assert_eq!(chunk_file_number(name), None, "{name}");
        }
    }
}
