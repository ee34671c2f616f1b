//! One entry of the index: a position, or the value that a chunk repeats. Also the maximum number of entries.

use blosc_core::Special;

/// Maximum number of chunks: C-Blosc2 counts the bytes of the index in an `i32`.
pub const MAX_CHUNKS: u64 = i32::MAX as u64 / 8;

/// The location of a chunk, as stored in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entry {
    /// Contiguous: the offset from the end of the header. Sparse: the number of the file.
    Stored(u64),
    /// Not stored: the chunk repeats this value, which is never [`Special::Value`].
    Special(Special),
}

impl Entry {
    /// Encodes the entry. An offset beyond 2⁶³ - 1, which no frame has, becomes 2⁶³ - 1.
    #[must_use]
    pub fn to_i64(self) -> i64 {
        match self {
            Self::Stored(at) => i64::try_from(at).unwrap_or(i64::MAX),
            Self::Special(Special::Nan) => special(2),
            Self::Special(Special::Uninit) => special(4),
            Self::Special(_) => special(1),
        }
    }

    /// Decodes an entry; `None` for a negative one whose top byte is none of the three. C-Blosc2 tests single bits of
    /// it, so it accepts further values as zeros, but writes none of them.
    #[must_use]
    pub fn from_i64(entry: i64) -> Option<Self> {
        if let Ok(at) = u64::try_from(entry) {
            return Some(Self::Stored(at));
        }
        match entry >> 56 & 0xff {
            0x81 => Some(Self::Special(Special::Zeros)),
            0x82 => Some(Self::Special(Special::Nan)),
            0x84 => Some(Self::Special(Special::Uninit)),
            _ => None,
        }
    }
}

const fn special(code: i64) -> i64 {
    i64::MIN | code << 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values_are_told_by_the_top_byte() {
        for (byte, special) in [(0x81, Special::Zeros), (0x82, Special::Nan), (0x84, Special::Uninit)] {
            let entry = Entry::Special(special);
            assert_eq!(entry.to_i64(), byte << 56);
            assert_eq!(Entry::from_i64(entry.to_i64() | 0xff_ffff_ffff), Some(entry));
        }
        for byte in [0x80, 0x83, 0x85, 0x86, 0x87, 0x91, 0xff_i64] {
            assert_eq!(Entry::from_i64(byte << 56), None, "{byte:x}");
        }
        assert_eq!(Entry::from_i64(0), Some(Entry::Stored(0)));
    }
}
