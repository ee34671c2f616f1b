//! What was salvaged of a carray or ctable, and what was lost.

use std::fmt;
use std::ops::Range;

/// What was salvaged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecoverReport {
    /// Columns of the new table; empty for an array.
    pub columns: Vec<String>,
    /// Rows of the new array or table.
    pub rows: u64,
    /// What was lost, or could not be made sure of, in the order in which it was found.
    pub lost: Vec<Lost>,
}

/// Something that was lost: the directory, `.` or that of a column, and what.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lost {
    /// The column; `None` for an array, or the table itself.
    pub column: Option<String>,
    /// What was lost of it.
    pub what: LostPart,
}

/// What was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LostPart {
    /// A change was interrupted, and cannot be completed: what is there is taken as it is.
    Pending {
        /// What is wrong.
        why: String,
    },
    /// The list of columns: all directories that are arrays are taken, in the order of their names.
    RootDirs {
        /// What is wrong.
        why: String,
    },
    /// A whole column.
    Column {
        /// What is wrong.
        why: String,
    },
    /// The attributes.
    Attrs {
        /// What is wrong.
        why: String,
    },
    /// The number of rows: all that stand are taken, also such as were never flushed.
    Sizes {
        /// What is wrong.
        why: String,
    },
    /// The axes within a row: it is taken to have this shape, which has as many bytes.
    AtomShape {
        /// The axes.
        atom_shape: Vec<u64>,
    },
    /// A chunk, or the last rows of it.
    Chunk {
        /// Its number.
        chunk: u64,
        /// Its rows that are lost.
        rows: Range<u64>,
        /// What is wrong with it.
        why: String,
        /// Whether they have the default value now; else the array ends in front of them.
        filled: bool,
    },
    /// Rows behind a lost chunk, which cannot keep their numbers without it. Those that stand among them are left out.
    Behind {
        /// The rows.
        rows: Range<u64>,
    },
    /// Rows at the end, of which there is no chunk file.
    Missing {
        /// The rows.
        rows: Range<u64>,
    },
    /// Rows that other columns do not have.
    Longer {
        /// The rows.
        rows: Range<u64>,
    },
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.column {
            Some(column) => write!(f, "column {column:?}: {}", self.what),
            None => self.what.fmt(f),
        }
    }
}

impl fmt::Display for LostPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pending { why } => write!(f, "a change was interrupted, and cannot be completed: {why}"),
            Self::RootDirs { why } => {
                write!(f, "the list of columns is lost, all arrays are taken in the order of their names: {why}")
            }
            Self::Column { why } => write!(f, "it is lost: {why}"),
            Self::Attrs { why } => write!(f, "the attributes are lost: {why}"),
            Self::Sizes { why } => write!(f, "the number of rows is lost, all that stand are taken: {why}"),
            Self::AtomShape { atom_shape } => write!(f, "the shape of a row is lost, it is taken for {atom_shape:?}"),
            Self::Chunk { chunk, rows, why, filled } => {
                let what = if *filled { "have the default value now" } else { "are lost" };
                write!(f, "rows {}..{} of chunk {chunk} {what}: {why}", rows.start, rows.end)
            }
            Self::Behind { rows } => {
                write!(f, "rows {}..{} behind a lost chunk are left out", rows.start, rows.end)
            }
            Self::Missing { rows } => write!(f, "rows {}..{} are lost: no chunk files", rows.start, rows.end),
            Self::Longer { rows } => {
                write!(f, "rows {}..{}, which other columns do not have, are left out", rows.start, rows.end)
            }
        }
    }
}
