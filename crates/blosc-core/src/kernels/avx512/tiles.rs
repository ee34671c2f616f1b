//! The tiles of shuffle with AVX-512: barrels, permutations, and the start of each tile. `shuffle` describes the
//! scheme.

use std::arch::x86_64::*;
use std::hint::black_box;

use super::super::lanes::inverse;
use super::super::prefetch::{self, AHEAD};
use super::tables::{Index, Moves, TURNS, Tables, back, forth};
use super::vectors::load;

/// Elements in one tile: one byte of each fills a vector.
const ROW: usize = 64;

/// Minimum number of tiles for which the first one aligns the stores of the others.
const WORTH_ALIGNING: usize = 4;

/// Maximum number of tables kept in registers. More would leave too few registers, and are loaded where they are used.
const FEW: usize = 8;

/// Shuffles `elements` elements. Row `b` of group `g` is plane `g * B + b`.
///
/// # Safety
///
/// `Q * B * elements` bytes can be read at `from`, and `elements` written to each of the rows.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn shuffle_rows<const Q: usize, const B: usize>(
    elements: usize,
    from: *const u8,
    rows: &[[*mut u8; B]; Q],
) {
    // SAFETY: the caller's contract, and the flag matches the number of elements.
    unsafe {
        if elements < ROW {
            shuffle_tiles::<Q, B, true>(elements, from, rows);
        } else {
            shuffle_tiles::<Q, B, false>(elements, from, rows);
        }
    }
}

/// Undoes [`shuffle_rows`].
///
/// # Safety
///
/// `elements` bytes can be read from each of the rows, and `Q * B * elements` written at `to`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn unshuffle_rows<const Q: usize, const B: usize>(
    elements: usize,
    rows: &[[*const u8; B]; Q],
    to: *mut u8,
) {
    // SAFETY: the caller's contract, and the flag matches the number of elements.
    unsafe {
        if elements < ROW {
            unshuffle_tiles::<Q, B, true>(elements, rows, to);
        } else {
            unshuffle_tiles::<Q, B, false>(elements, rows, to);
        }
    }
}

/// [`shuffle_rows`] for less than a tile if `SHORT`, otherwise for at least one tile.
///
/// The tables are accessed through `black_box`. LLVM would otherwise see constant masks and indices, and merge blends
/// and permutations into two-source permutations.
///
/// # Safety
///
/// As for [`shuffle_rows`]; `elements` is less than [`ROW`] if `SHORT`, and at least [`ROW`] otherwise.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn shuffle_tiles<const Q: usize, const B: usize, const SHORT: bool>(
    elements: usize,
    from: *const u8,
    rows: &[[*mut u8; B]; Q],
) {
    // A local copy, which stores to the rows cannot change.
    let rows = *rows;
    let Tables { sort, units, blocks } = black_box(const { &forth::<Q, B>() });
    let (sort, units, blocks) = (load_few(sort), *units, *blocks);
    let is_far = !SHORT && elements * Q * B > AHEAD;
    let tile = |at: usize| {
        let (len, bytes) = if SHORT { (elements, elements * Q * B) } else { (ROW, ROW * Q * B) };
        let mut dealt = [[_mm512_setzero_si512(); B]; Q];
        let pieces = 0..B;
        for i in pieces {
            let mut v = [_mm512_setzero_si512(); Q];
            for (r, v) in v.iter_mut().enumerate() {
                if is_far {
                    let line = from.wrapping_add(at * Q * B + 64 * (i * Q + r));
                    prefetch::for_reading_to_l2(line, AHEAD);
                    prefetch::for_reading(line, 1024);
                }
                // SAFETY: the `len` elements from `at` on are in bounds.
                *v = unsafe { read(from.add(at * Q * B), 64 * (i * Q + r), bytes) };
            }
            v = barrel::<Q, false>(v, units);
            for (h, v) in v.into_iter().enumerate() {
                let g = 64 / B * h % Q;
                dealt[g][i] = look_up(&sort, g, i, v);
            }
        }
        for (g, v) in dealt.into_iter().enumerate() {
            let v = barrel::<B, true>(v, blocks);
            for b in 0..B {
                let v = turn(v[(B - b) % B], b * 16 / B);
                // SAFETY: as for the reads; a plane has one byte of each element.
                unsafe { write(rows[g][b].add(at), 0, len, v) };
            }
        }
    };
    if SHORT {
        return tile(0);
    }
    // Either all planes are aligned alike, or most of them cannot be aligned.
    let first = rows[0][0].align_offset(64);
    let is_alike = rows.as_flattened().iter().all(|row| row.align_offset(64) == first);
    let first = if is_alike { first } else { 0 };
    walk::<Q, B>(elements, first, tile);
}

/// [`unshuffle_rows`] for less than a tile if `SHORT`, otherwise for at least one tile.
///
/// # Safety
///
/// As for [`unshuffle_rows`]; `elements` is less than [`ROW`] if `SHORT`, and at least [`ROW`] otherwise.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn unshuffle_tiles<const Q: usize, const B: usize, const SHORT: bool>(
    elements: usize,
    rows: &[[*const u8; B]; Q],
    to: *mut u8,
) {
    // A local copy, which stores through `to` cannot change.
    let rows = *rows;
    let Tables { sort, units, blocks } = black_box(const { &back::<Q, B>() });
    let (sort, units, blocks) = (load_few(sort), *units, *blocks);
    let is_far = !SHORT && elements * Q * B > AHEAD;
    let tile = |at: usize| {
        let (len, bytes) = if SHORT { (elements, elements * Q * B) } else { (ROW, ROW * Q * B) };
        let ahead = AHEAD.min((elements - at) * Q * B - bytes);
        let mut dealt = [[_mm512_setzero_si512(); B]; Q];
        for (dealt, rows) in dealt.iter_mut().zip(rows) {
            let mut v = [_mm512_setzero_si512(); B];
            for (b, row) in rows.into_iter().enumerate() {
                // SAFETY: the `len` elements from `at` on are in bounds, and a plane has one byte of each.
                let row = unsafe { read(row.add(at), 0, len) };
                v[(B - b) % B] = turn(row, (B - b) * 16 / B);
            }
            *dealt = barrel::<B, false>(v, blocks);
        }
        let pieces = 0..B;
        for i in pieces {
            let mut v = [_mm512_setzero_si512(); Q];
            for (h, v) in v.iter_mut().enumerate() {
                let g = 64 / B * h % Q;
                *v = look_up(&sort, g, i, dealt[g][i]);
            }
            for (r, v) in barrel::<Q, true>(v, units).into_iter().enumerate() {
                if is_far {
                    prefetch::for_writing(to.wrapping_add(at * Q * B + 64 * (i * Q + r)), ahead);
                }
                // SAFETY: as for the reads.
                unsafe { write(to.add(at * Q * B), 64 * (i * Q + r), bytes, v) };
            }
        }
    };
    if SHORT {
        return tile(0);
    }
    let misaligned = to.align_offset(64);
    // The number of elements that fills up a whole number of vectors: `first * Q * B` is `misaligned`, modulo 64.
    let first = if misaligned.is_multiple_of(B) { misaligned / B * const { inverse(Q, 64 / B) } % (64 / B) } else { 0 };
    walk::<Q, B>(elements, first, tile);
}

/// Calls `tile` with the start of each tile: the second at `first`, unless that is 0, and the last flush with the end.
/// There is room for a whole tile at each start.
#[inline]
#[target_feature(enable = "avx512f")]
fn walk<const Q: usize, const B: usize>(elements: usize, first: usize, tile: impl Fn(usize)) {
    // Tiles of few vectors are processed four at a time.
    let four = if Q * B < 8 { 4 * ROW } else { usize::MAX };
    let (mut at, mut next) = (0, if first == 0 || elements < WORTH_ALIGNING * ROW { ROW } else { first });
    loop {
        tile(at);
        while four <= elements && next <= elements - four {
            for i in 0..4 {
                tile(next + i * ROW);
            }
            next += four;
        }
        if next >= elements {
            return;
        }
        at = next.min(elements - ROW);
        next += ROW;
    }
}

/// Takes each byte from the vector `n` further up, or down. The masks hold the bits of `n` for each place.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn barrel<const N: usize, const UP: bool>(mut v: [__m512i; N], moves: Moves) -> [__m512i; N] {
    for (bit, mask) in moves.into_iter().enumerate() {
        let step = 1 << bit;
        if step < N {
            let from = v;
            for i in 0..N {
                let other = if UP { (i + step) % N } else { (i + N - step) % N };
                v[i] = _mm512_mask_blend_epi8(mask, from[i], from[other]);
            }
        }
    }
    v
}

/// The tables of a typesize, in registers if there are few of them.
enum Sort<'a, const Q: usize, const B: usize> {
    Few([[__m512i; B]; Q]),
    Many(&'a [[Index; B]; Q]),
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_few<const Q: usize, const B: usize>(sort: &[[Index; B]; Q]) -> Sort<'_, Q, B> {
    if Q * B > FEW {
        return Sort::Many(sort);
    }
    let mut few = [[_mm512_setzero_si512(); B]; Q];
    for (few, index) in few.as_flattened_mut().iter_mut().zip(sort.as_flattened()) {
        *few = load(&index.0);
    }
    Sort::Few(few)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vbmi")]
fn look_up<const Q: usize, const B: usize>(sort: &Sort<'_, Q, B>, g: usize, i: usize, v: __m512i) -> __m512i {
    let index = match sort {
        Sort::Few(few) => few[g][i],
        Sort::Many(many) => load(&many[g][i].0),
    };
    _mm512_permutexvar_epi8(index, v)
}

/// Rotates a vector by `n` words of 32 bits: word `n` becomes the first.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi")]
fn turn(v: __m512i, n: usize) -> __m512i {
    if n.is_multiple_of(16) { v } else { _mm512_permutexvar_epi8(load(&TURNS[n % 16].0), v) }
}

/// Reads the vector at `at` from `len` bytes, with zeros past their end.
///
/// # Safety
///
/// `len` bytes can be read at `from`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn read(from: *const u8, at: usize, len: usize) -> __m512i {
    if at + 64 <= len {
        // SAFETY: 64 bytes are in bounds, and the load needs no alignment.
        unsafe { _mm512_loadu_si512(from.add(at).cast()) }
    } else if at >= len {
        _mm512_setzero_si512()
    } else {
        // SAFETY: the bytes before `len` are in bounds, and the mask excludes all others from the read.
        unsafe { _mm512_maskz_loadu_epi8(u64::MAX >> (64 - (len - at)), from.add(at).cast()) }
    }
}

/// Writes the vector at `at` to `len` bytes, and nothing past their end.
///
/// # Safety
///
/// `len` bytes can be written at `to`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn write(to: *mut u8, at: usize, len: usize, v: __m512i) {
    if at + 64 <= len {
        // SAFETY: 64 bytes are in bounds, and the store needs no alignment.
        unsafe { _mm512_storeu_si512(to.add(at).cast(), v) }
    } else if at < len {
        // SAFETY: the bytes before `len` are in bounds, and the mask excludes all others from the write.
        unsafe { _mm512_mask_storeu_epi8(to.add(at).cast(), u64::MAX >> (64 - (len - at)), v) }
    }
}
