//! Errors in the wording of the original.

use crate::foreign;
use crate::path_or_stdio::PathOrStdio;
use bloscpack_format::bloscpack::Header;
use bloscpack_format::{FormatError, python_bytes_repr};
use bloscpack_io::Error;
use bloscpack_io::ReadAt;
use bloscpack_io::peek::prefix;

/// Returns the original's message about a file that it does not recognise, on one line.
pub(super) fn not_bloscpack(file: &dyn ReadAt, operand: &PathOrStdio) -> String {
    let found = prefix(file, Header::MAX_LEN).unwrap_or_default();
    let what = if found.len() < Header::MAX_LEN {
        format!("attempting to decode a bloscpack header of length '{}', not '{}'", found.len(), Header::MAX_LEN)
    } else {
        let found = python_bytes_repr(found.get(..4).unwrap_or_default());
        format!("the magic marker b'blpk' is missing from the bloscpack header, instead we found: {found}")
    };
    let advice = foreign::advice(&found).map_or(String::new(), |advice| format!("; {advice}"));
    format!("{what}. This might not be a bloscpack compressed file: '{operand}'{advice}")
}

/// Returns the original's message about an invalid header, with the offset, which the original does not print.
pub(super) fn of_reference(error: &Error) -> Option<String> {
    let Error::Format(error) = error else { return None };
    Some(match error {
        FormatError::OutOfRange { offset, field, value, min, max, .. } => {
            format!("'{field}' must be in the range {min} <= n <= {max}, not '{value}' (offset {offset})")
        }
        FormatError::LastChunkTooLarge { last_chunk, chunk_size } => {
            format!("'last_chunk' ({last_chunk}) is larger than 'chunk_size' ({chunk_size}) (offset 12)")
        }
        FormatError::UnknownChunkCount { max_app_chunks } if *max_app_chunks > 0 => {
            "'max_app_chunks' can not be non '0' if 'nchunks' is '-1' (offset 16)".into()
        }
        FormatError::UnsupportedVersion { found } => {
            format!("format version of file was not '3' as expected, but '{found}' (offset 4)")
        }
        FormatError::Truncated { part: bloscpack_format::Part::Header, needed, found } => {
            format!("attempting to decode a bloscpack header of length '{found}', not '{needed}'")
        }
        _ => return None,
    })
}
