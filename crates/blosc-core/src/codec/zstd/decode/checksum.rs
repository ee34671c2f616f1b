//! XXH64, whose low 32 bits are the checksum of a frame.

const PRIMES: [u64; 5] =
    [0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63, 0x27D4_EB2F_1656_67C5];

/// Returns the hash of `bytes` with seed 0.
pub(super) fn xxh64(bytes: &[u8]) -> u64 {
    let [p1, p2, p3, p4, p5] = PRIMES;
    let (stripes, rest) = bytes.as_chunks::<32>();
    let mut hash = if stripes.is_empty() {
        p5
    } else {
        let mut lanes = [p1.wrapping_add(p2), p2, 0, p1.wrapping_neg()];
        for stripe in stripes {
            for (lane, word) in lanes.iter_mut().zip(stripe.as_chunks::<8>().0) {
                *lane = round(*lane, u64::from_le_bytes(*word));
            }
        }
        let mut hash =
            lanes.iter().zip([1, 7, 12, 18]).fold(0, |hash: u64, (lane, n)| hash.wrapping_add(lane.rotate_left(n)));
        for lane in lanes {
            hash = (hash ^ round(0, lane)).wrapping_mul(p1).wrapping_add(p4);
        }
        hash
    };
    hash = hash.wrapping_add(bytes.len() as u64);
    let (words, rest) = rest.as_chunks::<8>();
    for word in words {
        hash = (hash ^ round(0, u64::from_le_bytes(*word))).rotate_left(27).wrapping_mul(p1).wrapping_add(p4);
    }
    let (halves, rest) = rest.as_chunks::<4>();
    for half in halves {
        let half = u64::from(u32::from_le_bytes(*half)).wrapping_mul(p1);
        hash = (hash ^ half).rotate_left(23).wrapping_mul(p2).wrapping_add(p3);
    }
    for &byte in rest {
        hash = (hash ^ u64::from(byte).wrapping_mul(p5)).rotate_left(11).wrapping_mul(p1);
    }
    hash = (hash ^ hash >> 33).wrapping_mul(p2);
    hash = (hash ^ hash >> 29).wrapping_mul(p3);
    hash ^ hash >> 32
}

fn round(lane: u64, word: u64) -> u64 {
    lane.wrapping_add(word.wrapping_mul(PRIMES[1])).rotate_left(31).wrapping_mul(PRIMES[0])
}

#[cfg(test)]
mod tests {
    use super::xxh64;

    #[test]
    fn published_values() {
        assert_eq!(xxh64(b""), 0xEF46_DB37_51D8_E999);
        assert_eq!(xxh64(b"a"), 0xD24E_C4F1_A98C_6E5B);
        assert_eq!(xxh64(b"abc"), 0x44BC_2CF5_AD77_0999);
    }
}
