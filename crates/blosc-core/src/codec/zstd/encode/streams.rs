//! Encodes literals with a Huffman code: the hot loop.

use crate::kernels::{HotLoop, run_hot};

/// Encodes one or two streams of literals at once. Each symbol waits for the one before it, so two streams take little
/// more time than one.
pub(super) struct Encode<'a, const N: usize> {
    pub(super) codes: &'a [u64; 256],
    pub(super) literals: [&'a [u8]; N],
    pub(super) dst: [&'a mut [u8]; N],
}

impl<const N: usize> Encode<'_, N> {
    /// Returns the lengths, or `None` if less than 8 bytes remain in one of `dst`.
    pub(super) fn run_hot(self) -> Option<[usize; N]> {
        run_hot(self)
    }
}

/// Symbols between two writes: five codes of 11 bits, and 7 that were held back.
const GROUP: usize = 5;

impl<const N: usize> HotLoop for Encode<'_, N> {
    type Output = Option<[usize; N]>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Encode { codes, mut literals, dst } = self;
        let mut writers = dst.map(Top::new);
        // The last literal comes first.
        while let Some(groups) = last_groups(&mut literals) {
            for i in 0..GROUP {
                for (writer, group) in writers.iter_mut().zip(&groups) {
                    let code = codes[usize::from(group[GROUP - 1 - i])];
                    if i < GROUP - 1 { writer.add(code) } else { writer.add_last(code) }
                }
            }
            for writer in &mut writers {
                writer.flush()?;
            }
        }
        let mut lens = [0; N];
        for ((mut writer, literals), len) in writers.into_iter().zip(literals).zip(&mut lens) {
            for &symbol in literals.iter().rev() {
                writer.add(codes[usize::from(symbol)]);
                writer.flush()?;
            }
            *len = writer.close()?;
        }
        Some(lens)
    }
}

/// Splits the last [`GROUP`] literals from each stream, if all have them.
#[inline(always)]
fn last_groups<'a, const N: usize>(literals: &mut [&'a [u8]; N]) -> Option<[&'a [u8; GROUP]; N]> {
    let mut groups = [&[0; GROUP]; N];
    for (group, literals) in groups.iter_mut().zip(&*literals) {
        *group = literals.last_chunk()?;
    }
    for literals in literals {
        *literals = &literals[..literals.len() - GROUP];
    }
    Some(groups)
}

/// A bit writer that holds its bits at the top of a word, where adding a code takes a shift and a disjunction.
///
/// The lengths below the codes end up below the bits that are held, and are never written, if at most 60 bits are held.
struct Top<'a> {
    dst: &'a mut [u8],
    at: usize,
    held: u64,
    /// Only the lowest six bits count.
    count: u64,
}

impl<'a> Top<'a> {
    #[inline(always)]
    fn new(dst: &'a mut [u8]) -> Self {
        Top { dst, at: 0, held: 0, count: 0 }
    }

    #[inline(always)]
    fn add(&mut self, code: u64) {
        self.held = self.held >> (code & 63) | code;
        self.count = self.count.wrapping_add(code);
    }

    /// Adds the last code of a group, after which up to 62 bits are held.
    #[inline(always)]
    fn add_last(&mut self, code: u64) {
        self.held = self.held >> (code & 63) | code & !0xFF;
        self.count = self.count.wrapping_add(code);
    }

    #[inline(always)]
    fn flush(&mut self) -> Option<()> {
        let count = self.count & 63;
        // Two shifts, because there may be no bits.
        let bits = self.held >> 1 >> (63 - count);
        *self.dst.get_mut(self.at..)?.first_chunk_mut()? = bits.to_le_bytes();
        self.at += (count >> 3) as usize;
        self.count = count & 7;
        Some(())
    }

    #[inline(always)]
    fn close(mut self) -> Option<usize> {
        self.add(1 << 63 | 1);
        self.flush()?;
        Some(self.at + usize::from(self.count > 0))
    }
}
