//! Bitshuffle of typesizes 2, 4, 8 and 16 in tiles of 64 units. The parent module describes the scheme.
//!
//! Several tiles are processed at a time, four rows after each other, so that rows are written in runs. Rows are often
//! a multiple of 4 KiB apart (blocks of 32 KiB times the typesize). Only eight of them then fit into the L1 cache: runs
//! of 512 bytes cost 2.4 cycles per cache line, single lines 7.

#![expect(clippy::needless_range_loop, reason = "the loops are over index bits and take apart several arrays")]

use std::arch::x86_64::*;
use std::hint::black_box;
use std::mem::MaybeUninit;

use super::super::super::lanes::strips;
use super::super::super::prefetch;
use super::super::vectors::{load, load_far, load_rows, store, store_rows};
use super::steps::{ORDER_2, UNORDER_2, exchange_quarters, sort, transpose_bits, unsort, zip_pair, zip_quad};

/// Bitshuffles `TILES` tiles at a time, of 64 units of `8 * T` bytes. The upper bits of `u` and `p` that are exchanged
/// number `QUARTERS` vectors. The planes are processed in `HALVES` parts.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
pub(super) fn bitshuffle_units<const T: usize, const QUARTERS: usize, const HALVES: usize, const TILES: usize>(
    src: &[u8],
    dst: &mut [u8],
) {
    let groups = src.len() / (8 * T);
    let [sort0, sort1] = black_box(&const { sort::<T>() });
    let (sort0, sort1) = (load(sort0), load(sort1));
    let order = load(black_box(&ORDER_2));
    let mut scratch = [[[[MaybeUninit::uninit(); 16]; QUARTERS]; HALVES]; TILES];
    // The source of the next strip is prefetched all the time: the first half of each tile while the tiles are loaded,
    // the second half while rows are stored.
    let ahead = TILES * 64 * 8 * T;
    for strip in strips(groups, 64, TILES) {
        for (at, scratch) in strip.clone().zip(&mut scratch) {
            let (tile, _) = src[at * 8 * T..][..64 * 8 * T].as_chunks();
            for half in 0..HALVES {
                for i in 0..4 {
                    let mut quads = [[_mm512_setzero_si512(); 4]; QUARTERS];
                    let sort = if T == 4 && i % 2 == 1 || half == 1 { sort1 } else { sort0 };
                    for j in 0..4 {
                        let mut q = [_mm512_setzero_si512(); QUARTERS];
                        for n in 0..QUARTERS {
                            q[n] = sorted::<T>(tile, n, i + 4 * j, sort, ahead);
                        }
                        q = exchange_quarters(q);
                        for n in 0..QUARTERS {
                            quads[n][j] = transpose_bits(q[n]);
                        }
                    }
                    for n in 0..QUARTERS {
                        let quad = zip_quad(quads[n]);
                        for j in 0..4 {
                            scratch[half][n][4 * i + j].write(quad[j]);
                        }
                    }
                }
            }
        }
        for half in 0..HALVES {
            for n in 0..QUARTERS {
                for i in 0..4 {
                    for (at, scratch) in strip.clone().zip(&scratch) {
                        // SAFETY: the loop above has written the whole scratch of each tile of this strip.
                        let v = [0, 4, 8, 12].map(|j| unsafe { scratch[half][n][i + j].assume_init() });
                        let mut quad = zip_quad(v);
                        if T == 2 {
                            for v in &mut quad {
                                *v = _mm512_permutexvar_epi8(order, *v);
                            }
                        }
                        let r = (half * QUARTERS + n) * 16 + 4 * i;
                        let second_half = src[at * 8 * T..].as_ptr().wrapping_add(32 * 8 * T + 32 * r);
                        prefetch::for_reading_to_l2(second_half, ahead);
                        prefetch::for_reading_to_l2(second_half, ahead + 64);
                        store_rows(dst, r * groups + at, groups, quad);
                    }
                }
            }
        }
    }
}

/// Returns vector `i` of quarter `n`, made of two vectors of the tile. Prefetches the first of them `ahead` bytes later.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn sorted<const T: usize>(tile: &[[u8; 64]], n: usize, i: usize, sort: __m512i, ahead: usize) -> __m512i {
    let (a, b) = match T {
        2 if i < 8 => return _mm512_permutexvar_epi8(sort, load_far(&tile[i], ahead)),
        2 => return _mm512_permutexvar_epi8(sort, load(&tile[i])),
        // The same vectors as with the `i` before.
        4 if i % 2 == 1 => {
            let (a, b) = (8 * n + i / 2, 16 + 8 * n + i / 2);
            return _mm512_permutex2var_epi8(load(&tile[a]), sort, load(&tile[b]));
        }
        4 => (8 * n + i / 2, 16 + 8 * n + i / 2),
        8 => (16 * n + i, 32 + 16 * n + i),
        // Prefetches the first half of the tile.
        _ if n < 2 => {
            let (a, b) = (32 * n + 2 * i, 32 * n + 2 * i + 1);
            return _mm512_permutex2var_epi8(load_far(&tile[a], ahead), sort, load_far(&tile[b], ahead));
        }
        _ => {
            let (a, b) = (32 * n + 2 * i, 32 * n + 2 * i + 1);
            return _mm512_permutex2var_epi8(load(&tile[a]), sort, load(&tile[b]));
        }
    };
    _mm512_permutex2var_epi8(load_far(&tile[a], ahead), sort, load(&tile[b]))
}

/// Undoes [`bitshuffle_units`]. The destination of a strip is prefetched while its rows are loaded.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
pub(super) fn bitunshuffle_units<const T: usize, const QUARTERS: usize, const HALVES: usize, const TILES: usize>(
    src: &[u8],
    dst: &mut [u8],
) {
    let groups = src.len() / (8 * T);
    let [sort0, sort1] = black_box(&const { unsort::<T>() });
    let sort = [load(sort0), load(sort1)];
    let order = load(black_box(&UNORDER_2));
    let mut scratch = [[[[MaybeUninit::uninit(); 16]; QUARTERS]; HALVES]; TILES];
    for strip in strips(groups, 64, TILES) {
        for half in 0..HALVES {
            for n in 0..QUARTERS {
                for i in 0..4 {
                    for (at, scratch) in strip.clone().zip(&mut scratch) {
                        let to = dst[at * 8 * T..].as_ptr().wrapping_add(256 * ((half * QUARTERS + n) * 4 + i));
                        (0..256).step_by(64).for_each(|line| prefetch::for_writing(to, line));
                        // The last bit's row comes first, as the transposition requires: row `(i + 4 * j) ^ 7`.
                        let r = (half * QUARTERS + n) * 16 + (i ^ 3);
                        let [b, a, d, c] = load_rows(src, r * groups + at, 4 * groups);
                        let mut quad = [a, b, c, d];
                        if T == 2 {
                            for v in &mut quad {
                                *v = _mm512_permutexvar_epi8(order, *v);
                            }
                        }
                        let quad = zip_quad(quad);
                        for j in 0..4 {
                            scratch[half][n][4 * i + j].write(quad[j]);
                        }
                    }
                }
            }
        }
        for (at, scratch) in strip.zip(&scratch) {
            let (tile, _) = dst[at * 8 * T..][..64 * 8 * T].as_chunks_mut();
            for i in 0..4 {
                for pair in 0..2 {
                    let mut pairs = [[[_mm512_setzero_si512(); 2]; QUARTERS]; HALVES];
                    for half in 0..HALVES {
                        for n in 0..QUARTERS {
                            // SAFETY: the loop above has written the whole scratch of each tile of this strip.
                            let v = [0, 4, 8, 12].map(|j| unsafe { scratch[half][n][i + j].assume_init() });
                            pairs[half][n] = zip_pair(v, pair);
                        }
                        for j in 0..2 {
                            let mut q = [_mm512_setzero_si512(); QUARTERS];
                            for n in 0..QUARTERS {
                                q[n] = pairs[half][n][j];
                            }
                            q = exchange_quarters(q);
                            for n in 0..QUARTERS {
                                pairs[half][n][j] = transpose_bits(q[n]);
                            }
                        }
                    }
                    for n in 0..QUARTERS {
                        let unit = 4 * i + 2 * pair;
                        let mut put = |a, b, to: [usize; 2]| {
                            store(&mut tile[to[0]], _mm512_permutex2var_epi8(a, sort[0], b));
                            store(&mut tile[to[1]], _mm512_permutex2var_epi8(a, sort[1], b));
                        };
                        let ([a, b], [c, d]) = (pairs[0][n], pairs[HALVES - 1][n]);
                        match T {
                            2 => put(a, b, [unit, unit + 1]),
                            4 => put(a, b, [8 * n + unit / 2, 16 + 8 * n + unit / 2]),
                            8 => {
                                put(a, c, [16 * n + unit, 32 + 16 * n + unit]);
                                put(b, d, [16 * n + unit + 1, 32 + 16 * n + unit + 1]);
                            }
                            _ => {
                                put(a, c, [32 * n + 2 * unit, 32 * n + 2 * unit + 1]);
                                put(b, d, [32 * n + 2 * unit + 2, 32 * n + 2 * unit + 3]);
                            }
                        }
                    }
                }
            }
        }
    }
}
