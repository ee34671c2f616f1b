//! Codecs and filters that need data from outside the chunk.

use super::{NOT_SPLIT, decode, numbers, one_block, refused};
use blosc_core::{Chunk, DecodeError, Decoder};

const PLUGIN: u8 = 6 << 5;
const NDLZ: u8 = 32;

fn chunk_of(codec: u8, meta: u8, nbytes: i32, stream: &[u8]) -> Vec<u8> {
    let csize = numbers(&[i32::try_from(stream.len()).unwrap()]);
    let mut chunk = one_block(PLUGIN | NOT_SPLIT, 1, nbytes, &[&csize, stream].concat());
    (chunk[22], chunk[23]) = (codec, meta);
    chunk
}

/// CVE-2023-37185 to 37188: zfp and ndlz read the metadata of a super-chunk, which a bare chunk does not have.
#[test]
fn plugin_codecs_in_a_bare_chunk() {
    let names = [
        (33, "zfp_acc"),
        (34, "zfp_prec"),
        (35, "zfp_rate"),
        (36, "openhtj2k"),
        (37, "grok"),
        (38, "openzl"),
        (39, "j2k"),
        (40, "htj2k"),
    ];
    for (id, name) in names {
        assert_eq!(refused(&chunk_of(id, 5, 64, &[0; 40])), DecodeError::UnregisteredCodec { id, name });
    }
    for id in (0..=255).filter(|&id| id != NDLZ) {
        let error = refused(&chunk_of(id, 0, 64, &[0; 40]));
        assert!(matches!(error, DecodeError::UnregisteredCodec { id: found, .. } if found == id), "{id}: {error}");
    }
    // A 16-byte header has no id, and the formats 5 and 7 are unassigned.
    let short = [&[5, 1, PLUGIN | NOT_SPLIT, 1][..], &numbers(&[8, 8, 28, 20, 4, 0])].concat();
    assert_eq!(refused(&short), DecodeError::UnknownCodec { format: 6 });
    for format in [5, 7] {
        let chunk = one_block(format << 5 | NOT_SPLIT, 1, 8, &numbers(&[4, 0]));
        assert_eq!(refused(&chunk), DecodeError::UnknownCodec { format });
    }
}

fn ndlz(rows: i32, columns: i32, cells: &[u8]) -> Vec<u8> {
    [&[2][..], &numbers(&[rows, columns]), cells].concat()
}

/// CVE-2024-3203, CVE-2024-3204: ndlz used the block shape of the stream without checking it.
#[test]
fn ndlz_with_another_shape_than_its_block() {
    for meta in [4, 8] {
        // A block of 64 bytes, with cells of one repeated byte each.
        let cells = [0x40, 7].repeat(if meta == 4 { 4 } else { 1 });
        assert_eq!(decode(&chunk_of(NDLZ, meta, 64, &ndlz(8, 8, &cells))).unwrap(), [7; 64]);
        let extents = [0, -1, 1, 7, 9, 64, 4096, 65_536, i32::MAX, i32::MIN, 1 << 30, 1 << 16];
        for rows in extents {
            for columns in extents {
                refused(&chunk_of(NDLZ, meta, 64, &ndlz(rows, columns, &cells)));
            }
        }
        for ndim in [0, 1, 3, 255] {
            let mut stream = ndlz(8, 8, &cells);
            stream[0] = ndim;
            refused(&chunk_of(NDLZ, meta, 64, &stream));
        }
    }
    for meta in [0, 1, 3, 5, 16, 255] {
        refused(&chunk_of(NDLZ, meta, 64, &ndlz(8, 8, &[0x40, 7].repeat(4))));
    }
}

/// C-Blosc2, 2026: the back references of ndlz.
#[test]
fn ndlz_with_every_token_and_far_references() {
    let mut decoded = 0;
    for meta in [4, 8] {
        for token in 0..=255 {
            for distance in [0_u16, 1, 8, 17, 25, 26, 27, 41, 42, 43, 0x7FFF, 0xFFFF] {
                // A literal cell, then the tested token, then enough bytes for any token.
                let mut cells = vec![0];
                cells.extend(0..meta * meta);
                cells.push(token);
                cells.extend(distance.to_le_bytes());
                cells.extend(distance.to_le_bytes());
                cells.extend([0x40; 70]);
                for len in 0..cells.len().min(60 + usize::from(meta) * usize::from(meta)) {
                    let nbytes = 2 * i32::from(meta) * i32::from(meta);
                    let stream = ndlz(meta.into(), 2 * i32::from(meta), &cells[..len]);
                    decoded += u32::from(decode(&chunk_of(NDLZ, meta, nbytes, &stream)).is_ok());
                }
            }
        }
    }
    assert!(decoded > 100, "only {decoded}");
}

/// C-Blosc2, 2026: overflowing products of block shapes, cells of 0, `cell ^ ndim`, typesize 0.
#[test]
fn block_shapes_that_are_not_the_blocks() {
    const BIG: usize = usize::MAX;
    const HALF: usize = 1 << (usize::BITS / 2);
    let shapes: [&[usize]; 16] = [
        &[0],
        &[0, 16],
        &[16, 0],
        &[15],
        &[17],
        &[BIG],
        &[BIG, BIG],
        &[HALF, HALF],
        &[HALF, HALF, 16],
        &[BIG, 0, 16],
        &[1 << 31, 1 << 31, 4],
        &[16, 1 << 30, 1 << 30],
        &[2, 2, 2, 2, 2],
        &[1, 1, 1, 1, 1, 1, 1, 1, 16],
        &[BIG / 4 + 17],
        &[4, 4, 4],
    ];
    for filter in [32, 33] {
        for cell in 0..=255 {
            let mut chunk = one_block(NOT_SPLIT, 4, 64, &[numbers(&[64]), testdata::noise(64, 1)].concat());
            (chunk[21], chunk[29]) = (filter, cell);
            assert!(matches!(refused(&chunk), DecodeError::Filter { .. }), "without a shape");
            for shape in shapes {
                let mut decoder = Decoder::new().blockshape(shape);
                let error = decoder.decompress(&Chunk::parse(&chunk).unwrap()).unwrap_err();
                assert!(matches!(error, DecodeError::Filter { .. }), "{filter} {cell} {shape:?}: {error}");
            }
            let mut decoder = Decoder::new().blockshape(&[4, 4]);
            let decoded = decoder.decompress(&Chunk::parse(&chunk).unwrap());
            // Cells of ndmean may be larger than the block.
            let most = if filter == 32 { 4 } else { 127 };
            assert_eq!(decoded.is_ok(), (1..=most).contains(&cell), "{filter} {cell}");
        }
    }
}

/// OSS-Fuzz, several finds: unassigned filter ids.
#[test]
fn every_filter_id_and_meta() {
    for id in 0..=255 {
        for meta in [0, 1, 2, 4, 8, 127, 128, 255] {
            let mut chunk = one_block(NOT_SPLIT, 4, 64, &[numbers(&[64]), testdata::noise(64, 1)].concat());
            (chunk[18], chunk[26]) = (id, meta);
            let is_built_in = id <= 4 || matches!(id, 34..=36);
            let needs_typesize = matches!(id, 34 | 35) && meta == 0;
            assert_eq!(decode(&chunk).is_ok(), is_built_in && !needs_typesize, "{id} {meta}");
        }
    }
}
