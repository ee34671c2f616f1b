//! The symbols of the format and their ranges.

/// Number of symbols of literals, end of block and lengths.
pub(super) const LITLENS: usize = 286;
/// Number of offset symbols.
pub(super) const OFFSETS: usize = 30;
/// The symbol that ends a block.
pub(super) const END: usize = 256;

/// The shortest match.
pub(super) const MIN_MATCH: u32 = 3;
/// The longest match.
pub(super) const MAX_MATCH: u32 = 258;
/// The largest offset.
pub(super) const MAX_OFFSET: u32 = 32768;

/// Number of symbols of the code length code, which encodes the header of a block with dynamic codes.
pub(super) const CODE_LENGTHS: usize = 19;
/// The order in which the lengths of the code length code are stored.
pub(super) const CODE_LENGTH_ORDER: [u8; CODE_LENGTHS] =
    [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// The longest code of the code length code, in bits.
pub(super) const CODE_LENGTH_LIMIT: u32 = 7;
