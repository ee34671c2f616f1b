//! Where did the bytes at hand occur before? A table of positions by hash, and how far two places agree.

use super::NEAR;
use super::effort::EFFORTS;

/// 2^13 slots of two bytes: with 16 KiB the table and the input next to it share a first-level cache. Twice as many
/// would save half a percent of output and cost a tenth of the speed.
const MAX_BITS: u32 = 13;

/// Memory of the search, to be reused from stream to stream. What it holds from earlier streams never shows.
pub(crate) struct Table {
    slots: Box<[u16; 1 << MAX_BITS]>,
}

impl Default for Table {
    fn default() -> Self {
        Table { slots: Box::new([0; 1 << MAX_BITS]) }
    }
}

/// The search through one stream, with the effort `EFFORTS[E]`.
///
/// A slot holds the low 16 bits of a position. It is read as the last position before the one at hand that ends in
/// them, so distances reach 65535 whatever the length of the stream, and an empty slot or one that means a position
/// 65536 earlier costs a comparison that fails: what a slot names is always compared.
pub(super) struct Finder<'a, const E: usize> {
    src: &'a [u8],
    slots: &'a mut [u16; 1 << MAX_BITS],
}

/// `length` bytes that also lie `distance` bytes earlier.
#[derive(Clone, Copy)]
pub(super) struct Match {
    pub(super) distance: usize,
    pub(super) length: usize,
}

impl Match {
    /// Bytes that it takes less than the literals in its place.
    #[inline(always)]
    pub(super) fn saved(self) -> usize {
        let cost = 2 + usize::from(self.length > 8) + if self.distance > NEAR { 2 } else { 0 };
        self.length.saturating_sub(cost)
    }
}

impl<'a, const E: usize> Finder<'a, E> {
    const MIN: usize = EFFORTS[E].min;
    /// A far distance takes two bytes more, and wants them of the match.
    const FAR: usize = Self::MIN + 2;
    const BITS: u32 = EFFORTS[E].bits;

    /// Matches end within `src`; the last 15 bytes are not searched for.
    pub(super) fn new(src: &'a [u8], table: &'a mut Table) -> Self {
        table.slots[..1 << Self::BITS].fill(0);
        Finder { src, slots: &mut table.slots }
    }

    pub(super) fn src(&self) -> &'a [u8] {
        self.src
    }

    #[inline(always)]
    fn slot(&mut self, word: u64) -> &mut u16 {
        // Fibonacci hashing of the first MIN bytes.
        let hash = (word << (64 - 8 * Self::MIN)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - Self::BITS);
        &mut self.slots[hash as usize & ((1 << Self::BITS) - 1)]
    }

    /// Remembers the position `at`, but not inside a run: see [`Finder::find`].
    #[inline(always)]
    pub(super) fn insert(&mut self, at: usize) {
        if let Some(word) = word_at(self.src, at)
            && !Self::is_run(word)
        {
            *self.slot(word) = at as u16;
        }
    }

    /// Whether the first `MIN` bytes of `word` are one byte repeated.
    #[inline(always)]
    fn is_run(word: u64) -> bool {
        (word ^ word >> 8) << (64 - 8 * (Self::MIN - 1)) == 0
    }

    /// The 16 bytes at `at`, where a match can begin.
    #[inline(always)]
    pub(super) fn words_at(&self, at: usize) -> Option<[u64; 2]> {
        let both = u128::from_le_bytes(*array_at(self.src, at)?);
        Some([both as u64, (both >> 64) as u64])
    }

    /// Remembers `at`, and gives the match with the last position remembered for the hash of `here`, the words at `at`,
    /// if it is worth writing.
    ///
    /// All of a run of one byte has the same hash. Only its first position is remembered, so that the next run of that
    /// byte finds it in step and the match goes on behind the run; from inside, a run is continued with distance 1.
    #[inline(always)]
    pub(super) fn find(&mut self, at: usize, here: [u64; 2]) -> Option<Match> {
        let slot = self.slot(here[0]);
        let mut distance = usize::from((at as u16).wrapping_sub(*slot));
        *slot = at as u16;
        let mut from = at.wrapping_sub(distance);
        let mut there = self.words_at(from)?;
        let mut differ = here[0] ^ there[0];
        if differ << (64 - 8 * Self::MIN) != 0 {
            return None;
        }
        if distance == 0 {
            // 65536 bytes back, the period of the second byte of a counter; or the slot is empty.
            distance = 1 << 16;
            from = at.checked_sub(distance)?;
            there = self.words_at(from)?;
            differ = here[0] ^ there[0];
        }
        if distance > NEAR && differ << (64 - 8 * Self::FAR) != 0 {
            return None;
        }
        if Self::is_run(here[0]) && self.src.get(at.wrapping_sub(1)) == Some(&(here[0] as u8)) {
            *self.slot(here[0]) = from as u16;
            return Some(Match { distance: 1, length: agreement(self.src, at, at - 1) });
        }
        let more = if differ == 0 { (here[1] ^ there[1]).trailing_zeros() / 8 } else { 0 };
        let mut length = (differ.trailing_zeros() / 8 + more) as usize;
        if length == 16 {
            length += agreement(self.src, at + 16, from + 16);
        }
        Some(Match { distance, length })
    }
}

/// The `N` bytes at `at`. Written so that the compiler sees the only check there is.
#[inline(always)]
fn array_at<const N: usize>(src: &[u8], at: usize) -> Option<&[u8; N]> {
    let last = src.len().checked_sub(N)?;
    if at > last { None } else { src[at..at + N].first_chunk() }
}

#[inline(always)]
fn word_at(src: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*array_at(src, at)?))
}

/// How many bytes from `a` on are the same as from `b` on; `b < a`.
// Not inlined: only matches of 16 bytes and more get here.
#[inline(never)]
pub(super) fn agreement(src: &[u8], a: usize, b: usize) -> usize {
    let (Some(x), Some(y)) = (src.get(a..), src.get(b..)) else { return 0 };
    let (chunks, tail) = x.as_chunks::<32>();
    let mut n = 0;
    for (x, y) in chunks.iter().zip(y.as_chunks::<32>().0) {
        if x != y {
            return n + agreeing(x, y);
        }
        n += 32;
    }
    n + tail.iter().zip(&y[n..]).take_while(|(x, y)| x == y).count()
}

/// How many bytes agree at the front of two arrays that differ.
#[inline(always)]
fn agreeing(x: &[u8; 32], y: &[u8; 32]) -> usize {
    let (x, y) = (x.as_chunks::<8>().0, y.as_chunks::<8>().0);
    for k in 0..4 {
        let differ = u64::from_le_bytes(x[k]) ^ u64::from_le_bytes(y[k]);
        if differ != 0 {
            return 8 * k + (differ.trailing_zeros() / 8) as usize;
        }
    }
    32
}
