//! Shuffle with AVX-512: typesizes 2, 4, 8, 16 and 3, 6, 12, 24. All others are AVX2's.
//!
//! A tile is 64 elements of `t` bytes: `t` vectors become one vector of each plane. Write the address of a byte in bits, the
//! vector number before the bar: `e` for the element, `p` for the plane. For `t = 8`:
//!
//! ```text
//! source   e5 e4 e3 | e2 e1 e0 p2 p1 p0
//!          p2 e4 e3 | e5 p1 p0 e2 e1 e0     vpermt2b: any two vectors to any two, exchanges e5 and p2, sorts the rest
//!          p2 p1 e3 | e5 e4 p0 e2 e1 e0     exchange::<4>
//! planes   p2 p1 p0 | e5 e4 e3 e2 e1 e0     exchange::<3>
//! ```
//!
//! Every step is one instruction a vector. With a factor of three, three vectors at a time are dealt out to three (a
//! permutation of two sources and a masked one of the third), and the planes of each third are exchanged into place as
//! above. Unshuffle takes the same steps backwards; for typesizes 2, 4 and 8 AVX2 is as fast or faster on Zen 4.
//!
//! Measured on an AMD EPYC (Zen 4), 16 KiB of typesize 3, 12, 24, against C-Blosc2: shuffle 62, 46, 33 GB/s to 3.6, 3.6, 18;
//! unshuffle 70, 48, 33 GB/s to 2.7, 24, 21.
//!
//! The index vectors are reached through `black_box`: LLVM would otherwise see through permutations of known indices and merge
//! them with the exchanges into ones of two sources, which cost three times as much on Intel CPUs.

use std::arch::x86_64::*;
use std::hint::black_box;

use super::super::avx2;
use super::super::planes::{exactly, from_each_plane, from_planes, planes_of, to_planes};
use super::{exchange, load, store};

/// Shuffles whole elements.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vbmi")]
pub(super) fn shuffle(typesize: usize, src: &[u8], dst: &mut [u8]) {
    let done = match typesize {
        2 => shuffle_power_of_two::<2, 256, 512>(src, planes_of(dst)),
        4 => shuffle_power_of_two::<4, 128, 512>(src, planes_of(dst)),
        8 => shuffle_power_of_two::<8, 64, 512>(src, planes_of(dst)),
        16 => shuffle_power_of_two::<16, 64, 1024>(src, planes_of(dst)),
        3 => shuffle_thirds::<1, 3, 192>(src, planes_of(dst)),
        6 => shuffle_thirds::<2, 6, 384>(src, planes_of(dst)),
        12 => shuffle_thirds::<4, 12, 768>(src, planes_of(dst)),
        24 => shuffle_thirds::<8, 24, 1536>(src, planes_of(dst)),
        _ => false,
    };
    if !done {
        avx2::shuffle(typesize, src, dst);
    }
}

/// The same to planes that lie anywhere; `false` where that is not for this function.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vbmi")]
pub(super) fn shuffle_planes(src: &[u8], planes: &mut [&mut [u8]]) -> bool {
    let done = match planes.len() {
        2 => exactly(planes).is_some_and(|planes| shuffle_power_of_two::<2, 256, 512>(src, planes)),
        4 => exactly(planes).is_some_and(|planes| shuffle_power_of_two::<4, 128, 512>(src, planes)),
        8 => exactly(planes).is_some_and(|planes| shuffle_power_of_two::<8, 64, 512>(src, planes)),
        16 => exactly(planes).is_some_and(|planes| shuffle_power_of_two::<16, 64, 1024>(src, planes)),
        _ => false,
    };
    done || avx2::shuffle_planes(src, planes)
}

/// Undoes [`shuffle`].
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vbmi")]
pub(super) fn unshuffle(typesize: usize, src: &[u8], dst: &mut [u8]) {
    let done = match typesize {
        16 => {
            let elements = src.len() / 16;
            unshuffle_16(std::array::from_fn(|plane| &src[plane * elements..][..elements]), dst)
        }
        3 => unshuffle_thirds::<1, 3, 192>(src, dst),
        6 => unshuffle_thirds::<2, 6, 384>(src, dst),
        12 => unshuffle_thirds::<4, 12, 768>(src, dst),
        24 => unshuffle_thirds::<8, 24, 1536>(src, dst),
        _ => false,
    };
    if !done {
        avx2::unshuffle(typesize, src, dst);
    }
}

/// The same with planes that lie anywhere; `false` where that is not for this function.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vbmi")]
pub(super) fn unshuffle_planes(planes: &[&[u8]], dst: &mut [u8]) -> bool {
    let done = <[&[u8]; 16]>::try_from(planes).is_ok_and(|planes| unshuffle_16(planes, dst));
    done || avx2::unshuffle_planes(planes, dst)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn shuffle_power_of_two<const T: usize, const ROW: usize, const TILE: usize>(
    src: &[u8],
    planes: [&mut [u8]; T],
) -> bool {
    let [low, high] = black_box(&const { sort_pairs::<T>() });
    let (low, high) = (load(low), load(high));
    to_planes(src, planes, |tile: &[u8; TILE], mut rows: [&mut [u8; ROW]; T]| {
        let (tile, _) = tile.as_chunks();
        for at in 0..ROW / 64 {
            let tile = &tile[at * T..][..T];
            let mut v = [_mm512_setzero_si512(); T];
            for i in 0..T / 2 {
                let (a, b) = (load(&tile[i]), load(&tile[i + T / 2]));
                v[i] = _mm512_permutex2var_epi8(a, low, b);
                v[i + T / 2] = _mm512_permutex2var_epi8(a, high, b);
            }
            for (row, v) in rows.iter_mut().zip(exchange_all::<T, 4>(v)) {
                store(&mut row.as_chunks_mut().0[at], v);
            }
        }
    })
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn unshuffle_16(planes: [&[u8]; 16], dst: &mut [u8]) -> bool {
    let [low, high] = black_box(&const { unsort_pairs::<16>() });
    let (low, high) = (load(low), load(high));
    from_each_plane(planes, dst, |rows: [&[u8; 64]; 16], tile: &mut [u8; 1024]| {
        let (tile, _) = tile.as_chunks_mut();
        let mut v = [_mm512_setzero_si512(); 16];
        for (v, row) in v.iter_mut().zip(rows) {
            *v = load(row);
        }
        let v = exchange_all::<16, 4>(v);
        for i in 0..8 {
            store(&mut tile[i], _mm512_permutex2var_epi8(v[i], low, v[i + 8]));
            store(&mut tile[i + 8], _mm512_permutex2var_epi8(v[i], high, v[i + 8]));
        }
    })
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn shuffle_thirds<const B: usize, const T: usize, const TILE: usize>(src: &[u8], planes: [&mut [u8]; T]) -> bool {
    let [deal0, deal1, deal2] = black_box(&const { deal_thirds::<B>() });
    let deal = [choice(deal0), choice(deal1), choice(deal2)];
    to_planes(src, planes, |tile: &[u8; TILE], mut rows: [&mut [u8; 64]; T]| {
        let (tile, _) = tile.as_chunks();
        for third in 0..3 {
            let mut v = [_mm512_setzero_si512(); B];
            for i in 0..B {
                v[i] = select(deal[third], load(&tile[3 * i]), load(&tile[3 * i + 1]), load(&tile[3 * i + 2]));
            }
            for (row, v) in rows[third * B..].iter_mut().zip(exchange_all::<B, 5>(v)) {
                store(row, v);
            }
        }
    })
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn unshuffle_thirds<const B: usize, const T: usize, const TILE: usize>(src: &[u8], dst: &mut [u8]) -> bool {
    let [gather0, gather1, gather2] = black_box(&const { gather_thirds::<B>() });
    let gather = [choice(gather0), choice(gather1), choice(gather2)];
    from_planes(src, dst, |rows: [&[u8; 64]; T], tile: &mut [u8; TILE]| {
        let mut thirds = [[_mm512_setzero_si512(); B]; 3];
        for (third, v) in thirds.iter_mut().enumerate() {
            for i in 0..B {
                v[i] = load(rows[third * B + i]);
            }
            *v = exchange_all::<B, 5>(*v);
        }
        let (tile, _) = tile.as_chunks_mut();
        for i in 0..B {
            for j in 0..3 {
                store(&mut tile[3 * i + j], select(gather[j], thirds[0][i], thirds[1][i], thirds[2][i]));
            }
        }
    })
}

/// Exchanges the bits of the vector number with as many place bits, the highest of them `TOP` or 4.
///
/// The vector number's lowest bit goes with place bit `6 - log2(N)`. For powers of two, place bit 5 has been exchanged before
/// and `TOP` is 4; else it is 5.
#[inline]
#[target_feature(enable = "avx512f")]
fn exchange_all<const N: usize, const TOP: u32>(mut v: [__m512i; N]) -> [__m512i; N] {
    if N >= 16 {
        v = exchange_each::<N, 2>(v);
    }
    if N >= 8 {
        v = exchange_each::<N, 3>(v);
    }
    if N >= 4 {
        v = exchange_each::<N, 4>(v);
    }
    if N >= 2 && TOP == 5 {
        v = exchange_each::<N, 5>(v);
    }
    v
}

#[inline]
#[target_feature(enable = "avx512f")]
fn exchange_each<const N: usize, const BIT: u32>(mut v: [__m512i; N]) -> [__m512i; N] {
    let distance = N >> (6 - BIT);
    for i in 0..N {
        if i & distance == 0 {
            (v[i], v[i + distance]) = exchange::<BIT>(v[i], v[i + distance]);
        }
    }
    v
}

/// A choice of 64 bytes among those of three vectors: indices into the first two, indices into the third, and which it is.
type Choice = ([u8; 64], [u8; 64], u64);

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn choice((ab, c, is_c): &Choice) -> (__m512i, __m512i, u64) {
    (load(ab), load(c), *is_c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn select(choice: (__m512i, __m512i, u64), a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_mask_permutexvar_epi8(_mm512_permutex2var_epi8(a, choice.0, b), choice.2, choice.1, c)
}

/// The two index vectors of the first step: place `e5 | p.. below its top | low e..`, from vectors with `e5` 0 and 1.
const fn sort_pairs<const T: usize>() -> [[u8; 64]; 2] {
    let mut index = [[0; 64]; 2];
    let mut to = 0;
    while to < 64 {
        let (element, plane) = (to % (64 / T), to / (64 / T) % (T / 2));
        let mut top = 0;
        while top < 2 {
            index[top][to] = (to / 32 * 64 + element * T + top * T / 2 + plane) as u8;
            top += 1;
        }
        to += 1;
    }
    index
}

/// Undoes [`sort_pairs`]: the sources have the plane's top bit 0 and 1, the results `e5`.
const fn unsort_pairs<const T: usize>() -> [[u8; 64]; 2] {
    let mut index = [[0; 64]; 2];
    let mut to = 0;
    while to < 64 {
        let (element, plane) = (to / T, to % T);
        let mut e5 = 0;
        while e5 < 2 {
            index[e5][to] = (plane / (T / 2) * 64 + e5 * 32 + plane % (T / 2) * (64 / T) + element) as u8;
            e5 += 1;
        }
        to += 1;
    }
    index
}

/// From three vectors of `64 / B` elements of `3 * B` bytes to the `B` planes of each third, plane by plane.
const fn deal_thirds<const B: usize>() -> [Choice; 3] {
    let mut choices = [([0; 64], [0; 64], 0); 3];
    let mut third = 0;
    while third < 3 {
        let mut to = 0;
        while to < 64 {
            let (element, plane) = (to % (64 / B), to / (64 / B));
            choose(&mut choices[third], to, element * 3 * B + third * B + plane);
            to += 1;
        }
        third += 1;
    }
    choices
}

/// Undoes [`deal_thirds`].
const fn gather_thirds<const B: usize>() -> [Choice; 3] {
    let mut choices = [([0; 64], [0; 64], 0); 3];
    let mut i = 0;
    while i < 192 {
        let (element, third, plane) = (i / (3 * B), i / B % 3, i % B);
        choose(&mut choices[i / 64], i % 64, third * 64 + plane * (64 / B) + element);
        i += 1;
    }
    choices
}

const fn choose(choice: &mut Choice, to: usize, from: usize) {
    if from < 128 {
        choice.0[to] = from as u8;
    } else {
        choice.1[to] = (from - 128) as u8;
        choice.2 |= 1 << to;
    }
}
