//! The lines of the report for messages.

use std::fmt;
use std::ops::Range;

use super::lost::LostPart;
use super::report::{Lost, LostReason};

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(column) = &self.column {
            write!(f, "column {column:?}: ")?;
        }
        self.part.fmt(f)?;
        self.reason.as_ref().map_or(Ok(()), |reason| write!(f, ": {reason}"))
    }
}

impl fmt::Display for LostReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LostReason::Error(error) => error.report().fmt(f),
            LostReason::Decode(error) => error.report().fmt(f),
            LostReason::CutDigest => f.write_str("its digest is truncated"),
            LostReason::HeaderSizes => f.write_str("chunk_size and last_chunk do not match the chunks"),
            LostReason::UnknownSize => f.write_str("a special value of unknown size"),
            LostReason::ChunkSize { found, expected } => write!(f, "nbytes is {found}, expected {expected}"),
            LostReason::RowCount { found, expected } => write!(f, "{found} rows, expected {expected}"),
        }
    }
}

/// Returns `chunk 3 is` or `chunks 3..5 are`.
fn chunks_are(chunks: &Range<u64>) -> String {
    match chunks.end.saturating_sub(chunks.start) {
        1 => format!("chunk {} is", chunks.start),
        _ => format!("chunks {}..{} are", chunks.start, chunks.end),
    }
}

fn len(range: &Range<u64>) -> u64 {
    range.end.saturating_sub(range.start)
}

impl fmt::Display for LostPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("the header is damaged; its other fields are used"),
            Self::Metadata => f.write_str("the metadata is lost"),
            Self::UncheckedMetadata => f.write_str("the metadata is kept, but its digest does not match"),
            Self::Offsets { entries: 1 } => f.write_str("1 offset was wrong; the new file has the right one"),
            Self::Index => f.write_str("the index is lost: special values, the order after changes, and deletions"),
            Self::OldIndex => f.write_str("the index is from an older state; chunks after it are appended"),
            Self::VlMetalayers => f.write_str("any vlmetalayers are lost"),
            Self::OldVlMetalayers => f.write_str("the vlmetalayers are from an older state"),
            Self::Journal => f.write_str("a change was interrupted and cannot be completed"),
            Self::ColumnList => {
                f.write_str("the list of columns is lost; all arrays are columns now, in the order of their names")
            }
            Self::Column => f.write_str("it is lost"),
            Self::Attributes => f.write_str("the attributes are lost"),
            Self::RowCount => f.write_str("the number of rows is lost; all rows that exist are used"),
            Self::Checksum { stated, found } => {
                write!(f, "the header declares checksum {}, but the chunks have {}", stated.name(), found.name())
            }
            Self::Offsets { entries } => write!(f, "{entries} offsets were wrong; the new file has the right ones"),
            Self::Chunks { chunks, bytes, plain, guessed } => {
                match bytes.is_empty() {
                    true => write!(f, "{} missing: ", chunks_are(chunks))?,
                    false => write!(f, "{} lost at offset {} to {}: ", chunks_are(chunks), bytes.start, bytes.end)?,
                }
                write!(f, "zeros in bytes {}..{}", plain.start, plain.end)?;
                if *guessed { f.write_str("; their number is an estimate") } else { Ok(()) }
            }
            Self::End { chunks, plain } => {
                let what = if *chunks == 1 { "1 chunk is".into() } else { format!("{chunks} chunks are") };
                write!(f, "{what} missing at the end")?;
                if plain.is_empty() { Ok(()) } else { write!(f, ": zeros in bytes {}..{}", plain.start, plain.end) }
            }
            Self::LeftOut { bytes } => {
                write!(f, "a chunk of unknown size is lost at offset {} to {} and left out", bytes.start, bytes.end)
            }
            Self::Garbage { bytes } => write!(f, "{} bytes at offset {} are not a chunk", len(bytes), bytes.start),
            Self::Unsearched { bytes } => {
                write!(f, "offset {} to {} was not searched for chunks: it would take too long", bytes.start, bytes.end)
            }
            Self::Unchecked { chunk } => write!(f, "chunk {chunk} is kept, but could not be checked"),
            Self::VlMetalayer { name } => write!(f, "vlmetalayer {name:?} is lost"),
            Self::Chunk { chunk } => write!(f, "chunk {chunk} is lost"),
            Self::Trailing { bytes } => {
                write!(f, "{} bytes from offset {} on have no meaning", len(bytes), bytes.start)
            }
            Self::MissingChunks { chunks } => {
                write!(f, "{chunks} chunks at the end of the array are lost: zeros instead")
            }
            Self::SurplusChunks { chunks } => write!(f, "{chunks} chunks are left out: the array has no room for them"),
            Self::RowShape { atom_shape } => write!(f, "the shape of a row is lost; {atom_shape:?} is used"),
            Self::Rows { chunk, rows, filled } => {
                let what = if *filled { "have the default value now" } else { "are lost" };
                write!(f, "rows {}..{} of chunk {chunk} {what}", rows.start, rows.end)
            }
            Self::FollowingRows { rows } => {
                write!(f, "rows {}..{} after a lost chunk are left out", rows.start, rows.end)
            }
            Self::MissingRows { rows } => write!(f, "rows {}..{} are lost: no chunk files", rows.start, rows.end),
            Self::SurplusRows { rows } => {
                write!(f, "rows {}..{}, which other columns do not have, are left out", rows.start, rows.end)
            }
        }
    }
}
