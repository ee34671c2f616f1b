use super::*;

const LEVELS: std::ops::RangeInclusive<u8> = 1..=9;

/// Returns the compressed length after decoding the stream again; `None` if it is stored.
fn round_trip(plain: &[u8], clevel: u8, table: &mut HashTable) -> Option<usize> {
    let mut stream = vec![0; plain.len()];
    let len = compress(plain, &mut stream, clevel, table)?;
    assert!(len < plain.len());
    // Without and with room after the output, which is filled with different bytes.
    for (fill, room) in [(0x00, 0), (0xFF, 0), (0xFF, 64)] {
        let mut decoded = vec![fill; plain.len() + room];
        decompress(&stream[..len], &mut decoded, plain.len()).unwrap();
        assert!(decoded[..plain.len()] == *plain, "clevel {clevel}, {} bytes", plain.len());
    }
    Some(len)
}

/// The byte planes of 8-byte items, split as in shuffled blocks.
fn planes(items: &[u8]) -> Vec<Vec<u8>> {
    (0..8).map(|plane| items.iter().skip(plane).step_by(8).copied().collect()).collect()
}

#[test]
fn every_length_and_period_comes_back_at_every_level() {
    let mut table = HashTable::new().unwrap();
    for clevel in LEVELS {
        for len in (0..300).chain([2047, 2048, 2049, 70_000]) {
            for period in 1..=16 {
                let plain: Vec<u8> = (0..len).map(|i| (i % period * 37) as u8).collect();
                let compressed = round_trip(&plain, clevel, &mut table);
                assert!(compressed.is_some() || len < 64, "clevel {clevel}, {len} bytes of period {period}");
            }
            let _ = round_trip(&testdata::noise(len, 5), clevel, &mut table);
            let _ = round_trip(&testdata::text(len, 6), clevel, &mut table);
        }
    }
}

#[test]
fn all_kinds_of_data_come_back_whole_and_in_planes() {
    let mut table = HashTable::new().unwrap();
    for clevel in LEVELS {
        for kind in testdata::PlainKind::ALL {
            let plain = testdata::plain(kind, 600_000, 8, 7);
            let _ = round_trip(&plain, clevel, &mut table);
            for plane in planes(&plain) {
                let _ = round_trip(&plane, clevel, &mut table);
            }
        }
    }
}

#[test]
fn matches_reach_far() {
    let mut table = HashTable::new().unwrap();
    for distance in [8190, 8191, 8192, 8193, 40_000, 65_535, 65_536, 73_727, 73_728] {
        let pattern = testdata::noise(distance, 1);
        let plain = [&*pattern, &pattern[..200.min(distance)], &[0; 300]].concat();
        for clevel in LEVELS {
            let _ = round_trip(&plain, clevel, &mut table);
        }
    }
}

#[test]
fn the_planes_of_a_counter_repeat_after_65536_bytes() {
    let mut table = HashTable::new().unwrap();
    let second = |len: usize| -> Vec<u8> { (0..len).map(|i| (i >> 8) as u8).collect() };
    for clevel in LEVELS {
        let once = round_trip(&second(1 << 16), clevel, &mut table).unwrap();
        let twice = round_trip(&second(1 << 17), clevel, &mut table).unwrap();
        // One match of 65536 bytes: 257 length bytes.
        assert!(twice < once + 300, "clevel {clevel}: {once}, {twice}");
    }
}

#[test]
fn noise_at_the_end_does_not_hide_what_compresses_before_it() {
    let mut table = HashTable::new().unwrap();
    let plain = [testdata::text(100_000, 2), testdata::noise(20_000, 3)].concat();
    for clevel in LEVELS {
        assert!(round_trip(&plain, clevel, &mut table).unwrap() < 80_000, "clevel {clevel}");
    }
}

#[test]
fn the_stream_fits_or_is_none_whatever_the_room() {
    let mut table = HashTable::new().unwrap();
    let samples = [testdata::text(400, 1), vec![9; 400], testdata::noise(400, 2), testdata::steps(2500, 1, 3)];
    for (plain, clevel) in samples.iter().flat_map(|plain| [1, 5, 9].map(|clevel| (plain, clevel))) {
        let whole = round_trip(plain, clevel, &mut table);
        for room in 0..plain.len() {
            let mut dst = vec![0xA5; room];
            let len = compress(plain, &mut dst, clevel, &mut table);
            assert_eq!(len, whole.filter(|&len| len <= room), "{} bytes into {room}, clevel {clevel}", plain.len());
        }
    }
}

#[test]
fn what_a_table_was_used_for_does_not_show() {
    let plain = testdata::text(50_000, 4);
    for clevel in LEVELS {
        let (mut fresh, mut used) = (vec![0; plain.len()], vec![0; plain.len()]);
        let mut table = HashTable::new().unwrap();
        let _ = compress(&testdata::text(90_000, 5), &mut used, 10 - clevel, &mut table);
        let lens = [
            compress(&plain, &mut fresh, clevel, &mut HashTable::new().unwrap()).unwrap(),
            compress(&plain, &mut used, clevel, &mut table).unwrap(),
        ];
        assert!(fresh[..lens[0]] == used[..lens[1]], "clevel {clevel}");
    }
}

/// Streams written by C-Blosc 1.21.7 (BloscLZ 2.5.1, clevel 9), and their uncompressed data.
fn reference_streams() -> Vec<(Vec<u8>, Vec<u8>)> {
    // The input of the reference: the constants of a linear congruential generator, bits 16 to 23.
    let mut state = 1_u32;
    let noise: Vec<u8> = (0..144)
        .map(|_| {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345) & 0x7FFF_FFFF;
            (state >> 16) as u8
        })
        .collect();
    let lines: String = (0..12).map(|i| format!("line {i} of a text that repeats itself\n")).collect();
    let far = [&noise[..48], &[0; 9000], &noise[..48], &[0; 20], &noise[..48], &[0; 1200]].concat();
    [
        ("2300000000e0ff1d0302000000", vec![0; 300]),
        ("2600254a6f94b9dee0ffe2060200254a", (0..500).map(|i| (i % 7 * 37) as u8).collect()),
        // A far match, long length codes, near matches.
        (
            "3fc67e816b4bfbe2fb54f6bddf7c1ce18701bf31de56720f4767668759aa883c5910ea56137bd285a1d83c54552f37ae655b00e0ffffffff\
             ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff40000000ff3aff0358e03b43e0ffffffff950002000000",
            far,
        ),
        (
            "3f6c696e652030206f6620612074657874207468617420726570656174732069740473656c660a60240031e01b240032e01b240033e01b2400\
             34e01b240035e01b240036e01b240037e01b240038e01b240039e01b240031e11d72e1157301660a",
            lines.into_bytes(),
        ),
    ]
    .map(|(hex, plain)| {
        let nibbles: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
        (nibbles.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect(), plain)
    })
    .to_vec()
}

#[test]
fn streams_by_c_blosc_are_read() {
    for (stream, plain) in reference_streams() {
        let mut decoded = vec![0xA5; plain.len()];
        decompress(&stream, &mut decoded, plain.len()).unwrap();
        assert!(decoded == plain);
    }
}

#[test]
fn damage_is_an_error_or_bytes_but_never_depends_on_what_was_there() {
    let mut table = HashTable::new().unwrap();
    let mut streams: Vec<(Vec<u8>, usize)> =
        reference_streams().into_iter().map(|(stream, plain)| (stream, plain.len())).collect();
    for plain in [testdata::text(700, 1), testdata::steps(900, 1, 2)] {
        let mut stream = vec![0; plain.len()];
        let len = compress(&plain, &mut stream, 9, &mut table).unwrap();
        streams.push((stream[..len].to_vec(), plain.len()));
    }
    for (stream, len) in streams {
        for cut in 0..stream.len() {
            assert!(decompress(&stream[..cut], &mut vec![0; len], len).is_err(), "cut to {cut}");
        }
        for longer in [[0, 0].as_slice(), &[0x40, 0, 0, 0], &[0xFF]] {
            let stream = [&stream, longer].concat();
            assert!(decompress(&stream, &mut vec![0; len + 64], len).is_err(), "{longer:?} past the end");
        }
        for wrong in [len - 1, len + 1] {
            assert!(decompress(&stream, &mut vec![0; len + 64], wrong).is_err());
        }
        for at in 0..stream.len() {
            for flip in [0x01, 0x1F, 0x20, 0xE0, 0xFF] {
                let mut stream = stream.clone();
                stream[at] ^= flip;
                let decoded = [0x00, 0xFF].map(|fill| {
                    let mut decoded = vec![fill; len];
                    decompress(&stream, &mut decoded, len).map(|()| decoded)
                });
                assert!(decoded[0] == decoded[1], "byte {at} ^ {flip:#x}");
            }
        }
    }
}

#[test]
fn lengths_that_wrap_in_c_do_not_here() {
    // "20 41": one literal; then a match with 8.4 million length bytes, whose sum wraps in 32 bits.
    let mut hostile = vec![0x20, 0x41, 0xE0];
    hostile.extend(std::iter::repeat_n(0xFF, 8_421_505));
    hostile.extend([0, 0, 0, 0x41]);
    assert!(decompress(&hostile, &mut [0; 65_536], 65_536).is_err());
    // A literal, a run of 99 more (7: 9 + 90 bytes, distance 1), and the literal that ends the stream.
    let mut run = [0; 101];
    decompress(&[0x20, 7, 0xE0, 90, 0, 0, 8], &mut run, 101).unwrap();
    assert!(run[..100] == [7; 100] && run[100] == 8);
}

#[test]
fn nothing_is_made_of_nothing() {
    assert_eq!(compress(&[], &mut [], 5, &mut HashTable::new().unwrap()), None);
    assert_eq!(decompress(&[], &mut [], 0), Ok(()));
    assert!(decompress(&[], &mut [0], 1).is_err());
    assert!(decompress(&[0x20, 1], &mut [], 1).is_err());
}
