//! Shuffle and unshuffle of fewer than 16 planes over 16-byte lanes without look-ups. The parent module describes the
//! functions used.

/// Generates kernels for typesizes up to 15. They are handled as typesize 16 with missing bytes.
macro_rules! lane_gaps {
    ($feature:literal) => {
        use $crate::kernels::lanes::slack;

        /// Shuffles `ROWS` elements or more. Returns `false` for unsupported typesizes.
        #[inline]
        #[target_feature(enable = $feature)]
        fn shuffle_odd(typesize: usize, src: &[u8], dst: &mut [u8]) -> bool {
            if typesize < 16 {
                shuffle_below_16(typesize, src, dst);
            }
            typesize < 16
        }

        /// Undoes [`shuffle_odd`].
        #[inline]
        #[target_feature(enable = $feature)]
        fn unshuffle_odd(typesize: usize, src: &[u8], dst: &mut [u8]) -> bool {
            if typesize < 16 {
                unshuffle_below_16(typesize, src, dst);
            }
            typesize < 16
        }

        /// Not supported: the planes must be joined first.
        fn unshuffle_odd_planes(_: &[&[u8]], _: &mut [u8]) -> bool {
            false
        }

        /// Shuffles elements of fewer than 16 bytes, each in its own vector.
        #[target_feature(enable = $feature)]
        fn shuffle_below_16(typesize: usize, src: &[u8], dst: &mut [u8]) {
            let elements = src.len() / typesize;
            // An element is read together with the bytes after it. At the end of the buffer, it is copied first.
            let direct = (elements + 1).saturating_sub(ROWS + slack(typesize));
            let mut end = [0; 16 * ROWS];
            for at in starts(elements, ROWS) {
                let (mut from, mut from_at) = (src, at * typesize);
                if at >= direct {
                    end[..ROWS * typesize].copy_from_slice(&src[from_at..][..ROWS * typesize]);
                    (from, from_at) = (&end, 0);
                }
                let v = load_pieces::<16>(from, from_at, typesize, 16 * typesize);
                store_rows(dst, at, elements, typesize, rotate(rotate(rotate(rotate(v)))));
            }
        }

        /// Undoes [`shuffle_below_16`]. The last plane stands in for missing planes, whose bytes are overwritten or
        /// ignored.
        #[target_feature(enable = $feature)]
        fn unshuffle_below_16(typesize: usize, src: &[u8], dst: &mut [u8]) {
            let elements = src.len() / typesize;
            let direct = (elements + 1).saturating_sub(ROWS + slack(typesize));
            let mut end = [0; 16 * ROWS];
            for at in starts(elements, ROWS) {
                let mut v = [zero(); 16];
                for i in 0..4 {
                    let mut quad = [zero(); 4];
                    for j in 0..4 {
                        [quad[j]] = load_rows::<1>(src, (i + 4 * j).min(typesize - 1) * elements + at, 0, 1);
                    }
                    let quad = rotate(rotate(quad));
                    for j in 0..4 {
                        v[4 * i + j] = quad[j];
                    }
                }
                let mut rows = v;
                for i in 0..4 {
                    let quad = rotate_quad(&v, i);
                    for j in 0..4 {
                        rows[4 * i + j] = quad[j];
                    }
                }
                let indirect = at >= direct;
                let (to, to_at) = if indirect { (&mut end[..], 0) } else { (&mut *dst, at * typesize) };
                store_pieces(to, to_at, typesize, 16 * typesize, rows);
                if indirect {
                    dst[at * typesize..][..ROWS * typesize].copy_from_slice(&end[..ROWS * typesize]);
                }
            }
        }
    };
}
pub(in super::super) use lane_gaps;

/// Returns the number of elements that must follow a tile whose last element, of fewer than 16 bytes, is read or
/// written as 16.
pub(in super::super) fn slack(typesize: usize) -> usize {
    (16 - typesize).div_ceil(typesize)
}
