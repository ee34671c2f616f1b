//! Bitshuffle and bitunshuffle over 16-byte lanes. The parent module describes the functions used; `lane_shuffle!` must
//! be expanded first.

/// Generates `bitshuffle` and `bitunshuffle` of whole groups. `weaker` is the module for short buffers.
macro_rules! lane_bitshuffle {
    ($feature:literal, $weaker:ident) => {
        use std::mem::MaybeUninit;
        use $crate::kernels::lanes::{group_columns, planes_at_a_time, strips};
        use $crate::kernels::prefetch;

        /// Bytes of source processed at a time, so that they and their result stay in a cache of 32 KiB.
        const STRIP: usize = 16 * 1024;

        /// Number of vectors in a strip. One tile fills at most half of it.
        const SCRATCH: usize = STRIP / (16 * LANES);

        /// Bitshuffles whole groups of eight elements.
        #[target_feature(enable = $feature)]
        pub(super) fn bitshuffle(typesize: usize, src: &[u8], dst: &mut [u8]) {
            let groups = src.len() / typesize / 8;
            match typesize {
                _ if groups < ROWS => $weaker::bitshuffle(typesize, src, dst),
                1 => {
                    for at in starts(groups, ROWS) {
                        let v = rotate(rotate(rotate(rotate(load_pieces::<8>(src, at * 8, 16, 128)))));
                        store_rows(dst, at, groups, 8, butterfly(v));
                    }
                }
                2 if LANES > 1 => bitshuffle_strips::<2>(typesize, src, dst),
                4 if LANES > 1 => bitshuffle_strips::<4>(typesize, src, dst),
                8 if LANES > 1 => bitshuffle_strips::<8>(typesize, src, dst),
                16 if LANES > 1 => bitshuffle_strips::<16>(typesize, src, dst),
                _ => bitshuffle_strips::<0>(typesize, src, dst),
            }
        }

        /// Undoes [`bitshuffle`].
        #[target_feature(enable = $feature)]
        pub(super) fn bitunshuffle(typesize: usize, src: &[u8], dst: &mut [u8]) {
            let groups = src.len() / typesize / 8;
            match typesize {
                _ if groups < ROWS => $weaker::bitunshuffle(typesize, src, dst),
                1 => {
                    for at in starts(groups, ROWS) {
                        let v = butterfly(load_rows::<8>(src, at, groups, 8));
                        store_neighbours(dst, at * 8, 128, rotate(rotate(rotate(v))));
                    }
                }
                2 if LANES > 1 => bitunshuffle_strips::<2>(typesize, src, dst),
                4 if LANES > 1 => bitunshuffle_even::<4, 4>(src, dst),
                8 if LANES > 1 => bitunshuffle_even::<8, 2>(src, dst),
                16 if LANES > 1 => bitunshuffle_strips::<16>(typesize, src, dst),
                _ => bitunshuffle_strips::<0>(typesize, src, dst),
            }
        }

        /// Bitshuffles several tiles at a time, so that rows are written in longer runs. Rows are often a multiple of 4
        /// KiB apart (blocks of 32 KiB times the typesize). The cache can then hold only one row per way at once.
        ///
        /// If `T` is not 0, it is the typesize. The compiler then knows the distances of all pieces but the rows, which makes
        /// the kernel 1.1 to 1.4 times as fast (decision 002).
        #[target_feature(enable = $feature)]
        fn bitshuffle_strips<const T: usize>(typesize: usize, src: &[u8], dst: &mut [u8]) {
            let typesize = if T > 0 { T } else { typesize };
            let (group, groups) = (8 * typesize, src.len() / typesize / 8);
            let planes = planes_at_a_time(typesize);
            let mut scratch = [MaybeUninit::uninit(); SCRATCH];
            let tiles = (STRIP / (ROWS * group)).max(1);
            let is_far = groups > tiles * ROWS;
            // Of the source of the next strip, the even parts are prefetched while this strip is loaded, the odd ones while
            // its rows are stored. Larger typesizes prefetch all while rows are stored.
            let is_halved = matches!(T, 2 | 4 | 8);
            let prefetch_part = |at: usize, part: usize| {
                let next = src[at * group..].as_ptr().wrapping_add(tiles * ROWS * group);
                for line in 0..ROWS / 8 {
                    prefetch::for_reading_to_l2(next, part * ROWS * 8 + line * 64);
                }
            };
            for strip in strips(groups, ROWS, tiles) {
                for first in starts(typesize, planes) {
                    for (scratch, at) in scratch.chunks_exact_mut(8 * planes).zip(strip.clone()) {
                        for (to, column) in group_columns(typesize, first) {
                            if is_far && is_halved {
                                prefetch_part(at, to / 8);
                            }
                            let v = load_tile(src, at * group + column, group);
                            let to = &mut scratch[to..].as_chunks_mut::<16>().0[0];
                            for i in 0..4 {
                                let quad = rotate_quad(&v, i);
                                for j in 0..4 {
                                    to[4 * i + j].write(quad[j]);
                                }
                            }
                        }
                    }
                    for j in 0..planes {
                        for (scratch, at) in scratch.chunks_exact(8 * planes).zip(strip.clone()) {
                            if is_far && (!is_halved || j % 2 == 1) {
                                prefetch_part(at, first + j);
                            }
                            let mut v = [zero(); 8];
                            for (v, scratch) in v.iter_mut().zip(scratch.chunks_exact(planes)) {
                                // SAFETY: the loop above has written all `8 * planes` vectors of each of these tiles.
                                *v = unsafe { scratch[j].assume_init() };
                            }
                            let row = (first + j) * 8 * groups + at;
                            store_rows(dst, row, groups, 8, butterfly(v));
                        }
                    }
                }
            }
        }

        /// Undoes [`bitshuffle_strips`], whose `T` it has too. Prefetches the destination of a strip while its rows are loaded.
        #[target_feature(enable = $feature)]
        fn bitunshuffle_strips<const T: usize>(typesize: usize, src: &[u8], dst: &mut [u8]) {
            let typesize = if T > 0 { T } else { typesize };
            let (group, groups) = (8 * typesize, src.len() / typesize / 8);
            let planes = planes_at_a_time(typesize);
            let mut scratch = [MaybeUninit::uninit(); SCRATCH];
            for strip in strips(groups, ROWS, (STRIP / (ROWS * group)).max(1)) {
                for first in starts(typesize, planes) {
                    for j in 0..planes {
                        for (scratch, at) in scratch.chunks_exact_mut(8 * planes).zip(strip.clone()) {
                            let to = dst[at * group..].as_ptr();
                            for line in 0..ROWS / 8 {
                                prefetch::for_writing(to, (first + j) * ROWS * 8 + line * 64);
                            }
                            let row = (first + j) * 8 * groups + at;
                            let v = butterfly(load_rows::<8>(src, row, groups, 8));
                            for (v, scratch) in v.into_iter().zip(scratch.chunks_exact_mut(planes)) {
                                scratch[j].write(v);
                            }
                        }
                    }
                    for (scratch, at) in scratch.chunks_exact(8 * planes).zip(strip.clone()) {
                        for (from, column) in group_columns(typesize, first) {
                            let from = &scratch[from..].as_chunks::<16>().0[0];
                            let mut v = [zero(); 16];
                            for i in 0..4 {
                                let mut quad = [zero(); 4];
                                for j in 0..4 {
                                    // SAFETY: the loop above has written all `8 * planes` vectors of each tile.
                                    quad[j] = unsafe { from[i + 4 * j].assume_init() };
                                }
                                let quad = rotate(rotate(quad));
                                for j in 0..4 {
                                    v[4 * i + j] = quad[j];
                                }
                            }
                            store_tile(dst, at * group + column, group, v);
                        }
                    }
                }
            }
        }

        /// [`bitunshuffle_strips`] for a typesize `T` of 4 or 8, with `N = 16 / T`.
        ///
        /// The 16 vectors of a tile are the planes of `N` elements. Its first rounds are between elements, which come out of one
        /// butterfly, and its last ones between planes. So no step has more than eight vectors, and all stay in registers.
        ///
        /// ```text
        ///   element   plane        first phase              second phase
        ///   eeee    | jjjj    -->  jjjj | eeee (scratch)    rows of the tile
        /// ```
        #[target_feature(enable = $feature)]
        fn bitunshuffle_even<const T: usize, const N: usize>(src: &[u8], dst: &mut [u8]) {
            const { assert!(T * N == 16) };
            let (group, groups) = (8 * T, src.len() / T / 8);
            let mut scratch = [[MaybeUninit::uninit(); 16]; SCRATCH / 16];
            for strip in strips(groups, ROWS, STRIP / (ROWS * group)) {
                for j in 0..T {
                    for (scratch, at) in scratch.chunks_exact_mut(T / 2).zip(strip.clone()) {
                        let to = dst[at * group..].as_ptr();
                        for line in 0..ROWS / 8 {
                            prefetch::for_writing(to, j * ROWS * 8 + line * 64);
                        }
                        let v = butterfly(load_rows::<8>(src, j * 8 * groups + at, groups, 8));
                        for (scratch, v) in scratch.iter_mut().zip(v.as_chunks::<N>().0) {
                            let mut v = *v;
                            for _ in 0..N.ilog2() {
                                v = rotate(v);
                            }
                            for k in 0..N {
                                scratch[j * N + k].write(v[k]);
                            }
                        }
                    }
                }
                for (scratch, at) in scratch.chunks_exact(T / 2).zip(strip.clone()) {
                    for (tile, scratch) in scratch.iter().enumerate() {
                        for k in 0..N {
                            let mut v = [zero(); T];
                            for j in 0..T {
                                // SAFETY: the loop above has written all vectors of each tile.
                                v[j] = unsafe { scratch[j * N + k].assume_init() };
                            }
                            for _ in 0..T.ilog2() {
                                v = rotate(v);
                            }
                            let row = at * group + tile * 16 + k * T * group;
                            store_pieces(dst, row, group, 16 * group, v);
                        }
                    }
                }
            }
        }

        /// Exchanges bit `k` of every byte of vector `b` with bit `b` of the same byte of vector `k`.
        #[inline]
        #[target_feature(enable = $feature)]
        fn butterfly(mut v: [V; 8]) -> [V; 8] {
            for i in [0, 1, 2, 3] {
                (v[i], v[i + 4]) = swap_bits::<4>(v[i], v[i + 4]);
            }
            for i in [0, 1, 4, 5] {
                (v[i], v[i + 2]) = swap_bits::<2>(v[i], v[i + 2]);
            }
            for i in [0, 2, 4, 6] {
                (v[i], v[i + 1]) = swap_bits::<1>(v[i], v[i + 1]);
            }
            v
        }
    };
}
pub(in super::super) use lane_bitshuffle;
