//! The report on a salvaged bloscpack file: chunks that were kept, and everything that was lost.

use std::fmt;
use std::ops::Range;

use bloscpack_format::checksum::Checksum;

/// The result of salvaging a bloscpack file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecoverReport {
    /// Chunks of the old file in the new one.
    pub chunks: u64,
    /// Plain bytes in the new file, zeros for lost chunks included.
    pub nbytes: u64,
    /// Parts that were lost, or are not certain.
    pub lost: Vec<Lost>,
}

/// Something that was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lost {
    /// The header is damaged. Fields that can be valid are used.
    Header {
        /// The fault that was found.
        why: String,
    },
    /// The header names another checksum than the one that the chunks have.
    Checksum {
        /// In the header.
        stated: Checksum,
        /// Of the chunks.
        found: Checksum,
    },
    /// The metadata cannot be read, and is left out.
    Metadata {
        /// The fault that was found.
        why: String,
    },
    /// The metadata is kept although its digest does not match.
    UncheckedMetadata {
        /// The fault that was found.
        why: String,
    },
    /// Entries of the offsets section are wrong. The new file has right ones.
    Offsets {
        /// How many.
        entries: u64,
    },
    /// Chunks in the middle of the file. Zeros stand for them.
    Chunks {
        /// Their numbers in the new file.
        chunks: Range<u64>,
        /// The bytes of the damaged file where they were.
        bytes: Range<u64>,
        /// The plain bytes of the new file that are zeros.
        plain: Range<u64>,
        /// Whether their number is a guess by the size of the gap.
        guessed: bool,
    },
    /// Chunks at the end, as the header or the shape of the array counts them.
    End {
        /// How many.
        chunks: u64,
        /// The plain bytes of the new file that are zeros: those of an array. Other files end before them.
        plain: Range<u64>,
    },
    /// A damaged chunk of unknown plain size. No zeros stand for it.
    LeftOut {
        /// The bytes of the damaged file where it was.
        bytes: Range<u64>,
    },
    /// Bytes that belong to no chunk, although none is missing there.
    Garbage {
        /// The bytes of the damaged file.
        bytes: Range<u64>,
    },
    /// A chunk is kept that could not be checked.
    Unchecked {
        /// Its number in the new file.
        chunk: u64,
        /// Why not.
        why: String,
    },
    /// The search for chunks ended early: this file makes it take too long.
    Unsearched {
        /// The bytes that were not searched.
        bytes: Range<u64>,
    },
}

/// `chunk 3 is` or `chunks 3..5 are`.
fn chunks_are(chunks: &Range<u64>) -> String {
    match chunks.end.saturating_sub(chunks.start) {
        1 => format!("chunk {} is", chunks.start),
        _ => format!("chunks {}..{} are", chunks.start, chunks.end),
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::Header { why } => write!(f, "the header is damaged, its other fields are used: {why}"),
            Lost::Checksum { stated, found } => {
                write!(f, "the header says checksum {}, but the chunks have {}", stated.name(), found.name())
            }
            Lost::Metadata { why } => write!(f, "the metadata is lost: {why}"),
            Lost::UncheckedMetadata { why } => write!(f, "the metadata is kept, but its digest does not match: {why}"),
            Lost::Offsets { entries: 1 } => write!(f, "1 offset was wrong; the new file has the right one"),
            Lost::Offsets { entries } => write!(f, "{entries} offsets were wrong; the new file has the right ones"),
            Lost::Chunks { chunks, bytes, plain, guessed } => {
                match bytes.is_empty() {
                    true => write!(f, "{} missing: ", chunks_are(chunks))?,
                    false => write!(f, "{} lost at offset {} to {}: ", chunks_are(chunks), bytes.start, bytes.end)?,
                }
                write!(f, "zeros in bytes {}..{}", plain.start, plain.end)?;
                if *guessed { f.write_str("; how many were there is a guess") } else { Ok(()) }
            }
            Lost::End { chunks, plain } => {
                let what = if *chunks == 1 { "1 chunk is".into() } else { format!("{chunks} chunks are") };
                write!(f, "{what} missing at the end")?;
                if plain.is_empty() { Ok(()) } else { write!(f, ": zeros in bytes {}..{}", plain.start, plain.end) }
            }
            Lost::LeftOut { bytes } => {
                write!(f, "a chunk of unknown size is lost at offset {} to {}, and left out", bytes.start, bytes.end)
            }
            Lost::Garbage { bytes } => {
                write!(f, "{} bytes at offset {} are no chunk", bytes.end.saturating_sub(bytes.start), bytes.start)
            }
            Lost::Unchecked { chunk, why } => write!(f, "chunk {chunk} is kept, but could not be checked: {why}"),
            Lost::Unsearched { bytes } => {
                write!(f, "offset {} to {} was not searched for chunks: it would take too long", bytes.start, bytes.end)
            }
        }
    }
}
