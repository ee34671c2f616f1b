//! Damaged frames give an error, never a panic. Memory is bounded by the stored bytes, not by the stated sizes.

use std::io;

use bloscpack_io::{Archive, Error, Threads, UnpackOptions};
use testdata::CountingAlloc;

use crate::common::{Stored, malformed};

/// Memory for a decoder's tables, a few copies of a chunk, and the items of an array that are assembled.
const MOST: usize = (32 << 20) + (2 << 20);

fn serial() -> UnpackOptions {
    UnpackOptions::new().threads(Threads::Serial)
}

/// Reads everything in a frame.
fn read(stored: &Stored) -> Result<u64, Error> {
    let archive = Archive::open(stored)?;
    archive.verify(&serial())?;
    let nbytes = archive.unpack(&mut io::sink(), &serial())?;
    for layer in archive.frame().unwrap().trailer.vlmetalayers.iter() {
        archive.vlmetalayer(&layer.name_lossy())?;
    }
    let _ = archive.read_range(nbytes / 2..nbytes.min(nbytes / 2 + 100))?;
    Ok(nbytes)
}

/// Writing 2 TB of zeros to a sink takes a while. These frames are valid and cost no memory.
const ENDLESS: [&str; 2] = ["zero_bomb_chunks", "index_bomb_consistent"];

#[test]
fn every_malformed_frame_is_refused_as_the_manifest_says() {
    let (_, usage) = CountingAlloc::measure(|| vec![0_u8; 1 << 20]);
    assert!(usage.largest >= 1 << 20, "the allocator does not count");
    let (archive, manifest) = (testdata::archive("frames"), testdata::manifest("frames"));
    let items = manifest["malformed"].as_array().unwrap();
    assert_eq!(items.len(), 2944);
    let mut accepted = 0;
    for item in items {
        let name = item["name"].as_str().unwrap();
        let Some(stored) = malformed(&archive, item) else {
            assert_eq!(name, "sframe_no_index");
            continue;
        };
        let (found, usage) = CountingAlloc::measure(|| {
            if ENDLESS.contains(&name) {
                let archive = Archive::open(&stored)?;
                archive.verify(&serial())?;
                return archive.read_range(archive.nbytes() - 10..archive.nbytes()).map(|bytes| bytes.len() as u64);
            }
            read(&stored)
        });
        assert!(usage.peak <= MOST, "{name}: {usage:?}");
        match found {
            Ok(_) => {
                assert_eq!(item["expect"], "no_crash", "{name}");
                accepted += 1;
            }
            Err(error) => assert!(!error.report().to_string().contains('\n'), "{name}"),
        }
    }
    assert!(accepted > 200, "{accepted}");
}

#[test]
fn every_changed_byte_is_noticed_or_harmless() {
    for path in [
        "frames/mix_zqvr_contiguous.b2frame",
        "frames/mix_rzr_sparse.sframe",
        "frames/b2nd_084_rec_2x3x2x2.b2nd",
        "frames/batcharray.b2b",
        "frames/fill_nan_contiguous_37.b2frame",
    ] {
        let stored = Stored::golden(path);
        read(&stored).unwrap();
        for at in 0..stored.file.len() {
            for flip in [0x01, 0x10, 0x80, 0xff] {
                let mut damaged = stored.clone();
                damaged.file[at] ^= flip;
                // Skips frames that only cost time: a last chunk of a different size.
                let endless = Archive::open(&damaged).is_ok_and(|archive| archive.nbytes() > 1 << 24);
                let (_, usage) = CountingAlloc::measure(|| if endless { Ok(0) } else { read(&damaged) });
                assert!(usage.peak <= MOST, "{path}: {at}: {usage:?}");
            }
        }
        for len in 0..stored.file.len() {
            let file = stored.file[..len].to_vec();
            let frame_len = Archive::open(&stored).unwrap().frame().unwrap().header.frame_len;
            let opened = Archive::open(Stored { file, ..stored.clone() });
            assert_eq!(opened.is_ok(), len as u64 >= frame_len, "{path}: {len}");
        }
    }
}
