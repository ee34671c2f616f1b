//! Frames that are created and changed: reading returns what was written. A process that is killed at any write leaves
//! the old frame or the new one.

use std::fs;

use blosc_core::{BlockSize, CParams, Codec, FilterPipeline, Header, Limits, Special};
use bloscpack_format::frame::{ChunkSize, FrameType, VlMetalayers};
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order};
use bloscpack_io::frame::{ArrayOptions, FrameParams, FrameStore, FrameWriter, MemoryFrame};
use bloscpack_io::{
    Archive, Attributes, Cancel, Error, ErrorKind, Input, LocalSource, OpenOptions, Threads, UnpackOptions,
};
use testdata::SplitMix64;

use crate::common::Stored;
use crate::common::recorder::{Op, Recorder};

/// A model of a frame's content.
#[derive(Debug, Clone, PartialEq, Default)]
struct Model {
    chunks: Vec<Vec<u8>>,
    note: Option<Vec<u8>>,
}

fn model_of<'a>(input: impl Into<Input<'a>>) -> Model {
    let archive = Archive::open(input).unwrap();
    archive.verify(&UnpackOptions::new().threads(Threads::Serial)).unwrap();
    let chunks = (0..archive.nchunks()).map(|chunk| archive.chunk(chunk).unwrap()).collect();
    Model { chunks, note: archive.vlmetalayer("note").unwrap() }
}

fn memory_of(stored: Stored) -> MemoryFrame {
    MemoryFrame { file: stored.file, files: stored.sparse.then_some(stored.files) }
}

fn some_bytes(rng: &mut SplitMix64, len: usize) -> Vec<u8> {
    let start = rng.next_u64() as u32;
    (start..).flat_map(u32::to_le_bytes).take(len).collect()
}

/// Applies a random change to the frame and to the model.
fn change<S: FrameStore>(frame: &mut FrameWriter<S>, model: &mut Model, rng: &mut SplitMix64) {
    let size = match frame.frame().unwrap().header.chunksize {
        ChunkSize::Fixed(size) => size as usize,
        ChunkSize::Variable | ChunkSize::Unset => 1000,
    };
    // Mostly the chunk size; rarely a length that makes sizes vary.
    let len = if rng.below(12) == 0 { 4 * (1 + rng.below(600)) } else { size };
    let plain = if rng.below(4) == 0 { vec![0; len] } else { some_bytes(rng, len) };
    let count = model.chunks.len();
    match rng.below(9) {
        0 | 1 => {
            frame.append(&plain).unwrap();
            model.chunks.push(plain);
        }
        2 => {
            frame.append_special(Special::Uninit, len as u32).unwrap();
            model.chunks.push(vec![0; len]);
        }
        3 => {
            let at = rng.below(count + 1);
            frame.insert(at as u64, &plain).unwrap();
            model.chunks.insert(at, plain);
        }
        4 if count > 0 => {
            let at = rng.below(count);
            frame.update(at as u64, &plain).unwrap();
            model.chunks[at] = plain;
        }
        5 if count > 0 => {
            let at = rng.below(count);
            frame.update_special(at as u64, Special::Zeros, len as u32).unwrap();
            model.chunks[at] = vec![0; len];
        }
        6 if count > 0 => {
            let at = rng.below(count);
            frame.delete(at as u64).unwrap();
            model.chunks.remove(at);
        }
        7 if count > 0 => {
            let shift = rng.below(count);
            let order: Vec<u64> = (0..count).map(|i| ((i + shift) % count) as u64).collect();
            frame.reorder(&order).unwrap();
            model.chunks.rotate_left(shift);
        }
        _ => {
            let content = some_bytes(rng, 40);
            frame.set_vlmetalayer("note", &content).unwrap();
            model.note = Some(content);
        }
    }
    for (number, chunk) in model.chunks.iter().enumerate() {
        assert!(frame.chunk(number as u64).unwrap() == *chunk, "chunk {number} before the commit");
    }
}

const FRAMES: [&str; 9] = [
    "frames/cf_lz4_shuffle_f8_walk.b2frame",
    "frames/last_partial_contiguous.b2frame",
    "frames/last_partial_sparse.sframe",
    "frames/fill_zero_contiguous_37.b2frame",
    "frames/fill_zero_sparse_37.sframe",
    "frames/mix_zqvr_sparse.sframe",
    "frames/empty_sparse.sframe",
    "frames/edit_delete_all_contiguous.b2frame",
    "frames/gap_append.b2frame",
];

#[test]
fn killed_at_any_write_it_is_the_old_or_the_new_frame() {
    let mut rng = SplitMix64::new(31);
    let mut kills = 0;
    for path in FRAMES {
        let mut disk = memory_of(Stored::golden(path));
        for _ in 0..12 {
            let old = disk.clone();
            let before = model_of(old.input());
            let mut after = before.clone();
            let mut frame = FrameWriter::with_store(Recorder::new(disk), &OpenOptions::new()).unwrap();
            for _ in 0..1 + rng.below(3) {
                change(&mut frame, &mut after, &mut rng);
            }
            frame.commit().unwrap();
            let recorder = frame.into_store();
            let mut committed = false;
            recorder.kills(&old, |disk, end| {
                kills += 1;
                let found = model_of(disk.input());
                assert!(found == before || found == after, "{path}: neither the old nor the new frame");
                committed |= found == after;
                assert!(!end || found == after, "{path}: the last write is done, but not the change");
            });
            assert!(committed, "{path}");
            disk = recorder.now;
        }
    }
    assert!(kills > 1000, "{kills}");
}

#[test]
fn on_the_disk_and_in_memory_it_is_the_same() {
    let dir = tempfile::tempdir().unwrap();
    for frame_type in [FrameType::Contiguous, FrameType::Sparse] {
        let path = dir.path().join(format!("{frame_type:?}"));
        let params = FrameParams::new(4).codec(Codec::Lz4);
        let mut model = Model::default();
        let mut rng = SplitMix64::new(32);
        let mut frame = FrameWriter::create(&path, frame_type, false, params).unwrap();
        frame.add_metalayer("unit", b"kelvin").unwrap();
        for _ in 0..20 {
            change(&mut frame, &mut model, &mut rng);
        }
        assert!(!path.exists());
        frame.finish().unwrap();
        let on_disk = || LocalSource::open(&path).unwrap();
        assert_eq!(model_of(on_disk()), model);
        assert!(matches!(FrameWriter::create(&path, frame_type, false, params).map(drop), Err(Error::OutputExists(_))));
        for _ in 0..10 {
            let mut frame = FrameWriter::open(&path).unwrap();
            for _ in 0..3 {
                change(&mut frame, &mut model, &mut rng);
                frame.commit().unwrap();
            }
            // Uncommitted changes are lost.
            let mut lost = model.clone();
            change(&mut frame, &mut lost, &mut rng);
            drop(frame);
            assert_eq!(model_of(on_disk()), model);
        }
        let mut frame = FrameWriter::open(&path).unwrap();
        frame.update_metalayer("unit", b"Kelvin").unwrap();
        frame.commit().unwrap();
        assert_eq!(Archive::open(on_disk()).unwrap().metalayer("unit"), Some(b"Kelvin".as_slice()));
        drop(frame);
        let mut other = FrameWriter::create(&path, frame_type, true, params).unwrap();
        other.append(&[1; 40]).unwrap();
        other.finish().unwrap();
        assert_eq!(model_of(on_disk()), Model { chunks: vec![vec![1; 40]], note: None });
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path)).unwrap();
    }
}

#[test]
fn streams_are_cut_and_short_chunks_filled_up() {
    let plain = testdata::ramp(10_000, 4, 3);
    let cancel = Cancel::new();
    // The first stream determines the chunk size. The next ones fill up its last chunk.
    for (parts, size) in [
        (&[10_000][..], 1000),
        (&[1, 1, 9998], 1),
        (&[4000, 4000, 2000], 1000),
        (&[500, 3500, 6000], 500),
        (&[0, 10_000, 0], 1000),
    ] {
        for threads in [Threads::Serial, Threads::Ambient] {
            let mut frame = FrameWriter::in_memory(FrameParams::new(4).filters(FilterPipeline::bitshuffle())).unwrap();
            let mut rest = plain.as_slice();
            for part in parts {
                let (now, later) = rest.split_at(*part);
                assert_eq!(frame.append_stream(now, Some(1003), &threads, &cancel).unwrap(), *part as u64);
                frame.commit().unwrap();
                rest = later;
            }
            let archive = Archive::open(frame.into_store()).unwrap();
            assert_eq!(archive.read_range(0..10_000).unwrap(), plain);
            assert_eq!(archive.frame().unwrap().header.chunksize, ChunkSize::Fixed(size), "{parts:?}");
        }
    }
}

#[test]
fn vlmetalayers_up_to_as_many_as_are_asked_for() {
    let mut frame = FrameWriter::in_memory(FrameParams::new(1)).unwrap();
    for number in 0..VlMetalayers::MAX_INTERCHANGE {
        frame.set_vlmetalayer(&number.to_string(), &[number as u8; 100]).unwrap();
    }
    frame.remove_vlmetalayer("3").unwrap();
    frame.set_vlmetalayer("last", b"").unwrap();
    frame.commit().unwrap();
    assert!(matches!(frame.set_vlmetalayer("one more", b""), Err(Error::Format(_))));
    assert!(matches!(frame.append(b"x"), Err(Error::EditFailed)));
    let mut frame =
        FrameWriter::with_store(frame.into_store(), &OpenOptions::new()).unwrap().max_vlmetalayers(VlMetalayers::MAX);
    frame.set_vlmetalayer("one more", b"17").unwrap();
    frame.commit().unwrap();
    let archive = Archive::open(frame.into_store()).unwrap();
    assert_eq!(archive.vlmetalayer("one more").unwrap().as_deref(), Some(b"17".as_slice()));
    assert_eq!(archive.vlmetalayer("3").unwrap(), None);
    assert_eq!(archive.vlmetalayer("last").unwrap().as_deref(), Some(b"".as_slice()));
    assert_eq!(archive.vlmetalayer("15").unwrap().as_deref(), Some([15; 100].as_slice()));
}

/// Readers limit the total size of the contents.
#[test]
fn vlmetalayers_that_readers_refuse_are_refused() {
    let options = OpenOptions::new().limits(Limits::new().max_metadata(1000));
    let mut frame = FrameWriter::in_memory(FrameParams::new(1)).unwrap();
    frame.commit().unwrap();
    let mut frame = FrameWriter::with_store(frame.into_store(), &options).unwrap();
    assert!(matches!(frame.set_vlmetalayer("long", &[1; 1001]), Err(Error::Limit(_))));
    frame.set_vlmetalayer("first", &[1; 600]).unwrap();
    frame.commit().unwrap();
    let over = frame.set_vlmetalayer("second", &[2; 401]).unwrap_err();
    let over = over.over_limit().unwrap();
    assert_eq!((over.what, over.needed, over.raise), ("the vlmetalayers together", 1001, "max_metadata"));
    // The writer remains usable, and the content of a replaced vlmetalayer does not count.
    frame.set_vlmetalayer("second", &[2; 400]).unwrap();
    frame.set_vlmetalayer("first", &[3; 600]).unwrap();
    frame.commit().unwrap();
    let archive = Archive::open_with(frame.into_store().file, &options).unwrap();
    assert!(Attributes::of(&archive).unwrap().unreadable.is_empty());
    archive.verify(&UnpackOptions::new()).unwrap();
}

/// C-Blosc2 does not read special values that are not whole items, so they are stored.
#[test]
fn short_special_values_are_stored() {
    let mut frame = FrameWriter::in_memory(FrameParams::new(8)).unwrap();
    frame.append_special(Special::Zeros, 800).unwrap();
    frame.append_special(Special::Zeros, 39).unwrap();
    assert_eq!(frame.chunk(1).unwrap(), [0; 39]);
    frame.commit().unwrap();
    let archive = Archive::open(frame.into_store()).unwrap();
    assert_eq!((archive.chunk_position(0), archive.chunk_position(1)), (None, Some(97)));
    assert_eq!(archive.read_range(0..839).unwrap(), [0; 839]);
}

/// C-Blosc2 takes the frame's typesize for the length of a repeated value. So a chunk that is not whole items has blocks.
#[test]
fn zeros_that_are_not_whole_items_have_blocks() {
    for (typesize, nbytes) in [(8, 37), (3, 1_001), (8, 1_000_001), (300, 299)] {
        let mut frame = FrameWriter::in_memory(FrameParams::new(typesize)).unwrap();
        frame.append_special(Special::Zeros, nbytes).unwrap();
        frame.commit().unwrap();
        let archive = Archive::open(frame.into_store()).unwrap();
        let stored = archive.compressed_chunk(0).unwrap();
        let header = Header::parse(&stored).unwrap();
        assert_eq!((header.special_value(), header.nbytes()), (None, nbytes as usize));
        assert_eq!(header.typesize(), if typesize > 255 { 1 } else { typesize as usize });
        assert!(stored.len() <= 32 + 8 * header.nblocks() && header.nblocks() < 100);
        archive.verify(&UnpackOptions::new()).unwrap();
        assert!(archive.read_range(0..nbytes.into()).unwrap().iter().all(|byte| *byte == 0));
    }
}

/// Frames with a codec of another library can be changed, but no data can be compressed with it.
#[test]
fn frames_of_an_unknown_codec() {
    let mut stored = Stored::golden("frames/last_partial_contiguous.b2frame");
    stored.file[27] = stored.file[27] & 0xf0 | 6;
    stored.file[77] = 200;
    let before = model_of(&stored);
    let mut frame = FrameWriter::with_store(memory_of(stored), &OpenOptions::new()).unwrap();
    assert!(matches!(frame.append(&[0; 100]), Err(Error::FrameParams { .. })));
    frame.delete(0).unwrap();
    frame.commit().unwrap();
    assert_eq!(model_of(frame.into_store().input()).chunks, before.chunks[1..]);
}

/// Returns the chunk that was refused because its kind is not that of the first.
fn mixed<T: std::fmt::Debug>(refused: Result<T, Error>) -> u64 {
    let Error::Argument(error) = refused.unwrap_err() else { panic!("not an argument") };
    let Error::MixedChunks { chunk } = *error else { panic!("{error}") };
    chunk
}

/// A frame has either chunks with blocks of variable length or others: no reader supports both in one frame.
#[test]
fn chunks_of_the_other_kind_are_refused() {
    let stored = Stored::golden("frames/batcharray.b2b");
    let mut frame = FrameWriter::with_store(memory_of(stored), &OpenOptions::new()).unwrap();
    let nchunks = frame.frame().unwrap().nchunks();
    let plain = frame.chunk(0).unwrap();
    assert_eq!(mixed(frame.append(&plain)), nchunks);
    assert_eq!(mixed(frame.update(0, &plain)), 0);
    mixed(frame.append_stream(plain.as_slice(), None, &Threads::Serial, &Cancel::new()));
}

/// In a frame that another program has mixed, the current first chunk decides. Added chunks can be read.
/// C-Blosc2 reads 32 bytes of every chunk and has no Snappy. In an array, it reads blocks by the array's block size.
#[test]
fn chunks_that_c_blosc2_cannot_read_are_refused() {
    let meta = NumpyMeta { dtype: Dtype::from_type_string("|u1").unwrap(), shape: vec![1000], order: Order::C };
    let cut = ArrayOptions::new().chunkshape(Some(vec![500])).blockshape(Some(vec![100]));
    let mut array = FrameWriter::array_in_memory(cut.array(&meta).unwrap(), FrameParams::new(1)).unwrap();
    let mut frame = FrameWriter::in_memory(FrameParams::new(1)).unwrap();
    frame.append(&[1; 500]).unwrap();
    let plain: Vec<u8> = (0..500_u32).map(|at| (at / 7) as u8).collect();
    let blosc2 = CParams::blosc2().typesize(1);
    let chunk = |params: CParams, plain: &[u8]| blosc_core::compress(plain, &params).unwrap();
    let short = chunk(CParams::new(), &[7; 10]);
    assert!(short.len() < 32);
    let blosc1 = CParams::new().typesize(1);
    // Whether a plain frame and an array have the chunk.
    for (what, chunk, in_frame, in_array) in [
        ("short", short, false, false),
        ("snappy", chunk(blosc1.codec(Codec::Snappy), &plain), false, false),
        ("blosc1", chunk(blosc1, &plain), true, false),
        ("blocks", chunk(blosc2.blocksize(BlockSize::Fixed(250)), &plain), true, false),
        ("fit", chunk(blosc2.blocksize(BlockSize::Fixed(100)), &plain), true, true),
        ("special", chunk(blosc2, &[0; 500]), true, true),
    ] {
        for (writer, is_fit) in [(&mut frame, in_frame), (&mut array, in_array)] {
            let count = writer.frame().unwrap().nchunks();
            let updated = writer.update_chunk(0, &chunk);
            let inserted = writer.insert_chunk(0, &chunk);
            for found in [updated, inserted] {
                match is_fit {
                    true => found.unwrap(),
                    false => assert_eq!(found.unwrap_err().kind(), ErrorKind::InvalidInput, "{what}"),
                }
            }
            assert_eq!(writer.frame().unwrap().nchunks(), count + u64::from(is_fit), "{what}");
            if is_fit {
                assert_eq!(writer.chunk(0).unwrap(), writer.chunk(1).unwrap());
                writer.delete(0).unwrap();
            }
        }
    }
    frame.commit().unwrap();
    array.commit().unwrap();
}

#[test]
fn the_first_chunk_says_which_kind() {
    let mut stored = Stored::golden("frames/batcharray.b2b");
    let archive = Archive::open(&stored).unwrap();
    let (place, nbytes) = (archive.chunk_position(1).unwrap() as usize, archive.chunk(1).unwrap().len());
    let (nchunks, regular) =
        (archive.nchunks(), blosc_core::Encoder::new(blosc_core::CParams::blosc2().typesize(1)).unwrap());
    let regular = regular.zeros(nbytes).unwrap();
    drop(archive);
    stored.file[place..place + regular.len()].copy_from_slice(&regular);

    let mut frame = FrameWriter::with_store(memory_of(stored), &OpenOptions::new()).unwrap();
    // The second chunk becomes the first, and back again.
    let swapped = |nchunks: u64| [1, 0].into_iter().chain(2..nchunks).collect::<Vec<_>>();
    let plain = vec![7; nbytes];
    frame.reorder(&swapped(nchunks)).unwrap();
    frame.append(&plain).unwrap();
    frame.commit().unwrap();
    assert_eq!(frame.chunk(nchunks).unwrap(), plain);
    frame.reorder(&swapped(nchunks + 1)).unwrap();
    mixed(frame.append(&plain));
    frame.delete(0).unwrap();
    frame.append(&plain).unwrap();
    frame.commit().unwrap();
    assert_eq!(Archive::open(frame.into_store()).unwrap().chunk(nchunks).unwrap(), plain);
}

/// An append writes the chunk, the index, the trailer, and the first bytes of the header, whatever the frame contains.
#[test]
fn an_edit_writes_what_is_new_and_the_index() {
    let mut frame = FrameWriter::in_memory(FrameParams::new(4).clevel(0)).unwrap();
    let chunk = testdata::noise(10_000, 3);
    (0..500).for_each(|_| frame.append(&chunk).unwrap());
    frame.commit().unwrap();
    let now = frame.into_store();
    assert!(now.file.len() > 5_000_000);
    let mut frame = FrameWriter::with_store(Recorder::new(now), &OpenOptions::new()).unwrap();
    frame.append(&chunk).unwrap();
    frame.commit().unwrap();
    let written =
        frame.into_store().ops.into_iter().map(|op| if let Op::Write { bytes, .. } = op { bytes.len() } else { 0 });
    let written: usize = written.sum();
    assert!((10_000..16_000).contains(&written), "{written}");
}

#[test]
fn items_have_bytes() {
    for typesize in [0, 1 << 31] {
        let frame = FrameWriter::in_memory(FrameParams::new(typesize));
        assert!(matches!(frame.map(drop), Err(Error::FrameParams { .. })), "{typesize}");
    }
    let mut frame = FrameWriter::in_memory(FrameParams::new(i32::MAX as u32)).unwrap();
    frame.append_stream(&[1; 10][..], None, &Threads::Serial, &Cancel::new()).unwrap();
}

/// C-Blosc2 reads the number of a file as an offset, which must lie 32 bytes before the end of the data.
#[test]
fn files_of_large_numbers_are_within_the_data() {
    let mut frame = FrameWriter::start(MemoryFrame::new(FrameType::Sparse), FrameParams::new(4)).unwrap();
    for _ in 0..100 {
        frame.append(&[1; 400]).unwrap();
    }
    frame.commit().unwrap();
    for _ in 0..99 {
        frame.delete(0).unwrap();
    }
    frame.commit().unwrap();
    assert_eq!(frame.frame().unwrap().header.cbytes, 99 + 32);
    frame.append(&[2; 400]).unwrap();
    frame.commit().unwrap();
    assert!(frame.frame().unwrap().header.cbytes >= 99 + 32);
    assert_eq!(model_of(frame.into_store().input()).chunks, [[1; 400], [2; 400]]);
}

/// A frame without chunks is a new file, which is locked as well.
#[test]
fn a_frame_that_was_emptied_is_still_locked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    let mut frame = FrameWriter::create(&path, FrameType::Contiguous, false, FrameParams::new(1)).unwrap();
    frame.append(b"x").unwrap();
    frame.finish().unwrap();
    let mut frame = FrameWriter::open(&path).unwrap();
    frame.delete(0).unwrap();
    frame.commit().unwrap();
    assert!(matches!(FrameWriter::open(&path).map(drop), Err(Error::Locked(_))));
    frame.append(b"yz").unwrap();
    frame.commit().unwrap();
    drop(frame);
    assert_eq!(model_of(&LocalSource::open(&path).unwrap()).chunks, [b"yz"]);
    FrameWriter::open(&path).unwrap().append(b"z").unwrap();
}
