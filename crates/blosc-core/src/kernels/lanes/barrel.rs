//! Shuffle and unshuffle of typesizes with an odd factor over 16-byte lanes. The parent module describes the functions
//! used.

/// Generates kernels for typesizes `Q * B`, with `Q` odd and `B` a power of two up to 8.
///
/// A lane holds `U = 16 / B` units of `B` bytes. The units of `Q` consecutive lanes are numbered consecutively and
/// dealt out to `Q` groups in turn, so each element has a unit in every group. As `Q` is odd, units at the same place
/// in `Q` lanes belong to different groups, so blends can bring each group together. This is a *barrel*: it moves unit
/// `p` of a lane by `p / U` lanes, divided modulo `Q`. Typesize 12 is three groups of units of 4 bytes (numbers are
/// groups, `a` to `d` elements of the first group):
///
/// ```text
///   place         0  1  2  3                  0  1  2  3
///   vector 0     0a  1  2 0b                 0a 0d 0c 0b
///   vector 1      1  2 0c  1   -- barrel -->  2  2  2  2
///   vector 2      2 0d  1  2                  1  1  1  1
/// ```
///
/// The rest is a shuffle of typesize `B` for each group, with look-ups that also put the units in order.
macro_rules! lane_barrel {
    ($feature:literal) => {
        use $crate::kernels::lanes::{by_odd_typesize, moves, sort_units, unsort_units};

        /// Shuffles `ROWS` elements or more. Returns `false` for unsupported typesizes.
        #[inline]
        #[target_feature(enable = $feature)]
        fn shuffle_odd(typesize: usize, src: &[u8], dst: &mut [u8]) -> bool {
            by_odd_typesize!(typesize, shuffle_units(src, dst))
        }

        /// Undoes [`shuffle_odd`].
        #[inline]
        #[target_feature(enable = $feature)]
        fn unshuffle_odd(typesize: usize, src: &[u8], dst: &mut [u8]) -> bool {
            by_odd_typesize!(typesize, unshuffle_units_of(src, dst))
        }

        /// The same with `ROWS` bytes or more of separate planes.
        #[inline]
        #[target_feature(enable = $feature)]
        fn unshuffle_odd_planes(planes: &[&[u8]], dst: &mut [u8]) -> bool {
            by_odd_typesize!(planes.len(), unshuffle_units_of_each(planes, dst))
        }

        #[target_feature(enable = $feature)]
        fn shuffle_units<const Q: usize, const B: usize>(src: &[u8], dst: &mut [u8]) {
            let elements = src.len() / (Q * B);
            let moves = const { moves::<Q, B>() };
            // Opaque to LLVM, which otherwise merges look-ups and blends into more look-ups.
            let sort = std::hint::black_box(const { sort_units::<Q, B>() });
            for at in starts(elements, ROWS) {
                let mut dealt = [[zero(); B]; Q];
                for i in 0..B {
                    let v = load_pieces(src, (at * B + 16 * i) * Q, 16, 16 * Q * B);
                    let v = barrel::<Q, false>(v, &moves);
                    for h in 0..Q {
                        dealt[16 / B * h % Q][i] = v[h];
                    }
                }
                for g in 0..Q {
                    store_rows(dst, g * B * elements + at, elements, B, gather_planes(dealt[g], &sort[g]));
                }
            }
        }

        #[target_feature(enable = $feature)]
        fn unshuffle_units_of<const Q: usize, const B: usize>(src: &[u8], dst: &mut [u8]) {
            let elements = src.len() / (Q * B);
            unshuffle_units::<Q, B>(|g, at| load_rows(src, g * B * elements + at, elements, B), dst);
        }

        #[target_feature(enable = $feature)]
        fn unshuffle_units_of_each<const Q: usize, const B: usize>(planes: &[&[u8]], dst: &mut [u8]) {
            let rows = |g: usize, at: usize| {
                let mut rows = [zero(); B];
                for b in 0..B {
                    [rows[b]] = load_rows::<1>(planes[g * B + b], at, 0, 1);
                }
                rows
            };
            unshuffle_units::<Q, B>(rows, dst);
        }

        #[inline]
        #[target_feature(enable = $feature)]
        fn unshuffle_units<const Q: usize, const B: usize>(rows: impl Fn(usize, usize) -> [V; B], dst: &mut [u8]) {
            let moves = const { moves::<Q, B>() };
            // Opaque to LLVM, as in `shuffle_units`.
            let unsort = std::hint::black_box(const { unsort_units::<Q, B>() });
            for at in starts(dst.len() / (Q * B), ROWS) {
                let mut dealt = [[zero(); B]; Q];
                for g in 0..Q {
                    dealt[g] = scatter_planes(rows(g, at), &unsort[g]);
                }
                for i in 0..B {
                    let mut v = [zero(); Q];
                    for h in 0..Q {
                        v[h] = dealt[16 / B * h % Q][i];
                    }
                    let v = barrel::<Q, true>(v, &moves);
                    store_pieces(dst, (at * B + 16 * i) * Q, 16, 16 * Q * B, v);
                }
            }
        }

        /// Takes each byte from the vector `n` further up, or down. The masks hold the bits of `n` for each place.
        #[inline]
        #[target_feature(enable = $feature)]
        fn barrel<const Q: usize, const UP: bool>(mut v: [V; Q], moves: &[[u8; 16]; 4]) -> [V; Q] {
            for bit in 0..4 {
                let step = 1 << bit;
                if step < Q {
                    let ([mask], from) = (load_pieces::<1>(moves[bit].as_slice(), 0, 0, 0), v);
                    for i in 0..Q {
                        let other = if UP { (i + step) % Q } else { (i + Q - step) % Q };
                        v[i] = select(mask, from[other], from[i]);
                    }
                }
            }
            v
        }
    };
}
pub(in super::super) use lane_barrel;

/// Calls a kernel for typesizes `Q * B`, only for those where it is faster. Returns `false` for others.
macro_rules! by_odd_typesize {
    ($typesize:expr, $kernel:ident $args:tt) => {{
        match $typesize {
            3 => $kernel::<3, 1> $args,
            5 => $kernel::<5, 1> $args,
            6 => $kernel::<3, 2> $args,
            7 => $kernel::<7, 1> $args,
            9 => $kernel::<9, 1> $args,
            10 => $kernel::<5, 2> $args,
            11 => $kernel::<11, 1> $args,
            12 => $kernel::<3, 4> $args,
            13 => $kernel::<13, 1> $args,
            14 => $kernel::<7, 2> $args,
            15 => $kernel::<15, 1> $args,
            18 => $kernel::<9, 2> $args,
            20 => $kernel::<5, 4> $args,
            24 => $kernel::<3, 8> $args,
            28 => $kernel::<7, 4> $args,
            36 => $kernel::<9, 4> $args,
            40 => $kernel::<5, 8> $args,
            _ => return false,
        }
        true
    }};
}
pub(in super::super) use by_odd_typesize;

/// Returns the masks of the bytes that a barrel of `Q` lanes moves by 1, 2, 4 and 8 lanes.
pub(in super::super) const fn moves<const Q: usize, const B: usize>() -> [[u8; 16]; 4] {
    let mut masks = [[0; 16]; 4];
    let mut n = 0;
    while n < 64 {
        let (bit, byte) = (n / 16, n % 16);
        let distance = byte / B * inverse(16 / B, Q) % Q;
        masks[bit][byte] = if (distance >> bit).is_multiple_of(2) { 0 } else { 0xff };
        n += 1;
    }
    masks
}

/// Returns the look-ups that sort units by plane.
///
/// Unit `e` of group `g` is at place `Q * e + g`, modulo the units of a lane. Its byte `b` goes to unit `e` of plane
/// `b`.
pub(in super::super) const fn sort_units<const Q: usize, const B: usize>() -> [[u8; 16]; Q] {
    let (mut index, units) = ([[0; 16]; Q], 16 / B);
    let mut n = 0;
    while n < 16 * Q {
        let (g, b, e) = (n / 16, n % 16 / units, n % units);
        index[g][n % 16] = ((Q * e + g) % units * B + b) as u8;
        n += 1;
    }
    index
}

/// Returns the look-ups that move ordered units to their places for a barrel.
pub(in super::super) const fn unsort_units<const Q: usize, const B: usize>() -> [[u8; 16]; Q] {
    let (mut index, units) = ([[0; 16]; Q], 16 / B);
    let mut n = 0;
    while n < 16 * Q {
        let (g, e, b) = (n / 16, n % 16 / B, n % B);
        index[g][(Q * e + g) % units * B + b] = (e * B + b) as u8;
        n += 1;
    }
    index
}

/// Returns the `y < modulus` with `x * y % modulus == 1`, for an `x` that has one; 0 for a modulus of 1.
pub(in super::super) const fn inverse(x: usize, modulus: usize) -> usize {
    let mut y = 0;
    while x * y % modulus != 1 % modulus {
        y += 1;
    }
    y
}
