//! Search parameters of the compression levels.

/// Search parameters of one effort.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// Minimum match length searched for, 4 to 8 bytes. Far matches must be two bytes longer, or 8.
    pub(super) min: usize,
    /// The hash table has 2^bits slots, at most 2^13.
    pub(super) bits: u32,
    /// The step grows by one byte after every 2^patience positions without a match.
    pub(super) patience: u32,
    /// Step of the search directly after a match.
    pub(super) stride: usize,
    /// Minimum percentage that matches must save in some sample of the stream for the stream to be compressed.
    pub(super) worth: usize,
}

/// The efforts that [`compress`](super::compress) chooses from. Levels whose efforts would hardly differ share one.
///
/// A longer `min` finds fewer matches, each of which takes the same time. Above all, it causes fewer branch
/// mispredictions. On text, 8 is 1.3 times as fast as 5 and 3 % larger; on the bytes of time stamps 1.4 times as fast
/// and 7 % larger. [`promise`](super::promise) decides which of the two suits a stream.
pub(super) const EFFORTS: [Effort; 14] = [
    // 0 to 5, for clevel 1; 2 and 3; 4 and 5; 6; 7; 8 and 9.
    Effort { min: 5, bits: 12, patience: 2, stride: 3, worth: 55 },
    Effort { min: 5, bits: 12, patience: 3, stride: 1, worth: 17 },
    Effort { min: 5, bits: 12, patience: 3, stride: 1, worth: 10 },
    Effort { min: 5, bits: 13, patience: 4, stride: 1, worth: 10 },
    Effort { min: 5, bits: 13, patience: 5, stride: 1, worth: 0 },
    Effort { min: 4, bits: 13, patience: 3, stride: 1, worth: 0 },
    // 6 to 9, for streams where long matches suffice: clevel 1; 2 to 5; 6 and 7; 8 and 9.
    Effort { min: 8, bits: 12, patience: 2, stride: 2, worth: 0 },
    Effort { min: 8, bits: 13, patience: 3, stride: 1, worth: 0 },
    Effort { min: 7, bits: 13, patience: 4, stride: 1, worth: 0 },
    Effort { min: 6, bits: 13, patience: 4, stride: 1, worth: 0 },
    // 10 to 13, for short streams, which are not sampled: clevel 2 to 5; 6 to 8; 9; 1.
    Effort { min: 5, bits: 10, patience: 5, stride: 1, worth: 0 },
    Effort { min: 5, bits: 10, patience: 6, stride: 1, worth: 0 },
    Effort { min: 4, bits: 10, patience: 6, stride: 1, worth: 0 },
    Effort { min: 5, bits: 10, patience: 3, stride: 1, worth: 0 },
];

/// Maximum length of a short stream. 2^10 slots are half of its positions, and take less time to clear than 2^12.
pub(super) const SHORT: usize = 2048;
