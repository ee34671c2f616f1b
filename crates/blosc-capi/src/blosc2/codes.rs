//! The codes of errors, and those of the engine's errors.

use std::ffi::CStr;
use std::ops::RangeInclusive;

use crate::warning::warn;
use blosc_core::{DecodeError, EncodeError};

pub(crate) const FAILURE: i32 = -1;
pub(crate) const DATA: i32 = -3;
pub(crate) const MEMORY: i32 = -4;
pub(crate) const READ_BUFFER: i32 = -5;
pub(crate) const WRITE_BUFFER: i32 = -6;
pub(crate) const CODEC_SUPPORT: i32 = -7;
pub(crate) const CODEC_PARAM: i32 = -8;
const CODEC_DICT: i32 = -9;
pub(crate) const VERSION_SUPPORT: i32 = -10;
pub(crate) const INVALID_HEADER: i32 = -11;
pub(crate) const INVALID_PARAM: i32 = -12;
pub(crate) const FILE_READ: i32 = -13;
pub(crate) const FILE_WRITE: i32 = -14;
pub(crate) const FILE_OPEN: i32 = -15;
pub(crate) const NOT_FOUND: i32 = -16;
const RUN_LENGTH: i32 = -17;
const FILTER_PIPELINE: i32 = -18;
pub(crate) const CHUNK_INSERT: i32 = -19;
pub(crate) const CHUNK_APPEND: i32 = -20;
pub(crate) const CHUNK_UPDATE: i32 = -21;
pub(crate) const SCHUNK_COPY: i32 = -23;
pub(crate) const FRAME_SPECIAL: i32 = -28;
pub(crate) const SCHUNK_SPECIAL: i32 = -29;
pub(crate) const FILE_REMOVE: i32 = -31;
const POSTFILTER: i32 = -27;
pub(crate) const PLUGIN_IO: i32 = -30;
pub(crate) const NULL_POINTER: i32 = -32;
pub(crate) const INVALID_INDEX: i32 = -33;
pub(crate) const METALAYER_NOT_FOUND: i32 = -34;
pub(crate) const MAX_BUFSIZE: i32 = -35;
pub(crate) const TUNER: i32 = -36;
pub(crate) const LOCK: i32 = -37;

/// The last filter that C-Blosc2 has itself.
const LAST_BUILT_IN_FILTER: u8 = 36;

/// The texts of the codes -1, -2 and so on.
const TEXTS: [&CStr; 37] = [
    c"Generic failure",
    c"Bad stream",
    c"Invalid data",
    c"Memory alloc/realloc failure",
    c"Not enough space to read",
    c"Not enough space to write",
    c"Codec not supported",
    c"Invalid parameter supplied to codec",
    c"Codec dictionary error",
    c"Version not supported",
    c"Invalid value in header",
    c"Invalid parameter supplied to function",
    c"File read failure",
    c"File write failure",
    c"File open failure",
    c"Not found",
    c"Bad run length encoding",
    c"Filter pipeline error",
    c"Chunk insert failure",
    c"Chunk append failure",
    c"Chunk update failure",
    c"Sizes larger than 2gb not supported",
    c"Super-chunk copy failure",
    c"Wrong type for frame",
    c"File truncate failure",
    c"Thread or thread context creation failure",
    c"Postfilter failure",
    c"Special frame failure",
    c"Special super-chunk failure",
    c"IO plugin error",
    c"Remove file failure",
    c"Pointer is null",
    c"Invalid index",
    c"Metalayer has not been found",
    c"Maximum buffersize exceeded",
    c"Tuner failure",
    c"Frame lock failure",
];

/// Returns the text of a code.
pub(crate) fn text(code: i32) -> &'static CStr {
    let number = code.checked_neg().and_then(|number| usize::try_from(number).ok());
    let text = number.and_then(|number| number.checked_sub(1)).and_then(|index| TEXTS.get(index));
    text.copied().unwrap_or(c"Unknown error")
}

/// Returns `code`, after it printed the reason if the environment variable `BLOSC_TRACE` is set.
pub(crate) fn trace(code: i32, reason: std::fmt::Arguments<'_>) -> i32 {
    if std::env::var_os("BLOSC_TRACE").is_some() {
        warn(format_args!("[error] - {reason}"));
    }
    code
}

/// Refuses a call if `is_refused`, for a reason that is printed as that of [`trace`].
#[inline]
pub(crate) fn refuse_if(is_refused: bool, code: i32, reason: &str) -> Result<(), i32> {
    if is_refused { Err(trace(code, format_args!("{reason}"))) } else { Ok(()) }
}

/// Prints what a function does, if the program asks for that with the environment variable `BLOSC_INFO`.
pub(crate) fn inform(text: std::fmt::Arguments<'_>) {
    if std::env::var_os("BLOSC_INFO").is_some() {
        warn(format_args!("[INFO] - {text}"));
    }
}

/// Returns the code of an error of the engine.
pub(crate) fn of_decode(error: &DecodeError) -> i32 {
    let code = match error {
        DecodeError::HeaderTooShort { .. } => READ_BUFFER,
        DecodeError::Destination { .. } => WRITE_BUFFER,
        DecodeError::Version { .. } => VERSION_SUPPORT,
        DecodeError::Field { field, .. } => of_field(field),
        DecodeError::Place { what, found, min, max, .. } => of_place(what, *found, *min..=*max),
        DecodeError::Truncated { .. } | DecodeError::Unearned { .. } => READ_BUFFER,
        // Byte 31 has the kind of a chunk without blocks, which C-Blosc2 checks later than the other flags.
        DecodeError::Flags { offset: 31, .. } => DATA,
        DecodeError::Flags { .. } => INVALID_HEADER,
        DecodeError::UnknownCodec { .. }
        | DecodeError::UnregisteredCodec { .. }
        | DecodeError::CodecUnavailable { .. } => CODEC_SUPPORT,
        DecodeError::Filter { filter, .. } if filter.id() <= LAST_BUILT_IN_FILTER => FAILURE,
        DecodeError::Filter { .. } | DecodeError::FilterPlugin { .. } => FILTER_PIPELINE,
        DecodeError::Dictionary { .. } => CODEC_DICT,
        DecodeError::Lazy | DecodeError::Range { .. } => INVALID_PARAM,
        DecodeError::Postfilter { .. } => POSTFILTER,
        DecodeError::OutOfMemory(_) => MEMORY,
        _ => DATA,
    };
    trace(code, format_args!("{}", error.report()))
}

fn of_field(field: &str) -> i32 {
    match field {
        "the number of blocks" => READ_BUFFER,
        "the size of the dictionary" => CODEC_DICT,
        "cbytes" => DATA,
        "blocksize modulo the size of a value" => DATA,
        _ => INVALID_HEADER,
    }
}

/// Returns the code of a number that points outside the chunk.
fn of_place(what: &str, found: i64, range: RangeInclusive<i64>) -> i32 {
    match what {
        "csize" if found < 0 && *range.start() < 0 => RUN_LENGTH,
        "csize" => READ_BUFFER,
        // Within the chunk, but too close to its end for a number.
        "bstart" if found > *range.end() && found <= range.end() + 4 => READ_BUFFER,
        "the token of a run" => RUN_LENGTH,
        "the plain size" | "the end" => INVALID_HEADER,
        _ => DATA,
    }
}

/// Returns `code` for an error of a frame, or the code of missing memory.
pub(crate) fn of_frame(error: &bloscpack_io::Error, code: i32) -> i32 {
    let code = if error.kind() == blosc_core::ErrorKind::OutOfMemory { MEMORY } else { code };
    trace(code, format_args!("{}", error.report()))
}

/// Returns the code of an error of the engine, or 0 if the chunk does not fit.
pub(crate) fn of_encode(error: &EncodeError) -> i32 {
    let code = match error {
        EncodeError::Destination { .. } => return 0,
        EncodeError::Clevel { .. } | EncodeError::Codec { .. } => CODEC_PARAM,
        EncodeError::Typesize | EncodeError::BlockSize { .. } | EncodeError::EmptyBlock { .. } => INVALID_PARAM,
        EncodeError::Filter { .. } | EncodeError::FilterPlugin { .. } | EncodeError::Prefilter { .. } => {
            FILTER_PIPELINE
        }
        EncodeError::CodecUnavailable { .. } => CODEC_SUPPORT,
        EncodeError::TooLarge { .. } => MAX_BUFSIZE,
        EncodeError::OutOfMemory(_) => MEMORY,
        _ => DATA,
    };
    trace(code, format_args!("{}", error.report()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of a chunk, damaged one by one.
    #[test]
    fn damage_has_the_codes_of_the_original() {
        let plain: Vec<u8> = (0..50_u8).cycle().take(10_000).collect();
        let params = blosc_core::CParams::blosc2().typesize(1).clevel(5);
        let chunk = blosc_core::compress(&plain, &params).unwrap();
        let start = i32::from_le_bytes(*chunk[32..].first_chunk().unwrap()) as usize;
        let code = |at: usize, number: i32| {
            let mut chunk = chunk.clone();
            chunk[at..at + 4].copy_from_slice(&number.to_le_bytes());
            of_decode(&blosc_core::decompress(&chunk).unwrap_err())
        };
        assert_eq!((code(start, 1_000_000), code(start, -300)), (READ_BUFFER, RUN_LENGTH));
        assert_eq!((code(32, -1), code(32, 20), code(32, 1_000_000)), (DATA, DATA, DATA));
        assert_eq!(code(32, chunk.len() as i32 - 1), READ_BUFFER);
        assert_eq!((code(4, 1 << 30), code(8, 0), code(12, 20)), (READ_BUFFER, INVALID_HEADER, DATA));
    }

    #[test]
    fn every_code_has_its_text() {
        assert_eq!(text(FAILURE), c"Generic failure");
        assert_eq!(text(FILTER_PIPELINE), c"Filter pipeline error");
        assert_eq!(text(MAX_BUFSIZE), c"Maximum buffersize exceeded");
        for code in [0, 1, -38, i32::MIN, i32::MAX] {
            assert_eq!(text(code), c"Unknown error");
        }
    }
}
