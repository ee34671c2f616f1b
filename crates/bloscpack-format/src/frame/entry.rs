//! One entry of the index: a place, or the value that a chunk repeats; how many entries there may be.

use blosc_core::Special;

/// How many chunks fit the format: C-Blosc2 counts the bytes of the index in an `i32`.
pub const MAX_CHUNKS: u64 = i32::MAX as u64 / 8;

/// Where the index says that a chunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entry {
    /// Contiguous: so many bytes behind the header. Sparse: in the file of this number.
    Stored(u64),
    /// Nowhere: all of it is this, which is never [`Special::Value`].
    Special(Special),
}

impl Entry {
    /// The `i64` of the index. A place beyond 2⁶³ - 1, which no frame has, becomes that.
    #[must_use]
    pub fn to_i64(self) -> i64 {
        match self {
            Self::Stored(at) => i64::try_from(at).unwrap_or(i64::MAX),
            Self::Special(Special::Nan) => special(2),
            Self::Special(Special::Uninit) => special(4),
            Self::Special(_) => special(1),
        }
    }

    /// What an `i64` of the index means; `None` for a negative one whose top byte is none of the three. C-Blosc2 looks at
    /// single bits of it, so there is more that it takes for zeros, none of which it writes.
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
