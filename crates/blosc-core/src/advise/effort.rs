//! Codecs and levels that are tried, with their nominal speeds.
//!
//! A nominal time is `fixed + csize · per_byte` nanoseconds for each plain byte, where `csize` is the compressed size of
//! the sample divided by its plain size. The numbers are fitted to 27 kinds of data; single sets differ from them by a
//! factor of up to 2.5 in either direction. They rank candidates of the same data, for which they err in the same
//! direction.

use crate::codec::Codec;
use crate::params::CParams;

/// A codec at a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Effort {
    pub(super) codec: Codec,
    pub(super) clevel: u8,
    pub(super) zstd_level: Option<i8>,
    /// Time of compression as a multiple of that of the codec's fastest level.
    pub(super) slowness: f64,
}

/// The kind of bytes that a codec gets, which determines its speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Plain,
    Shuffled,
    /// Shuffled, then differences of bytes.
    Deltas,
    BitShuffled,
}

/// Nominal time: fixed nanoseconds per plain byte, and nanoseconds per compressed byte.
#[derive(Clone, Copy)]
struct Time(f64, f64);

const fn zstd(level: i8, clevel: u8, slowness: f64) -> Effort {
    Effort { codec: Codec::Zstd, clevel, zstd_level: Some(level), slowness }
}

pub(super) const fn level(codec: Codec, clevel: u8, slowness: f64) -> Effort {
    Effort { codec, clevel, zstd_level: None, slowness }
}

pub(super) const LZ4: Effort = level(Codec::Lz4, 5, 1.0);
pub(super) const LZ4_CAREFUL: Effort = level(Codec::Lz4, 9, 1.4);
/// Fast levels skip short matches, which pays off for sparse data.
pub(super) const ZSTD_FAST: Effort = zstd(-3, 1, 0.9);
pub(super) const ZSTD_1: Effort = zstd(1, 1, 1.0);
pub(super) const ZSTD_3: Effort = zstd(3, 2, 1.4);
pub(super) const ZSTD_5: Effort = zstd(5, 3, 3.0);
pub(super) const ZSTD_9: Effort = zstd(9, 5, 7.0);
pub(super) const ZSTD_15: Effort = zstd(15, 8, 25.0);
pub(super) const ZSTD_19: Effort = zstd(19, 9, 110.0);
pub(super) const ZSTD_22: Effort = zstd(22, 9, 300.0);

impl Effort {
    /// Returns whether parameters are of this effort.
    pub(super) fn is_of(&self, params: &CParams) -> bool {
        (params.codec, params.clevel, params.zstd_level) == (self.codec, self.clevel, self.zstd_level)
    }

    /// Returns whether its time is spent on long searches, so that blocks should be long.
    pub(super) fn is_thorough(&self) -> bool {
        self.slowness > 5.0
    }

    /// Returns the nominal speeds of compression and decompression in MB/s, for data of which `csize` remains.
    pub(super) fn speeds(&self, order: Order, csize: f64) -> (f64, f64) {
        let (Time(fixed, per_byte), decode) = match (self.codec, order) {
            (Codec::Zstd, Order::Plain) => (Time(0.20, 3.0), Time(0.10, 2.0)),
            (Codec::Zstd, Order::Shuffled) => (Time(0.18, 0.98), Time(0.09, 0.28)),
            (Codec::Zstd, Order::Deltas) => (Time(0.40, 1.60), Time(0.15, 0.60)),
            (Codec::Zstd, Order::BitShuffled) => (Time(0.60, 0.50), Time(0.20, 0.30)),
            (Codec::Zlib, _) => (Time(1.0, 8.0), Time(0.3, 2.0)),
            (Codec::Lz4Hc, _) => (Time(2.0, 6.0), Time(0.08, 0.13)),
            // Incompressible data is skipped quickly.
            (_, Order::Plain) => (Time(0.10, 2.4 * (1.02 - csize)), Time(0.07, 0.15)),
            (_, Order::Shuffled) => (Time(0.14, 0.23), Time(0.09, 0.05)),
            (_, Order::Deltas) => (Time(0.18, 1.25), Time(0.15, 0.20)),
            (_, Order::BitShuffled) => (Time(0.18, 0.13), Time(0.10, 0.06)),
        };
        let Time(decode_fixed, decode_per_byte) = decode;
        let speed = |nanoseconds: f64| 1000.0 / nanoseconds;
        (speed(self.slowness * (fixed + csize * per_byte)), speed(decode_fixed + csize * decode_per_byte))
    }
}
