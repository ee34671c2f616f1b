//! Compares two positions of one buffer, forward and backward.
//!
//! Positions are 32-bit numbers. Adding to one cannot overflow a 64-bit `usize`, so each bounds check is a single
//! comparison.

/// Number of trailing bytes that are never compared. LZ4 requires them to be literals; for deflate they are too few to
/// matter.
pub(in crate::codec) const TAIL: usize = 5;

/// Returns the end of the bytes from `b` on that equal those from `a` on. Never includes the last [`TAIL`] bytes.
#[inline(always)]
pub(in crate::codec) fn forward(src: &[u8], a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a as usize, b as usize);
    // Most matches end in the first or second word: no call for them.
    let near = b + 64;
    while a < b
        && b + 8 + TAIL <= src.len()
        && let Some(x) = src.get(a..a + 8).and_then(|x| x.first_chunk())
        && let Some(y) = src.get(b..b + 8).and_then(|y| y.first_chunk())
    {
        let difference = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if difference != 0 {
            return b as u32 + difference.trailing_zeros() / 8;
        }
        a += 8;
        b += 8;
        if b >= near {
            break;
        }
    }
    forward_far(src, a, b) as u32
}

/// [`forward`] for runs and long matches: compares 32 bytes at a time, then words, then bytes.
#[inline(never)]
fn forward_far(src: &[u8], a: usize, b: usize) -> usize {
    let end = src.len().saturating_sub(TAIL);
    let (Some(mut x), Some(mut y)) = (src.get(a..end), src.get(b..end)) else { return b };
    let same = x.as_chunks::<32>().0.iter().zip(y.as_chunks::<32>().0).take_while(|(x, y)| x == y).count() * 32;
    (x, y) = (&x[same..], &y[same..]);
    while let (Some((x8, after_x)), Some((y8, after_y))) = (x.split_first_chunk(), y.split_first_chunk()) {
        let difference = u64::from_le_bytes(*x8) ^ u64::from_le_bytes(*y8);
        if difference != 0 {
            return end - y.len() + difference.trailing_zeros() as usize / 8;
        }
        (x, y) = (after_x, after_y);
    }
    end - y.len() + x.iter().zip(y).take_while(|(x, y)| x == y).count()
}

/// Returns the number of bytes before `b` that equal those before `a`, up to `limit`.
#[inline(always)]
pub(in crate::codec) fn backward(src: &[u8], a: u32, b: u32, limit: u32) -> u32 {
    if limit == 0 {
        return 0;
    }
    let (Some(mut x), Some(mut y)) = (src.get(..a as usize), src.get(..b as usize)) else { return 0 };
    let mut n = 0;
    while let (Some((before_x, x8)), Some((before_y, y8))) = (x.split_last_chunk(), y.split_last_chunk()) {
        let difference = u64::from_le_bytes(*x8) ^ u64::from_le_bytes(*y8);
        if difference != 0 || n >= limit {
            return limit.min(n + difference.leading_zeros() / 8);
        }
        (x, y) = (before_x, before_y);
        n += 8;
    }
    limit.min(n + x.iter().rev().zip(y.iter().rev()).take_while(|(x, y)| x == y).count() as u32)
}
