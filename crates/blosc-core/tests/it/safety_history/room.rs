//! Checks that compression stays within its destination, for any size.

use blosc_core::{BlockSize, CParams, ChunkFormat, Codec, EncodeError, Encoder, Filter, FilterPipeline, max_cbytes};

/// CVE-2020-29367 (a csize written without room for it), C-Blosc2 #162, #123 (no room at all), #656 (block starts past
/// the end).
#[test]
fn every_destination_size() {
    let filters =
        [FilterPipeline::shuffle(), FilterPipeline::from([Filter::Delta, Filter::BitShuffle, Filter::ByteDelta(4)])];
    let plains =
        [testdata::noise(700, 1), testdata::ramp(700, 4, 1), vec![7; 700], vec![0; 700], testdata::text(31, 2)];
    for codec in Codec::ALL.into_iter().filter(|&codec| codec.is_available() && codec != Codec::Snappy) {
        for filters in filters {
            for plain in &plains {
                let params = CParams::blosc2().codec(codec).typesize(4).filters(filters);
                let mut encoder = Encoder::new(params.blocksize(BlockSize::Fixed(256))).unwrap();
                check(&mut encoder, plain, 1);
            }
        }
    }
}

#[test]
fn every_destination_size_with_a_dictionary() {
    let plain: Vec<u8> = testdata::text(1000, 5).repeat(30);
    for codec in [Codec::Lz4, Codec::Lz4Hc, Codec::Zstd].into_iter().filter(|codec| codec.is_available()) {
        let params = CParams::blosc2().codec(codec).typesize(1).dictionary(true).blocksize(BlockSize::Fixed(1000));
        let mut encoder = Encoder::new(params).unwrap();
        let chunk = encoder.compress(&plain).unwrap();
        assert!(blosc_core::Header::parse(&chunk).unwrap().has_dictionary());
        check(&mut encoder, &plain, 97);
    }
}

fn check(encoder: &mut Encoder, plain: &[u8], step: usize) {
    let codec = *encoder.params();
    let whole = encoder.compress(plain).unwrap();
    assert!(whole.len() <= max_cbytes(plain.len()));
    for room in (0..max_cbytes(plain.len()) + 80).step_by(step) {
        let mut dst = vec![0x5A; room + 80];
        match encoder.compress_into(plain, &mut dst[..room]) {
            Ok(cbytes) => assert!(dst[..cbytes] == whole, "{codec:?} {room}"),
            Err(EncodeError::Destination { found, .. }) => {
                assert_eq!(found, room);
                // Zeros are first written as blocks, then replaced by a special chunk: three blocks with nine streams
                // in total.
                let most = if whole.len() == 32 { 32 + 4 * (3 + 9) } else { whole.len() };
                assert!(room < most, "{codec:?} {room}");
            }
            Err(error) => panic!("{codec:?} {room}: {error}"),
        }
        assert_eq!(dst[room..], [0x5A; 80], "{codec:?} {room}");
    }
}

/// Chunks of this crate fit into any destination that C-Blosc2's chunks fit into.
#[test]
fn what_c_blosc2_fits_fits() {
    let table = testdata::json("chunks", "maxout_blosc2.json");
    let columns: Vec<_> = table["columns"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(columns, ["lib", "gen(seed=5,typesize=4)", "nbytes", "destsize", "rc"]);
    let params = CParams::blosc2().codec(Codec::Lz4).typesize(4);
    let mut fits = 0;
    for row in table["rows"].as_array().unwrap() {
        let number = |column: usize| row[column].as_i64().unwrap();
        let (nbytes, room) = (usize::try_from(number(2)).unwrap(), usize::try_from(number(3)).unwrap());
        let plain = match row[1].as_str().unwrap() {
            "noise" => testdata::noise(nbytes, 5),
            "ramp" => testdata::ramp(nbytes, 4, 5),
            "zeros" => vec![0; nbytes],
            other => panic!("generator {other}"),
        };
        let mut dst = vec![0x5A; room + 1];
        let ours = Encoder::new(params).unwrap().compress_into(&plain, &mut dst[..room]);
        assert_eq!(dst[room], 0x5A);
        if number(4) > 0 {
            fits += 1;
            let cbytes = ours.unwrap_or_else(|error| panic!("{row}: {error}"));
            assert!(blosc_core::decompress(&dst[..cbytes]).unwrap() == plain, "{row}");
        }
    }
    assert!(fits > 50, "only {fits}");
}

/// OSS-Fuzz, several finds: an encoder for one size used for all others, and blocks smaller than an element that are
/// split into the bytes of an element.
#[test]
fn forced_block_sizes_around_an_element() {
    for format in [ChunkFormat::Blosc1, ChunkFormat::Blosc2] {
        for typesize in [1, 2, 7, 8, 16, 255, 300] {
            for size in (0..40).chain([254, 255, 256, 299, 301]) {
                let params = CParams::new().format(format).codec(Codec::Lz4).typesize(typesize);
                let params = params.split(blosc_core::SplitMode::Always).blocksize(BlockSize::Fixed(size));
                let mut encoder = Encoder::new(params).unwrap();
                for nbytes in [0, 1, 31, 32, 255, 300, 5000] {
                    let plain = testdata::ramp(nbytes, typesize, 1);
                    let chunk = encoder.compress(&plain).unwrap();
                    let back = blosc_core::decompress(&chunk);
                    assert!(back.unwrap() == plain, "{format:?} {typesize} {size} {nbytes}");
                }
            }
        }
    }
}
