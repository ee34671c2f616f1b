//! Shuffle and unshuffle over 16-byte lanes. The parent module describes the functions used.

/// Generates `shuffle` and `unshuffle` of whole elements of two bytes and more. `weaker` is the module for short
/// buffers.
macro_rules! lane_shuffle {
    ($feature:literal, $weaker:ident) => {
        use $crate::kernels::lanes::{gather_index, starts};
        use $crate::kernels::planes::{exactly, from_each_plane, from_planes, planes_of, to_planes};

        /// Elements in one tile: one byte of each fills a vector.
        const ROWS: usize = 16 * LANES;

        /// Shuffles whole elements.
        #[target_feature(enable = $feature)]
        pub(super) fn shuffle(typesize: usize, src: &[u8], dst: &mut [u8]) {
            match typesize {
                _ if src.len() / typesize < ROWS => $weaker::shuffle(typesize, src, dst),
                2 => shuffle_even::<2, { 4 * ROWS }, { 8 * ROWS }>(src, dst),
                4 => shuffle_even::<4, { 2 * ROWS }, { 8 * ROWS }>(src, dst),
                8 => shuffle_even::<8, ROWS, { 8 * ROWS }>(src, dst),
                16 if shuffle_16(src, planes_of(dst)) => {}
                _ if shuffle_odd(typesize, src, dst) => {}
                _ => shuffle_columns(typesize, src, dst),
            }
        }

        /// Shuffles to separate planes. Returns `false` if this function does not support the number or length of
        /// planes.
        #[target_feature(enable = $feature)]
        pub(super) fn shuffle_planes(src: &[u8], planes: &mut [&mut [u8]]) -> bool {
            let done = match planes.len() {
                2 => exactly(planes).map(|planes| shuffle_even_to::<2, { 4 * ROWS }, { 8 * ROWS }>(src, planes)),
                4 => exactly(planes).map(|planes| shuffle_even_to::<4, { 2 * ROWS }, { 8 * ROWS }>(src, planes)),
                8 => exactly(planes).map(|planes| shuffle_even_to::<8, ROWS, { 8 * ROWS }>(src, planes)),
                16 => exactly(planes).map(|planes| shuffle_16(src, planes)),
                _ => None,
            };
            done.unwrap_or(false)
        }

        /// Undoes [`shuffle`].
        #[target_feature(enable = $feature)]
        pub(super) fn unshuffle(typesize: usize, src: &[u8], dst: &mut [u8]) {
            match typesize {
                _ if src.len() / typesize < ROWS => $weaker::unshuffle(typesize, src, dst),
                2 => unshuffle_even::<2, { 4 * ROWS }, { 8 * ROWS }>(src, dst),
                4 => unshuffle_even::<4, { 2 * ROWS }, { 8 * ROWS }>(src, dst),
                8 => unshuffle_even::<8, ROWS, { 8 * ROWS }>(src, dst),
                16 => unshuffle_16(src, dst),
                _ if unshuffle_odd(typesize, src, dst) => {}
                _ => unshuffle_columns(typesize, src, dst),
            }
        }

        /// Unshuffles from separate planes. Returns `false` if this function does not support the number or length of
        /// planes.
        #[target_feature(enable = $feature)]
        pub(super) fn unshuffle_planes(planes: &[&[u8]], dst: &mut [u8]) -> bool {
            match *planes {
                [a, b] => from_each_plane([a, b], dst, |rows, tile: &mut [u8; 8 * ROWS]| {
                    unshuffle_tile::<2, { 4 * ROWS }, { 8 * ROWS }>(rows, tile);
                }),
                [a, b, c, d] => from_each_plane([a, b, c, d], dst, |rows, tile: &mut [u8; 8 * ROWS]| {
                    unshuffle_tile::<4, { 2 * ROWS }, { 8 * ROWS }>(rows, tile);
                }),
                [a, b, c, d, e, f, g, h] => {
                    from_each_plane([a, b, c, d, e, f, g, h], dst, |rows, tile: &mut [u8; 8 * ROWS]| {
                        unshuffle_tile::<8, ROWS, { 8 * ROWS }>(rows, tile);
                    })
                }
                _ => {
                    let elements = dst.len() / planes.len().max(1);
                    if elements < ROWS
                        || dst.len() != elements * planes.len()
                        || planes.iter().any(|plane| plane.len() != elements)
                    {
                        return false;
                    }
                    match planes.first_chunk() {
                        Some(all) if planes.len() == 16 => {
                            from_each_plane(*all, dst, |rows, tile| unshuffle_tile_16(rows, tile))
                        }
                        _ => unshuffle_odd_planes(planes, dst),
                    }
                }
            }
        }

        /// Shuffles typesizes 2, 4 and 8, eight vectors at a time.
        #[target_feature(enable = $feature)]
        fn shuffle_even<const N: usize, const ROW: usize, const TILE: usize>(src: &[u8], dst: &mut [u8]) {
            if !shuffle_even_to::<N, ROW, TILE>(src, planes_of(dst)) {
                shuffle_small::<N>(src, dst);
            }
        }

        #[target_feature(enable = $feature)]
        fn shuffle_even_to<const N: usize, const ROW: usize, const TILE: usize>(
            src: &[u8],
            planes: [&mut [u8]; N],
        ) -> bool {
            // Opaque to LLVM, which otherwise turns a look-up and a zip into two look-ups and a blend.
            let index = std::hint::black_box(gather_index(N));
            to_planes(src, planes, |tile: &[u8; TILE], rows: [&mut [u8; ROW]; N]| {
                let mut v = [[zero(); N]; 4];
                for at in (0..ROW).step_by(ROWS) {
                    v[at / ROWS] = gather_planes(load_pieces::<N>(tile, N * at, 16, 16 * N), &index);
                }
                for j in 0..N {
                    for at in (0..ROW).step_by(ROWS) {
                        store_rows(rows[j], at, 0, 1, [v[at / ROWS][j]]);
                    }
                }
            })
        }

        /// Undoes [`shuffle_even`].
        #[target_feature(enable = $feature)]
        fn unshuffle_even<const N: usize, const ROW: usize, const TILE: usize>(src: &[u8], dst: &mut [u8]) {
            if !from_planes(src, dst, |rows, tile| unshuffle_tile::<N, ROW, TILE>(rows, tile)) {
                unshuffle_small::<N>(src, dst);
            }
        }

        #[inline]
        #[target_feature(enable = $feature)]
        fn unshuffle_tile<const N: usize, const ROW: usize, const TILE: usize>(
            rows: [&[u8; ROW]; N],
            tile: &mut [u8; TILE],
        ) {
            for at in (0..ROW).step_by(ROWS) {
                let mut v = [zero(); N];
                for j in 0..N {
                    [v[j]] = load_rows::<1>(rows[j], at, 0, 1);
                }
                for _ in 0..N.ilog2() {
                    v = rotate(v);
                }
                store_neighbours(tile, N * at, 16 * N, v);
            }
        }

        /// Shuffles typesize 16, two vectors of each plane at a time. Planes are often a multiple of 4 KiB apart. The cache then
        /// holds the lines of half of the planes, so a line that is written in two tiles is fetched twice.
        #[target_feature(enable = $feature)]
        fn shuffle_16(src: &[u8], planes: [&mut [u8]; 16]) -> bool {
            to_planes(src, planes, |tile: &[u8; 32 * ROWS], rows: [&mut [u8; 2 * ROWS]; 16]| {
                let (v, w) = (load_tile(tile, 0, 16), load_tile(tile, 16 * ROWS, 16));
                for i in 0..4 {
                    let (v, w) = (rotate_quad(&v, i), rotate_quad(&w, i));
                    for j in 0..4 {
                        store_rows(rows[4 * i + j], 0, 0, 1, [v[j]]);
                        store_rows(rows[4 * i + j], ROWS, 0, 1, [w[j]]);
                    }
                }
            })
        }

        #[target_feature(enable = $feature)]
        fn unshuffle_16(src: &[u8], dst: &mut [u8]) {
            from_planes(src, dst, |rows, tile| unshuffle_tile_16(rows, tile));
        }

        #[inline]
        #[target_feature(enable = $feature)]
        fn unshuffle_tile_16(rows: [&[u8; ROWS]; 16], tile: &mut [u8; 16 * ROWS]) {
            let mut v = [zero(); 16];
            for i in 0..4 {
                let mut quad = [zero(); 4];
                for j in 0..4 {
                    [quad[j]] = load_rows::<1>(rows[i + 4 * j], 0, 0, 1);
                }
                let quad = rotate(rotate(quad));
                for j in 0..4 {
                    v[4 * i + j] = quad[j];
                }
            }
            for i in 0..4 {
                store_neighbours(tile, 64 * i, 256, rotate_quad(&v, i));
            }
        }

        /// [`shuffle_even`] for less than one of its tiles.
        #[target_feature(enable = $feature)]
        fn shuffle_small<const N: usize>(src: &[u8], dst: &mut [u8]) {
            let (elements, index) = (src.len() / N, gather_index(N));
            for at in starts(elements, ROWS) {
                let v = gather_planes(load_pieces::<N>(src, at * N, 16, 16 * N), &index);
                store_rows(dst, at, elements, N, v);
            }
        }

        /// Undoes [`shuffle_small`].
        #[target_feature(enable = $feature)]
        fn unshuffle_small<const N: usize>(src: &[u8], dst: &mut [u8]) {
            let elements = src.len() / N;
            for at in starts(elements, ROWS) {
                let mut v = load_rows::<N>(src, at, elements, N);
                for _ in 0..N.ilog2() {
                    v = rotate(v);
                }
                store_pieces(dst, at * N, 16, 16 * N, v);
            }
        }

        /// Shuffles elements of more than 16 bytes, 16 columns at a time.
        #[target_feature(enable = $feature)]
        fn shuffle_columns(typesize: usize, src: &[u8], dst: &mut [u8]) {
            let elements = src.len() / typesize;
            for at in starts(elements, ROWS) {
                for column in starts(typesize, 16) {
                    let v = load_tile(src, at * typesize + column, typesize);
                    for i in 0..4 {
                        store_rows(dst, (column + 4 * i) * elements + at, elements, 4, rotate_quad(&v, i));
                    }
                }
            }
        }

        /// Undoes [`shuffle_columns`].
        #[target_feature(enable = $feature)]
        fn unshuffle_columns(typesize: usize, src: &[u8], dst: &mut [u8]) {
            let elements = src.len() / typesize;
            for at in starts(elements, ROWS) {
                for column in starts(typesize, 16) {
                    let mut v = [zero(); 16];
                    for i in 0..4 {
                        let quad = load_rows::<4>(src, (column + i) * elements + at, 4 * elements, 4);
                        let quad = rotate(rotate(quad));
                        for j in 0..4 {
                            v[4 * i + j] = quad[j];
                        }
                    }
                    store_tile(dst, at * typesize + column, typesize, v);
                }
            }
        }

        /// One round of byte zips: rotates the address of every byte by one bit.
        #[inline]
        #[target_feature(enable = $feature)]
        fn rotate<const N: usize>(v: [V; N]) -> [V; N] {
            let mut rotated = v;
            for i in 0..N / 2 {
                (rotated[2 * i], rotated[2 * i + 1]) = zip8(v[i], v[i + N / 2]);
            }
            rotated
        }

        /// Returns vectors `4i..4i + 4` after two rounds on sixteen.
        #[inline]
        #[target_feature(enable = $feature)]
        fn rotate_quad(v: &[V; 16], i: usize) -> [V; 4] {
            rotate(rotate([v[i], v[i + 4], v[i + 8], v[i + 12]]))
        }

        /// Loads 16 columns of `ROWS` rows, and does two of the four rounds.
        #[inline]
        #[target_feature(enable = $feature)]
        fn load_tile(src: &[u8], at: usize, stride: usize) -> [V; 16] {
            let mut v = [zero(); 16];
            for i in 0..4 {
                let quad = rotate(rotate(load_pieces::<4>(src, at + i * stride, 4 * stride, 16 * stride)));
                for j in 0..4 {
                    v[4 * i + j] = quad[j];
                }
            }
            v
        }

        /// Does the other two rounds, and stores 16 columns of `ROWS` rows.
        #[inline]
        #[target_feature(enable = $feature)]
        fn store_tile(dst: &mut [u8], at: usize, stride: usize, v: [V; 16]) {
            for i in 0..4 {
                store_pieces(dst, at + 4 * i * stride, stride, 16 * stride, rotate_quad(&v, i));
            }
        }
    };
}
pub(in super::super) use lane_shuffle;
