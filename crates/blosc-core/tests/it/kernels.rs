//! Compares all kernel tables with the formulas of the filters and with the output of C-Blosc2.

use blosc_core::kernels::{Kernels, active, available};
use testdata::{SplitMix64, json, noise, sha256_hex};

/// Shuffle by its formula: `out[j*e + i] = in[i*t + j]`. Bytes after the last whole element are copied.
fn shuffle_by_formula(t: usize, src: &[u8]) -> Vec<u8> {
    let e = src.len() / t;
    let mut out = src.to_vec();
    for i in 0..e {
        for j in 0..t {
            out[j * e + i] = src[i * t + j];
        }
    }
    out
}

/// Bitshuffle by its formula, over a number of elements rounded down to a multiple of 8. Row `8j + k` holds bit `k` of
/// byte `j` of all elements. Byte `m` of a row holds the bits of elements `8m..8m + 8`, the first in the least
/// significant bit.
fn bitshuffle_by_formula(t: usize, src: &[u8]) -> Vec<u8> {
    let e = src.len() / t / 8 * 8;
    let mut out = src.to_vec();
    out[..e * t].fill(0);
    for i in 0..e {
        for j in 0..t {
            for k in 0..8 {
                out[(8 * j + k) * (e / 8) + i / 8] |= (src[i * t + j] >> k & 1) << (i % 8);
            }
        }
    }
    out
}

/// Runs a kernel on unaligned parts of larger buffers, and checks the bytes around the output.
fn run(kernel: impl Fn(usize, &[u8], &mut [u8]), t: usize, src: &[u8], offset: usize) -> Vec<u8> {
    let mut from = vec![0x5a; offset];
    from.extend_from_slice(src);
    let mut to = vec![0xa5; offset + src.len() + 64];
    kernel(t, &from[offset..], &mut to[offset..][..src.len()]);
    assert!(to[..offset].iter().chain(&to[offset + src.len()..]).all(|&byte| byte == 0xa5), "wrote out of bounds");
    to[offset..][..src.len()].to_vec()
}

fn check(tables: &[&Kernels], t: usize, src: &[u8], offset: usize) {
    let shuffled = shuffle_by_formula(t, src);
    let bitshuffled = bitshuffle_by_formula(t, src);
    for table in tables {
        let case = |slot| format!("{} {slot} typesize {t}, {} bytes, offset {offset}", table.name, src.len());
        assert!(run(table.shuffle, t, src, offset) == shuffled, "{}", case("shuffle"));
        assert!(run(table.unshuffle, t, &shuffled, offset) == src, "{}", case("unshuffle"));
        let elements = src.len() / t;
        let from_planes = |t: usize, shuffled: &[u8], dst: &mut [u8]| {
            // Separate planes, allocated in reverse order, each with its own alignment.
            let mut apart: Vec<Vec<u8>> =
                (0..t).rev().map(|j| [&[0; 16][..j % 16], &shuffled[j * elements..][..elements]].concat()).collect();
            apart.reverse();
            let planes: Vec<&[u8]> = apart.iter().enumerate().map(|(j, plane)| &plane[j % 16..]).collect();
            (table.unshuffle_planes)(&planes, dst);
        };
        let whole = elements.saturating_mul(t);
        assert!(
            whole == 0 || run(from_planes, t, &shuffled[..whole], offset) == src[..whole],
            "{}",
            case("unshuffle_planes")
        );
        if whole > 0 {
            let mut apart: Vec<Vec<u8>> = (0..t).rev().map(|_| vec![0xAA; offset + elements]).collect();
            apart.reverse();
            let mut planes: Vec<&mut [u8]> = apart.iter_mut().map(|plane| &mut plane[offset..]).collect();
            (table.shuffle_planes)(&src[..whole], &mut planes);
            assert!(planes.concat() == shuffled[..whole], "{}", case("shuffle_planes"));
        }
        assert!(run(table.bitshuffle, t, src, offset) == bitshuffled, "{}", case("bitshuffle"));
        assert!(run(table.bitunshuffle, t, &bitshuffled, offset) == src, "{}", case("bitunshuffle"));
    }
}

#[test]
fn every_typesize_and_every_short_length() {
    let data = noise(300, 1);
    for t in 1..=256 {
        for nbytes in 0..300 {
            check(&available(), t, &data[..nbytes], nbytes % 4);
        }
    }
}

#[test]
fn every_typesize_around_the_tiles() {
    // Tiles have 16 to 256 elements and groups. Strips of several tiles have up to 64 KiB.
    let counts = [15, 16, 17, 31, 33, 64, 65, 127, 128, 130, 255, 256, 257, 264, 511, 520, 1024, 1031, 2049];
    let data = noise(2049 * 40 + 39, 2);
    for t in 1..=256 {
        for (i, elements) in counts.into_iter().enumerate() {
            let nbytes = elements * t + i % t;
            if nbytes <= data.len() {
                check(&available(), t, &data[..nbytes], i % 8);
            }
        }
    }
}

#[test]
fn every_number_of_elements_around_the_vectors() {
    let data = noise(64 * 130, 7);
    for t in 1..=64 {
        for elements in (1..67).chain(126..131) {
            check(&available(), t, &data[..elements * t], (elements + t) % 64);
        }
    }
}

#[test]
fn every_alignment_of_buffers() {
    let data = noise(333 * 40, 9);
    for t in 1..=40 {
        for offset in [0, 1, 2, 4, 8, 12, 16, 20, 32, 40, 48, 63] {
            // Whole tiles, for which all planes have the same alignment, and other sizes.
            for elements in [64, 320, 333] {
                check(&available(), t, &data[..elements * t], offset);
            }
        }
    }
}

#[test]
fn blocks_of_every_size_class() {
    let data = noise(300_000, 3);
    for t in [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 24, 31, 32, 48, 100, 256] {
        for nbytes in [16_384, 32_768, 65_536, 65_537, 131_072, 139_271, 262_144, 299_999] {
            check(&available(), t, &data[..nbytes], 0);
            check(&available(), t, &data[..nbytes], 13);
        }
    }
}

#[test]
fn random_typesizes_and_lengths() {
    let data = noise(100_000, 4);
    let mut rng = SplitMix64::new(5);
    for _ in 0..500 {
        let (t, nbytes) = (1 + rng.below(256), rng.below(data.len()));
        check(&available(), t, &data[..nbytes], rng.below(64));
    }
}

#[test]
fn typesizes_that_no_chunk_has() {
    let data = noise(70_001, 6);
    for t in [257, 300, 511, 512, 1000, 4096, 5000, 8000, 70_000, 70_001, 70_002, usize::MAX] {
        check(&available(), t, &data, 1);
    }
    for table in available() {
        for kernel in [table.shuffle, table.unshuffle, table.bitshuffle, table.bitunshuffle] {
            assert_eq!(run(kernel, 0, &data, 0), run(kernel, 1, &data, 0), "{}: typesize 0 counts as 1", table.name);
        }
    }
}

#[test]
fn running_sums_of_every_short_length_and_of_blocks() {
    let data = noise(300_000, 8);
    let mut total = 0u8;
    let sums: Vec<u8> = data.iter().map(|byte| (total = total.wrapping_add(*byte), total).1).collect();
    for table in available() {
        for (i, nbytes) in (0..600).chain([4096, 65_537, 299_999, 300_000]).enumerate() {
            let found = run(|_, src, dst| (table.running_sum)(src, dst), 1, &data[..nbytes], i % 8);
            assert!(found == sums[..nbytes], "{}: {nbytes} bytes", table.name);
        }
    }
}

/// `filters_table.json` lists the output of C-Blosc2's filters for random bytes.
#[test]
fn same_bytes_as_c_blosc2() {
    let table = json("chunks", "filters_table.json");
    let rows = table["rows"].as_array().unwrap();
    assert!(rows.len() > 1000);
    for row in rows {
        let number = |key: &str| row[key].as_u64().unwrap();
        let (t, src) = (number("typesize") as usize, noise(number("nbytes") as usize, number("seed")));
        for kernels in available() {
            let kernel = match row["filter"].as_str().unwrap() {
                "shuffle" => kernels.shuffle,
                "bitshuffle" => kernels.bitshuffle,
                other => panic!("unknown filter {other}"),
            };
            assert_eq!(sha256_hex(&run(kernel, t, &src, 0)), row["sha256"], "{}: {row}", kernels.name);
        }
    }
}

#[test]
#[should_panic(expected = "length")]
fn lengths_must_agree() {
    (active().shuffle)(4, &[0; 64], &mut [0; 63]);
}

/// Also run by [`any_table_can_be_named`], with the environment variable set.
#[test]
fn active_is_the_named_table_or_the_best() {
    let tables: Vec<_> = available().into_iter().map(|table| table.name).collect();
    assert_eq!(tables[0], "scalar");
    let best = tables[tables.len() - 1];
    let named = std::env::var("BLOSC_KERNELS").ok().filter(|name| tables.contains(&name.as_str()));
    assert_eq!(active().name, named.as_deref().unwrap_or(best));
}

// WebAssembly has no processes.
#[cfg(not(target_family = "wasm"))]
#[test]
fn any_table_can_be_named() {
    for name in available().into_iter().map(|table| table.name).chain(["nonsense", ""]) {
        let mut child = testdata::this_test("kernels::active_is_the_named_table_or_the_best");
        let child = child.env("BLOSC_KERNELS", name).stdout(std::process::Stdio::piped()).output().unwrap();
        let output = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && output.contains("1 passed"), "{name}: {output}");
    }
}
