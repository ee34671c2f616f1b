//! Tests that damaged frames cause neither a panic nor an allocation that their length does not justify.

use blosc_core::{Decoder, Limits};
use bloscpack_format::frame::{
    B2nd, ChunkInfo, ChunkRef, Edit, Frame, Grid, Header, NewChunk, Trailer, identify, sframe,
};
use bloscpack_format::{FormatError, detect};
use testdata::CountingAlloc;

const LIMITS: Limits = Limits::new().max_nbytes(1 << 16).max_chunks(1 << 13);

/// Larger than any part of the frames, including a decoder's tables.
const MOST: usize = 1 << 18;

fn golden(path: &str) -> Vec<u8> {
    let files = testdata::archive("frames");
    files.get(path).or_else(|| files.get(&format!("{path}/{}", sframe::INDEX_FILE))).unwrap().clone()
}

/// Runs all parsers and edits of frames. Only the laws are checked, not the results.
fn read(file: &[u8]) -> Result<(), FormatError> {
    let _ = detect(file, Some(file.len() as u64));
    if let Ok(header) = Header::parse(file) {
        assert_eq!(header.to_bytes().unwrap(), file[..header.header_len() as usize]);
        let _ = identify(&file[header.header_len() as usize..], &header, &[0], LIMITS);
        let _ = B2nd::of(&header.metalayers);
    }
    let frame = Frame::parse(file, LIMITS)?;
    let trailer = frame.trailer.to_bytes().unwrap();
    let end = frame.header.frame_len as usize;
    assert_eq!(trailer, file[end - trailer.len()..end]);
    for layer in frame.trailer.vlmetalayers.iter() {
        let _ = frame.trailer.vlmetalayers.decode(&layer.name_lossy(), &mut Decoder::new().limits(LIMITS));
    }
    let mut infos = Vec::new();
    for chunk in 0..frame.nchunks().min(2) {
        if let Ok(ChunkRef::Stored { at, room, nbytes }) = frame.chunk(chunk) {
            let bytes = &file[at as usize..][..room as usize];
            if let Ok(info) = ChunkInfo::parse(bytes) {
                infos.push((chunk, info));
                let _ = info.check(chunk, room, nbytes);
            }
        }
    }
    if let Ok(Some((array, grid))) = Grid::of(&frame) {
        let _ = array.numpy_dtype();
        let all = grid.all();
        if let Some(part) = grid.parts(&all)?.next() {
            let _ = grid.blocks(&part).count();
            let _ = grid.resized(&grid).take(10).count();
        }
    }
    for (chunk, info) in infos {
        let mut edit = Edit::new(frame.clone())?.max_chunks(1000);
        let _ = edit.update(chunk, Some(info), NewChunk::Stored(info));
        let _ = edit.delete(chunk, Some(info));
        let _ = edit.append(NewChunk::Special(blosc_core::Special::Zeros, 4));
        let _ = edit.finish();
    }
    Ok(())
}

const FRAMES: [&str; 7] = [
    "frames/mix_zqvr_contiguous.b2frame",
    "frames/mix_rzr_sparse.sframe",
    "frames/many_metalayers_sparse.sframe",
    "frames/b2nd_084_rec_2x3x2x2.b2nd",
    "frames/fill_nan_contiguous_37.b2frame",
    "frames/batcharray.b2b",
    "frames/edit_delete_all_contiguous.b2frame",
];

#[test]
fn every_truncation() {
    for path in FRAMES {
        let mut file = golden(path);
        file.truncate(Header::parse(&file).unwrap().frame_len as usize);
        assert!(read(&file).is_ok());
        for cut in 0..file.len() {
            assert!(read(&file[..cut]).is_err(), "{path}: {cut}");
        }
    }
}

#[test]
fn every_byte_changed() {
    let (_, usage) = CountingAlloc::measure(|| vec![0_u8; 1 << 20]);
    assert!(usage.largest >= 1 << 20, "the allocator does not count");
    for path in FRAMES {
        let mut file = golden(path);
        let frame = Frame::parse(&file, LIMITS).unwrap();
        let header_len = frame.header.header_len() as usize;
        let tail = frame.layout().unwrap().index.start as usize;
        for at in (0..header_len).chain(tail..file.len()) {
            for byte in [0, 1, 2, 0x7f, 0x80, 0x81, 0xff, file[at] ^ 1, file[at] ^ 0x10, file[at].wrapping_add(1)] {
                let old = std::mem::replace(&mut file[at], byte);
                let (_, usage) = CountingAlloc::measure(|| read(&file));
                assert!(usage.largest <= MOST, "{path}: {byte:#x} at {at}: {usage:?}");
                file[at] = old;
            }
        }
    }
}

#[test]
fn recorded_bombs() {
    for name in [
        "index_bomb_consistent",
        "index_bomb_zeros",
        "index_bomb_nbytes",
        "nbytes_huge",
        "nbytes_2g_chunks",
        "zero_bomb_chunks",
        "b2nd_shape_huge",
        "vlmeta_count_65535",
        "vlmeta_len_u32max",
        "meta_count_65535",
        "trailer_len_u32max",
    ] {
        let file = golden(&format!("malformed/{name}.b2frame"));
        let (_, usage) = CountingAlloc::measure(|| read(&file));
        assert!(usage.peak <= 2 * MOST, "{name}: {usage:?}");
    }
    // All its chunks are equal. To change one of them, the index must be expanded to all.
    let frame = Frame::parse(&golden("malformed/index_bomb_consistent.b2frame"), LIMITS).unwrap();
    assert!(frame.nchunks() > 1 << 27);
    let mut edit = Edit::new(frame).unwrap();
    let (result, usage) = CountingAlloc::measure(|| {
        edit.delete(0, Some(ChunkInfo { nbytes: 8, cbytes: 32, vl_blocks: false, special: None }))
    });
    assert!(result.is_err() && usage.largest < MOST, "{usage:?}");
}

#[test]
fn errors_say_where() {
    let file = golden("frames/mix_zqvr_contiguous.b2frame");
    let says = |at: usize, bytes: &[u8], message: &str| {
        let mut file = file.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        assert_eq!(Frame::parse(&file, LIMITS).unwrap_err().to_string(), message);
    };
    let end = file.len();
    says(0, &[0x9d], "frame header, offset 0: marker of frame is 0x9d, expected 0x9e");
    says(2, b"b3", "frame header, offset 2: magic is b'b3frame\\x00', expected b'b2frame\\x00'");
    says(11, &[0, 0, 0, 86], "frame header, offset 11: header_len is 86, expected 87..=2147483647");
    says(16, &[0xff], "frame header, offset 16: frame_len is -1, expected >= 97");
    says(25, &[0x14], "frame header, offset 25: version is 4, expected 0..=3");
    says(25, &[0x22], "frame header, offset 25: offset width is 2, expected 1..=1");
    says(26, &[2], "frame header, offset 26: frame_type is 2, expected 0..=1");
    says(48, &[0; 4], "frame header, offset 48: typesize is 0, expected 1..=2147483647");
    says(58, &[0xff; 4], "frame header, offset 58: chunksize is -1, expected 0..=2147483647");
    says(68, &[0xc1], "frame header, offset 68: marker of vlmetalayers is 0xc1, expected 0xc2");
    says(70, &[7], "frame header, offset 70: nfilters is 7, expected 0..=6");
    says(end - 23, &[0xcd], "frame tail, offset 0: marker of trailer_len is 0xcd, expected 0xce");
    says(end - 22, &[0; 4], "frame tail, offset 1: trailer_len is 0, expected 35..=4294967295");
    says(end - 35, &[0x95], "frame trailer, offset 0: marker of trailer is 0x95, expected 0x94");
    let cut = Frame::parse(&file[..50], LIMITS).unwrap_err();
    assert_eq!(cut.to_string(), "frame header: 50 bytes, expected 87");
    assert_eq!(Trailer::len_at_end(&[0; 5]).unwrap_err().bytes_needed(), Some(23));
}
