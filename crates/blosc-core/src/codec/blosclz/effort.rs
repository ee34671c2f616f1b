//! What does each compression level do to find matches?

/// How hard a level tries.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// The shortest match looked for, 4 to 8 bytes; far ones have to be two bytes longer, or 8.
    pub(super) min: usize,
    /// The table has 2^bits slots, at most 2^13.
    pub(super) bits: u32,
    /// After every 2^patience positions without a match the search steps on by one byte more.
    pub(super) patience: u32,
    /// By how many bytes it steps behind a match.
    pub(super) stride: usize,
    /// A stream is worth compressing if in some sample of it matches save so many percent.
    pub(super) worth: usize,
}

/// The rows that [`compress`](super::compress) chooses from. Levels share what would differ too little.
///
/// A longer `min` finds fewer matches, each of which takes the same time, and above all fewer that are unforeseeable.
/// On text 8 is 1.3 times as fast as 5 and 3 % larger, on the bytes of time stamps 1.4 times and 7 %: which of the two a
/// stream is, [`promise`](super::promise) tells.
pub(super) const EFFORTS: [Effort; 13] = [
    // 0 to 5, for clevel 1; 2 and 3; 4 and 5; 6; 7; 8 and 9.
    Effort { min: 5, bits: 12, patience: 2, stride: 3, worth: 55 },
    Effort { min: 5, bits: 12, patience: 3, stride: 1, worth: 17 },
    Effort { min: 5, bits: 12, patience: 3, stride: 1, worth: 10 },
    Effort { min: 5, bits: 13, patience: 4, stride: 1, worth: 10 },
    Effort { min: 5, bits: 13, patience: 5, stride: 1, worth: 0 },
    Effort { min: 4, bits: 13, patience: 3, stride: 1, worth: 0 },
    // 6 to 9, streams that long matches are enough for: clevel 1; 2 to 5; 6 and 7; 8 and 9.
    Effort { min: 8, bits: 12, patience: 2, stride: 2, worth: 0 },
    Effort { min: 8, bits: 13, patience: 3, stride: 1, worth: 0 },
    Effort { min: 7, bits: 13, patience: 4, stride: 1, worth: 0 },
    Effort { min: 6, bits: 13, patience: 4, stride: 1, worth: 0 },
    // 10 to 12, short streams, of which no sample is taken: clevel 1 to 5; 6 to 8; 9.
    Effort { min: 5, bits: 10, patience: 5, stride: 1, worth: 0 },
    Effort { min: 5, bits: 10, patience: 6, stride: 1, worth: 0 },
    Effort { min: 4, bits: 10, patience: 6, stride: 1, worth: 0 },
];

/// Up to here a stream is short: 2^10 slots are half of its positions, and take less time to clear than 2^12.
pub(super) const SHORT: usize = 2048;
