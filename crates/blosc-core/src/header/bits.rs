//! Offsets and bits of the header fields.

/// Offsets of the fields.
pub(super) mod offset {
    pub(in super::super) const VERSION: usize = 0;
    pub(in super::super) const VERSIONLZ: usize = 1;
    pub(in super::super) const FLAGS: usize = 2;
    pub(in super::super) const TYPESIZE: usize = 3;
    pub(in super::super) const NBYTES: usize = 4;
    pub(in super::super) const BLOCKSIZE: usize = 8;
    pub(in super::super) const CBYTES: usize = 12;
    pub(in super::super) const FILTERS: usize = 16;
    pub(in super::super) const CODEC: usize = 22;
    pub(in super::super) const CODEC_META: usize = 23;
    pub(in super::super) const FILTERS_META: usize = 24;
    pub(in super::super) const FLAGS2: usize = 30;
    pub(in super::super) const BLOSC2_FLAGS: usize = 31;
}

/// Byte 2: the bits that both generations share.
pub(super) const SHUFFLE: u8 = 0x01;
pub(super) const MEMCPYED: u8 = 0x02;
pub(super) const BITSHUFFLE: u8 = 0x04;
pub(super) const DELTA: u8 = 0x08;
pub(super) const NOT_SPLIT: u8 = 0x10;
pub(super) const FORMAT_SHIFT: u32 = 5;
/// Both shuffle bits at once mark the 32-byte header; they do not name a filter.
pub(super) const EXTENDED: u8 = SHUFFLE | BITSHUFFLE;
/// Codec format bits that refer the reader to byte 22.
pub(super) const PLUGIN_FORMAT: u8 = 6;

/// Byte 30.
pub(super) const VL_BLOCKS: u8 = 0x01;

/// Byte 31.
pub(super) const DICTIONARY: u8 = 0x01;
pub(super) const LAZY: u8 = 0x08;
pub(super) const SPECIAL_SHIFT: u32 = 4;
pub(super) const SPECIAL_MASK: u8 = 0x07;
pub(super) const INSTRUMENTED: u8 = 0x80;

/// All of Blosc 1.x.
pub(super) const BLOSC1: u8 = 2;
/// C-Blosc2's alphas, which left garbage in the last filter slot.
pub(super) const BLOSC2_ALPHA: u8 = 3;
/// C-Blosc2 since 2.0.
pub(super) const BLOSC2: u8 = 5;
/// C-Blosc2 since 3.0, for chunks of variable-length blocks.
pub(super) const BLOSC2_VL: u8 = 6;

/// The version of every built-in codec's stream format.
pub(super) const VERSIONLZ: u8 = 1;
