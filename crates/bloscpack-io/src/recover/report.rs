//! The report of a recovery: the content of the new container, and everything that was lost.

use std::error::Error as StdError;
use std::sync::Arc;

use blosc_core::DecodeError;

use super::lost::LostPart;
use crate::Error;

/// The result of salvaging a damaged container.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RecoverReport {
    /// Chunks of the damaged container that are in the new one.
    pub kept: u64,
    /// Chunks that the damaged container had, as far as known: kept and lost ones.
    pub total: u64,
    /// Uncompressed bytes of the new container, including replacements of lost chunks.
    pub nbytes: u64,
    /// Rows of the new carray or ctable. Other containers have none.
    pub rows: Option<u64>,
    /// Columns of the new ctable.
    pub columns: Vec<String>,
    /// Parts that were lost or are uncertain, in the order in which they were found.
    pub lost: Vec<Lost>,
}

/// A part that was lost or is uncertain. `Display` gives a line for messages.
///
/// Entries hold errors as values. [`Limits`](crate::Limits) bound their number, because a few bytes of input can name
/// any number of lost chunks.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Lost {
    /// The column of a ctable that the part belongs to.
    pub column: Option<String>,
    /// The part.
    pub part: LostPart,
    /// The reason, if more is known than the part says.
    pub reason: Option<LostReason>,
}

/// The reason why a part was lost or is uncertain.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum LostReason {
    /// An error while reading or parsing the part.
    Error(Arc<Error>),
    /// An error while decoding a chunk.
    Decode(Arc<DecodeError>),
    /// The digest of the chunk is cut off.
    CutDigest,
    /// The sizes in the header differ from those of the chunks.
    HeaderSizes,
    /// The chunk is a special value of unknown size.
    UnknownSize,
    /// The chunk's uncompressed size differs from that of all chunks of the array.
    ChunkSize {
        /// Its size.
        found: u64,
        /// The size of the others.
        expected: u64,
    },
    /// The chunk has too few rows.
    RowCount {
        /// Its rows.
        found: u64,
        /// The expected number of rows.
        expected: u64,
    },
}

impl RecoverReport {
    /// Sets the total to the number of kept chunks and of chunks that the report names as lost.
    pub(super) fn with_total(self) -> RecoverReport {
        let lost = self.lost.iter().map(|lost| lost.part.chunks()).fold(0, u64::saturating_add);
        RecoverReport { total: self.kept.saturating_add(lost), ..self }
    }
}

impl Lost {
    /// Returns the error that is the reason, if there is one: an [`Error`] or a [`DecodeError`].
    #[must_use]
    pub fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self.reason.as_ref()? {
            LostReason::Error(error) => Some(&**error),
            LostReason::Decode(error) => Some(&**error),
            _ => None,
        }
    }

    pub(super) fn because(part: LostPart, reason: impl Into<LostReason>) -> Lost {
        Lost { column: None, part, reason: Some(reason.into()) }
    }

    /// A part that an error makes unreadable.
    ///
    /// # Errors
    /// The error itself if an allocation failed, which says nothing about the container.
    pub(super) fn unreadable(part: LostPart, error: Error) -> Result<Lost, Error> {
        Ok(Lost::because(part, error.unless_out_of_memory()?))
    }

    /// The same loss, in a column of a ctable.
    pub(super) fn in_column(self, column: &str) -> Lost {
        Lost { column: Some(column.to_owned()), ..self }
    }
}

impl From<LostPart> for Lost {
    fn from(part: LostPart) -> Lost {
        Lost { column: None, part, reason: None }
    }
}

impl From<Error> for LostReason {
    fn from(error: Error) -> LostReason {
        LostReason::Error(Arc::new(error))
    }
}

impl From<Arc<Error>> for LostReason {
    fn from(error: Arc<Error>) -> LostReason {
        LostReason::Error(error)
    }
}

impl From<DecodeError> for LostReason {
    fn from(error: DecodeError) -> LostReason {
        LostReason::Decode(Arc::new(error))
    }
}

/// Returns a value that was read, or its default and a line in the report.
///
/// # Errors
/// The error itself if an allocation failed.
pub(super) fn or_lost<T: Default>(read: Result<T, Error>, part: LostPart, lost: &mut Vec<Lost>) -> Result<T, Error> {
    read.or_else(|error| {
        lost.push(Lost::unreadable(part, error)?);
        Ok(T::default())
    })
}
