//! The steps of bitshuffle with AVX-512, and the index vectors of their permutations.

use std::arch::x86_64::*;

use super::super::vectors::exchange;

/// Exchanges the upper two bits of the place, or the second alone, with the number of the quarter.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn exchange_quarters<const QUARTERS: usize>(mut q: [__m512i; QUARTERS]) -> [__m512i; QUARTERS] {
    if QUARTERS == 4 {
        (q[0], q[2]) = exchange::<5>(q[0], q[2]);
        (q[1], q[3]) = exchange::<5>(q[1], q[3]);
        (q[2], q[3]) = exchange::<4>(q[2], q[3]);
    }
    if QUARTERS >= 2 {
        (q[0], q[1]) = exchange::<4>(q[0], q[1]);
    }
    q
}

/// Transposes the 8x8 bits of every eight bytes, with the bytes in reverse order.
///
/// The instruction multiplies an 8x8 bit matrix, here the data, with bytes, here the eight unit vectors. Byte `k`
/// becomes the matrix's column `k`, whose bit `7 - i` is bit `k` of byte `i`.
#[inline]
#[target_feature(enable = "avx512f,gfni")]
pub(super) fn transpose_bits(v: __m512i) -> __m512i {
    _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64), v)
}

/// Exchanges the vector number and the place in the lane, which transposes 16x16 bytes in every lane. See `lanes`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn zip_rounds(v: &[__m512i; 16]) -> [__m512i; 16] {
    zip_twice(&zip_twice(v))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn zip_twice(v: &[__m512i; 16]) -> [__m512i; 16] {
    let mut zipped = *v;
    for i in 0..4 {
        let quad = zip_quad([v[i], v[i + 4], v[i + 8], v[i + 12]]);
        for j in 0..4 {
            zipped[4 * i + j] = quad[j];
        }
    }
    zipped
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn zip_quad([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let (ac_low, ac_high) = (_mm512_unpacklo_epi8(a, c), _mm512_unpackhi_epi8(a, c));
    let (bd_low, bd_high) = (_mm512_unpacklo_epi8(b, d), _mm512_unpackhi_epi8(b, d));
    [
        _mm512_unpacklo_epi8(ac_low, bd_low),
        _mm512_unpackhi_epi8(ac_low, bd_low),
        _mm512_unpacklo_epi8(ac_high, bd_high),
        _mm512_unpackhi_epi8(ac_high, bd_high),
    ]
}

/// Returns the first or the last two vectors of [`zip_quad`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn zip_pair([a, b, c, d]: [__m512i; 4], pair: usize) -> [__m512i; 2] {
    let (ac, bd) = match pair {
        0 => (_mm512_unpacklo_epi8(a, c), _mm512_unpacklo_epi8(b, d)),
        _ => (_mm512_unpackhi_epi8(a, c), _mm512_unpackhi_epi8(b, d)),
    };
    [_mm512_unpacklo_epi8(ac, bd), _mm512_unpackhi_epi8(ac, bd)]
}

/// Returns the index vectors that sort one or two vectors by plane, with every eight elements in reverse order.
pub(super) const fn sort<const T: usize>() -> [[u8; 64]; 2] {
    let mut index = [[0; 64]; 2];
    let mut to = 0;
    while to < 64 {
        let (top, i) = (to / 8, 7 - to % 8);
        let mut which = 0;
        while which < 2 {
            index[which][to] = match T {
                1 => top * 8 + i,
                2 => top / 2 * 16 + i * 2 + top % 2,
                4 => top / 4 * 64 + which * 32 + i * 4 + top % 4,
                8 => top / 4 * 64 + i * 8 + which * 4 + top % 4,
                _ => i / 4 * 64 + i % 4 * 16 + which * 8 + top,
            } as u8;
            which += 1;
        }
        to += 1;
    }
    index
}

/// Undoes [`sort`], except for the order of the elements.
pub(super) const fn unsort<const T: usize>() -> [[u8; 64]; 2] {
    let mut index = [[0; 64]; 2];
    let mut to = 0;
    while to < 64 {
        let mut which = 0;
        while which < 2 {
            index[which][to] = match T {
                2 => which * 64 + to / 16 * 16 + to % 2 * 8 + to / 2 % 8,
                4 => to / 32 * 64 + which * 32 + to % 4 * 8 + to / 4 % 8,
                8 => to / 4 % 2 * 64 + which * 32 + to % 4 * 8 + to / 8,
                _ => to / 8 % 2 * 64 + to % 8 * 8 + which * 4 + to / 16,
            } as u8;
            which += 1;
        }
        to += 1;
    }
    index
}

/// After the zips of typesize 2, a place is `u1 u0 u5 u4 u3 u2`.
pub(super) static ORDER_2: [u8; 64] = {
    let mut index = [0; 64];
    let mut u = 0;
    while u < 64 {
        index[u] = (u % 4 * 16 + u / 4) as u8;
        u += 1;
    }
    index
};

pub(super) static UNORDER_2: [u8; 64] = {
    let mut index = [0; 64];
    let mut u = 0;
    while u < 64 {
        index[u % 4 * 16 + u / 4] = u as u8;
        u += 1;
    }
    index
};

/// After the zips of typesize 1, a place is `u2 u1 u6 u5 u4 u3`, in two vectors by `u0`. Rows are two vectors by `u6`.
pub(super) static ORDER_1: [[u8; 64]; 2] = {
    let mut index = [[0; 64]; 2];
    let mut u = 0;
    while u < 128 {
        index[u / 64][u % 64] = (u % 2 * 64 + u / 2 % 4 * 16 + u / 8) as u8;
        u += 1;
    }
    index
};

pub(super) static UNORDER_1: [[u8; 64]; 2] = {
    let mut index = [[0; 64]; 2];
    let mut u = 0;
    while u < 128 {
        index[u % 2][u / 2 % 4 * 16 + u / 8] = u as u8;
        u += 1;
    }
    index
};
