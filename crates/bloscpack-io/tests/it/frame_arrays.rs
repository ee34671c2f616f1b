//! Arrays in frames: created from items in C or Fortran order, written in part, resized.

use std::panic::{AssertUnwindSafe, catch_unwind};

use blosc_core::{Auto, ErrorKind, Goal, Special};
use bloscpack_format::frame::{B2nd, ChunkRef, ChunkSize, FrameType, Region};
use bloscpack_format::numpy::{AxisSelection, Dtype, NumpyMeta, Order, Selection};
use bloscpack_io::frame::{ArrayItems, ArrayOptions, FrameParams, FrameStore as _, FrameWriter, MemoryFrame};
use bloscpack_io::{Archive, Array, Cancel, Error, OpenOptions, Threads, UnpackOptions};
use testdata::SplitMix64;

use crate::common::recorder::Recorder;
use crate::common::{Stored, each_frame};

fn unpacked(store: &MemoryFrame) -> Vec<u8> {
    let archive = Archive::open(store.input()).unwrap();
    archive.verify(&UnpackOptions::new().threads(Threads::Serial)).unwrap();
    let mut plain = Vec::new();
    archive.unpack(&mut plain, &UnpackOptions::new()).unwrap();
    plain
}

/// The indices of item `number` in C order.
fn indices(mut number: u64, shape: &[u64]) -> Vec<u64> {
    let mut at: Vec<u64> = shape.iter().rev().map(|len| (number % len, number /= len).0).collect();
    at.reverse();
    at
}

/// The same items in Fortran order, computed by the definition.
fn fortran(items: &[u8], shape: &[u64], itemsize: usize) -> Vec<u8> {
    let mut out = vec![0; items.len()];
    for (number, item) in items.chunks(itemsize).enumerate() {
        let at = indices(number as u64, shape);
        let place = at.iter().zip(shape).rev().fold(0, |place, (at, len)| place * len + at) as usize;
        out[place * itemsize..][..itemsize].copy_from_slice(item);
    }
    out
}

#[test]
fn golden_arrays_made_anew_hold_the_same() {
    let mut seen = 0;
    each_frame(|path, _, stored| {
        let archive = Archive::open(stored).unwrap();
        let (Some(array), Some(meta)) = (archive.array(), archive.numpy()) else { return };
        seen += 1;
        let params = FrameParams::of(&archive.frame().unwrap().header).unwrap();
        let mut plain = Vec::new();
        archive.unpack(&mut plain, &UnpackOptions::new()).unwrap();
        let made = |items: &dyn Fn(&mut FrameWriter<MemoryFrame>), array: &B2nd| {
            let mut writer = FrameWriter::array_in_memory(array.clone(), params).unwrap();
            items(&mut writer);
            writer.commit().unwrap();
            let store = writer.into_store();
            assert!(unpacked(&store) == plain, "{path}");
            assert_eq!(Archive::open(store.input()).unwrap().array(), Some(array), "{path}");
        };
        let cancel = Cancel::new();
        let whole = Array::open(stored).unwrap();
        let c = Array::plain(plain.as_slice(), 0, meta.clone()).unwrap();
        made(&|writer| writer.write_items(&c, &Threads::Ambient, &cancel).unwrap(), array);
        made(&|writer| writer.write_items(&whole, &Threads::Serial, &cancel).unwrap(), array);
        let turned = [b"in front".as_slice(), &fortran(&plain, &meta.shape, archive.typesize())].concat();
        let turned_meta = NumpyMeta { order: Order::F, ..meta.clone() };
        let f = Array::plain(turned.as_slice(), 8, turned_meta).unwrap();
        let automatic = ArrayOptions::new().array(meta).unwrap();
        assert_eq!(automatic.numpy_dtype(), array.numpy_dtype(), "{path}");
        made(&|writer| writer.write_items(&f, &Threads::Serial, &cancel).unwrap(), &automatic);
    });
    assert_eq!(seen, 85);
}

#[test]
fn a_cancelled_change_of_items_changes_nothing() {
    let meta = NumpyMeta { dtype: Dtype::from_type_string("<u4").unwrap(), shape: vec![1000], order: Order::C };
    let array = ArrayOptions::new().chunkshape(Some(vec![10])).array(&meta).unwrap();
    let mut writer = FrameWriter::array_in_memory(array, FrameParams::new(4)).unwrap();
    writer.commit().unwrap();
    let cancel = Cancel::new();
    let mut writer = writer.cancel(cancel.clone());
    cancel.cancel();
    let region = Region { start: vec![0], stop: vec![1000] };
    assert!(matches!(writer.write_slice(&region, &[1; 4000]), Err(Error::Cancelled)));
    assert!(unpacked(&writer.into_store()) == [0; 4000]);
}

/// The frame of an array of 20 chunks with random items that can be compressed.
fn random_array() -> MemoryFrame {
    let meta = NumpyMeta { dtype: Dtype::from_type_string("<u4").unwrap(), shape: vec![20, 300], order: Order::C };
    let array = ArrayOptions::new().chunkshape(Some(vec![1, 300])).array(&meta).unwrap();
    let mut writer = FrameWriter::array_in_memory(array, FrameParams::new(4)).unwrap();
    let mut items = vec![0; 24_000];
    SplitMix64::new(7).fill(&mut items);
    items.iter_mut().for_each(|byte| *byte &= 3);
    writer.write_slice(&Region { start: vec![0, 0], stop: vec![20, 300] }, &items).unwrap();
    writer.commit().unwrap();
    writer.into_store()
}

#[test]
fn a_damaged_chunk_ends_a_change_on_any_threads() {
    let mut disk = random_array();
    let at = match Archive::open(disk.input()).unwrap().frame().unwrap().chunk(13).unwrap() {
        ChunkRef::Stored { at, .. } => at as usize,
        other => panic!("{other:?}"),
    };
    // A block that starts after the chunk.
    disk.file[at + 32..at + 36].copy_from_slice(&i32::MAX.to_le_bytes());
    let before = disk.clone();
    for threads in [Threads::Serial, Threads::Ambient] {
        let writer = FrameWriter::with_store(disk.clone(), &OpenOptions::new()).unwrap();
        let mut writer = writer.threads(threads);
        let region = Region { start: vec![0, 5], stop: vec![20, 6] };
        let written = writer.write_slice(&region, &[1; 80]);
        assert!(matches!(written, Err(Error::Chunk { chunk: 13, .. })), "{written:?}");
        assert!(matches!(writer.commit(), Err(Error::EditFailed)));
        assert!(writer.into_store().file.starts_with(&before.file));
    }
}

#[test]
fn threads_and_parameters_for_the_data_make_one_frame() {
    let region = Region { start: vec![2, 5], stop: vec![19, 299] };
    let items = [3_u32; 17 * 294].map(u32::to_le_bytes);
    let written = |threads: Threads, auto: Option<Auto>| {
        let writer = FrameWriter::with_store(random_array(), &OpenOptions::new()).unwrap();
        let mut writer = writer.threads(threads).auto(auto);
        writer.write_slice(&region, items.as_flattened()).unwrap();
        writer.commit().unwrap();
        writer.into_store()
    };
    for auto in [None, Some(Auto::new(Goal::Small))] {
        let (serial, parallel) = (written(Threads::Serial, auto), written(Threads::Ambient, auto));
        assert!(serial.file == parallel.file);
        assert!(unpacked(&serial) == unpacked(&written(Threads::Serial, None)));
    }
}

/// A source of items that panics at the last chunk.
struct Panics;

impl ArrayItems for Panics {
    fn read(&self, region: &Region) -> Result<Vec<u8>, Error> {
        assert!(region.start[0] < 90, "the last chunk");
        Ok(vec![7; 4 * 10])
    }
}

#[test]
fn a_panic_of_the_items_commits_nothing() {
    let meta = NumpyMeta { dtype: Dtype::from_type_string("<u4").unwrap(), shape: vec![100], order: Order::C };
    for threads in [Threads::Serial, Threads::Ambient] {
        let array = ArrayOptions::new().chunkshape(Some(vec![10])).array(&meta).unwrap();
        let mut writer = FrameWriter::array_in_memory(array, FrameParams::new(4)).unwrap();
        writer.commit().unwrap();
        let write = AssertUnwindSafe(|| writer.write_items(&Panics, &threads, &Cancel::new()));
        assert!(catch_unwind(write).is_err());
        assert!(matches!(writer.commit(), Err(Error::EditFailed)));
        assert!(unpacked(&writer.into_store()) == [0; 400]);
    }
}

/// A model of an array in memory, computed by the definition.
#[derive(Debug, Clone, PartialEq)]
struct Model {
    shape: Vec<u64>,
    items: Vec<u16>,
}

impl Model {
    fn number(&self, at: &[u64]) -> usize {
        at.iter().zip(&self.shape).fold(0, |number, (at, len)| number * len + at) as usize
    }

    fn bytes(&self) -> Vec<u8> {
        self.items.iter().copied().flat_map(u16::to_le_bytes).collect()
    }

    fn write(&mut self, region: &Region, items: &[u16]) {
        let extents = region.extents();
        for (number, item) in items.iter().enumerate() {
            let at: Vec<u64> = indices(number as u64, &extents).iter().zip(&region.start).map(|(a, b)| a + b).collect();
            let place = self.number(&at);
            self.items[place] = *item;
        }
    }

    fn write_selection(&mut self, selection: &Selection, items: &[u16]) {
        for (number, item) in items.iter().enumerate() {
            let numbers = indices(number as u64, &selection.counts());
            let at: Vec<u64> = selection.axes().iter().zip(&numbers).map(|(axis, number)| axis.at(*number)).collect();
            let place = self.number(&at);
            self.items[place] = *item;
        }
    }

    fn resize(&mut self, shape: &[u64]) {
        let len = shape.iter().product::<u64>();
        let item = |number| {
            let at = indices(number, shape);
            let inside = at.iter().zip(&self.shape).all(|(at, len)| at < len);
            if inside { self.items[self.number(&at)] } else { 0 }
        };
        self.items = (0..len).map(item).collect();
        self.shape = shape.to_vec();
    }
}

/// A selection with steps in both directions, empty ones included.
fn any_selection(rng: &mut SplitMix64, shape: &[u64]) -> Selection {
    let axes = shape.iter().map(|&len| {
        let start = rng.next_u64() % len.max(1);
        let step = [1_i64, 2, 3, 7, -1, -2, -5][rng.below(7)];
        let last = if step > 0 { len.saturating_sub(start + 1) } else { start };
        let count = rng.next_u64() % (last / step.unsigned_abs() + 2);
        AxisSelection { start, step, count: if len == 0 { 0 } else { count }, is_index: false }
    });
    Selection::new(axes.collect(), shape).unwrap()
}

#[test]
fn slices_are_written_and_shapes_changed_through_any_kill() {
    let mut rng = SplitMix64::new(41);
    let dtype = Dtype::from_type_string("<u2").unwrap();
    for (frame_type, shape, chunkshape, blockshape) in [
        (FrameType::Contiguous, &[13, 9][..], &[5, 4][..], &[2, 3][..]),
        (FrameType::Sparse, &[13, 9], &[5, 4], &[2, 3]),
        (FrameType::Contiguous, &[4, 5, 6], &[2, 5, 4], &[2, 2, 3]),
        (FrameType::Sparse, &[40], &[7], &[3]),
        (FrameType::Contiguous, &[], &[], &[]),
    ] {
        let meta = NumpyMeta { dtype: dtype.clone(), shape: shape.to_vec(), order: Order::C };
        let options = ArrayOptions::new().chunkshape(Some(chunkshape.to_vec())).blockshape(Some(blockshape.to_vec()));
        let array = options.array(&meta).unwrap();
        let mut writer = FrameWriter::start_array(MemoryFrame::new(frame_type), array, FrameParams::new(2)).unwrap();
        writer.commit().unwrap();
        let mut disk = writer.into_store();
        let mut model = Model { shape: shape.to_vec(), items: vec![0; shape.iter().product::<u64>() as usize] };
        for round in 0..40 {
            let (old, before) = (disk.clone(), model.clone());
            let threads = if round % 2 == 0 { Threads::Serial } else { Threads::Ambient };
            let writer = FrameWriter::with_store(Recorder::new(disk), &OpenOptions::new()).unwrap();
            let mut writer = writer.threads(threads);
            if rng.below(3) == 0 {
                let selection = any_selection(&mut rng, &model.shape);
                let count = selection.counts().iter().product::<u64>();
                let items: Vec<u16> = (0..count).map(|_| rng.next_u64() as u16).collect();
                let bytes: Vec<u8> = items.iter().copied().flat_map(u16::to_le_bytes).collect();
                writer.write_selection(&selection, &bytes).unwrap();
                model.write_selection(&selection, &items);
                assert!(writer.write_selection(&selection, &[1]).is_err());
            } else if rng.below(3) == 0 {
                let shape: Vec<u64> =
                    model.shape.iter().map(|len| (len + rng.next_u64() % 9).saturating_sub(4)).collect();
                writer.resize(&shape).unwrap();
                model.resize(&shape);
            } else {
                let axes = model.shape.iter().map(|len| {
                    let (a, b) = (rng.next_u64() % (len + 1), rng.next_u64() % (len + 1));
                    (a.min(b), a.max(b))
                });
                let (start, stop) = axes.unzip();
                let region = Region { start, stop };
                let count = region.extents().iter().product::<u64>();
                let items: Vec<u16> = (0..count).map(|_| rng.next_u64() as u16).collect();
                let bytes: Vec<u8> = items.iter().copied().flat_map(u16::to_le_bytes).collect();
                writer.write_slice(&region, &bytes).unwrap();
                model.write(&region, &items);
                assert!(writer.write_slice(&region, &[1]).is_err());
                // A wrong length is refused before anything is planned. The writer remains usable.
                writer.write_slice(&region, &bytes).unwrap();
            }
            writer.commit().unwrap();
            let recorder = writer.into_store();
            recorder.kills(&old, |disk, end| {
                let found = unpacked(disk);
                let is_new = found == model.bytes()
                    && Archive::open(disk.input()).unwrap().array().unwrap().shape == model.shape;
                assert!(is_new || (!end && found == before.bytes()), "{shape:?}: round {round}");
            });
            disk = recorder.now;
            assert!(unpacked(&disk) == model.bytes(), "{shape:?}: round {round}");
        }
    }
}

/// Chunks of an array can be changed one by one, as long as the array stays valid.
#[test]
fn an_array_keeps_its_chunks() {
    let meta = NumpyMeta { dtype: Dtype::from_type_string("<u2").unwrap(), shape: vec![20], order: Order::C };
    let options = ArrayOptions::new().chunkshape(Some(vec![5])).blockshape(Some(vec![5]));
    let array = options.array(&meta).unwrap();
    let mut writer = FrameWriter::array_in_memory(array, FrameParams::new(2)).unwrap();
    writer.commit().unwrap();
    let whole = testdata::noise(10, 1);
    for plain in [&whole[..8], &[&whole[..], &[1, 2]].concat()] {
        assert!(matches!(writer.update(3, plain), Err(Error::Argument(_))));
        assert!(matches!(writer.append(plain), Err(Error::Argument(_))));
    }
    // Refused before anything is planned.
    writer.update(3, &whole).unwrap();
    writer.delete(0).unwrap();
    writer.insert(0, &whole).unwrap();
    writer.reorder(&[3, 2, 1, 0]).unwrap();
    writer.commit().unwrap();
    let store = writer.into_store();
    let expected = [&whole[..], &[0; 20], &whole].concat();
    assert_eq!(unpacked(&store), expected);
    for change in [FrameWriter::append, |writer: &mut FrameWriter<_>, _: &[u8]| writer.delete(1)] {
        let mut writer = FrameWriter::with_store(store.clone(), &OpenOptions::new()).unwrap();
        change(&mut writer, &whole).unwrap();
        assert!(matches!(writer.commit(), Err(Error::Argument(_))));
        assert!(matches!(writer.commit(), Err(Error::EditFailed)));
        assert_eq!(unpacked(&writer.into_store()), expected);
    }
}

#[test]
fn an_array_of_more_chunks_than_a_frame_holds_is_refused() {
    let meta = NumpyMeta { dtype: Dtype::from_type_string("<u2").unwrap(), shape: vec![5], order: Order::C };
    let options = ArrayOptions::new().chunkshape(Some(vec![5])).blockshape(Some(vec![5]));
    let array = options.array(&meta).unwrap();
    let huge = array.clone().with_shape([5 << 28]);
    assert!(matches!(FrameWriter::array_in_memory(huge, FrameParams::new(2)).map(drop), Err(Error::Format(_))));
    let mut writer = FrameWriter::array_in_memory(array, FrameParams::new(2)).unwrap();
    assert!(matches!(writer.resize(&[1 << 60]), Err(Error::Format(_))));
    writer.resize(&[6]).unwrap();
}

/// C-Blosc2 fills whole chunks, including the padding.
#[test]
fn padding_does_not_show_when_an_array_grows() {
    let meta = NumpyMeta { dtype: Dtype::from_type_string("<f8").unwrap(), shape: vec![5, 5], order: Order::C };
    let options = ArrayOptions::new().chunkshape(Some(vec![3, 3])).blockshape(Some(vec![2, 2]));
    let content = options.array(&meta).unwrap().to_bytes().unwrap();
    let seven = 7_f64.to_le_bytes();
    for special in [false, true] {
        let mut writer = FrameWriter::in_memory(FrameParams::new(8)).unwrap();
        writer.add_metalayer(B2nd::NAME, &content).unwrap();
        for _ in 0..4 {
            match special {
                true => writer.append_special(Special::Nan, 128).unwrap(),
                false => writer.append(&seven.repeat(16)).unwrap(),
            }
        }
        writer.commit().unwrap();
        let item = if special { f64::NAN.to_le_bytes() } else { seven };
        let mut writer = FrameWriter::with_store(writer.into_store(), &OpenOptions::new()).unwrap();
        writer.resize(&[6, 7]).unwrap();
        writer.commit().unwrap();
        let rows = (0..6).flat_map(|row| (0..7).map(move |column| row < 5 && column < 5));
        let expected: Vec<u8> = rows.flat_map(|kept| if kept { item } else { [0; 8] }).collect();
        assert!(unpacked(&writer.into_store()) == expected, "{special}");
    }
}

/// The header says that chunk sizes vary, but the array requires equal sizes.
#[test]
fn an_array_with_a_chunk_of_another_size_is_damaged() {
    let meta = NumpyMeta { dtype: Dtype::from_type_string("<u2").unwrap(), shape: vec![20], order: Order::C };
    let options = ArrayOptions::new().chunkshape(Some(vec![5])).blockshape(Some(vec![5]));
    let content = options.array(&meta).unwrap().to_bytes().unwrap();
    for (last, is_whole) in [(10, true), (8, false), (12, false)] {
        let mut writer = FrameWriter::in_memory(FrameParams::new(2)).unwrap();
        writer.add_metalayer(B2nd::NAME, &content).unwrap();
        // A short first chunk makes the sizes vary.
        for nbytes in [8, 10, 10, 10, last] {
            writer.append(&testdata::noise(nbytes, 2)).unwrap();
        }
        writer.delete(0).unwrap();
        writer.commit().unwrap();
        let archive = Archive::open(writer.into_store()).unwrap();
        assert_eq!(archive.frame().unwrap().header.chunksize, ChunkSize::Variable);
        assert_eq!(archive.verify(&UnpackOptions::new()).is_ok(), is_whole, "{last}");
        assert_eq!(archive.read_slice(&Region { start: vec![15], stop: vec![20] }).is_ok(), is_whole, "{last}");
    }
}

/// A stream appends whole chunks of the array, or nothing.
#[test]
fn a_stream_keeps_the_chunks_of_an_array() {
    let meta = NumpyMeta { dtype: Dtype::from_type_string("|u1").unwrap(), shape: vec![12], order: Order::C };
    let array = ArrayOptions::new().chunkshape(Some(vec![4])).blockshape(Some(vec![4])).array(&meta).unwrap();
    let mut writer = FrameWriter::array_in_memory(array, FrameParams::new(1)).unwrap();
    writer.commit().unwrap();
    let store = writer.into_store();
    let append = |deleted: &[u64], plain: &[u8]| {
        let mut writer = FrameWriter::with_store(store.clone(), &OpenOptions::new()).unwrap();
        deleted.iter().for_each(|at| writer.delete(*at).unwrap());
        let appended = writer.append_stream(plain, None, &Threads::Serial, &Cancel::new());
        (appended, writer.commit(), unpacked(&writer.into_store()))
    };
    for plain in [&[1; 3][..], &[1; 5]] {
        let (appended, committed, found) = append(&[2], plain);
        assert_eq!(appended.unwrap_err().kind(), ErrorKind::InvalidInput);
        assert!(matches!(committed, Err(Error::EditFailed)) && found == [0; 12], "{found:?}");
    }
    let (appended, committed, found) = append(&[2], &[1; 4]);
    assert!(appended.is_ok() && committed.is_ok() && found == [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1], "{found:?}");
    // The first chunk has the size that the array requires, not the one of a frame without chunks.
    let (appended, committed, found) = append(&[2, 1, 0], &[1; 12]);
    assert!(appended.is_ok() && committed.is_ok() && found == [1; 12], "{found:?}");
}

/// The header states fewer bytes than the chunks of the array have, so that the last chunk is short.
#[test]
fn an_array_with_a_short_last_chunk_is_damaged() {
    let meta = NumpyMeta { dtype: Dtype::from_type_string("|u1").unwrap(), shape: vec![12], order: Order::C };
    let array = ArrayOptions::new().chunkshape(Some(vec![4])).blockshape(Some(vec![4])).array(&meta).unwrap();
    let mut zeros = FrameWriter::array_in_memory(array.clone(), FrameParams::new(1)).unwrap();
    zeros.commit().unwrap();
    let mut zeros = zeros.into_store();
    // The low byte of nbytes.
    assert_eq!(std::mem::replace(&mut zeros.file[37], 11), 12);
    let mut stored = FrameWriter::in_memory(FrameParams::new(1)).unwrap();
    stored.add_metalayer(B2nd::NAME, &array.to_bytes().unwrap()).unwrap();
    [4, 4, 3].iter().for_each(|nbytes| stored.append(&testdata::noise(*nbytes, 2)).unwrap());
    stored.commit().unwrap();
    for store in [zeros, stored.into_store()] {
        let archive = Archive::open(store.input()).unwrap();
        assert_eq!(archive.frame().unwrap().header.chunksize, ChunkSize::Fixed(4));
        let error = archive.verify(&UnpackOptions::new()).unwrap_err();
        assert_eq!((error.kind(), error.location().chunk), (ErrorKind::Damaged, Some(2)), "{error}");
        assert!(archive.read_slice(&Region { start: vec![0], stop: vec![8] }).is_ok());
        assert!(archive.read_slice(&Region { start: vec![8], stop: vec![9] }).is_err());
    }
}

/// Chunks of an array have the array's blocks, whatever block size the header states. C-Blosc2 could not read others.
#[test]
fn blocks_are_those_of_the_array() {
    let mut stored = Stored::golden("frames/b2nd_015_i4_13x17.b2nd");
    let block_nbytes = Archive::open(stored.clone()).unwrap().grid().unwrap().block_nbytes();
    // Sets the block size in the header to 0, which means none.
    stored.file[53..57].fill(0);
    let mut writer =
        FrameWriter::with_store(MemoryFrame { file: stored.file, files: None }, &OpenOptions::new()).unwrap();
    writer.write_slice(&Region { start: vec![0, 0], stop: vec![1, 1] }, &[1; 4]).unwrap();
    writer.commit().unwrap();
    let archive = Archive::open(writer.into_store()).unwrap();
    let chunk = archive.compressed_chunk(0).unwrap();
    assert_eq!(blosc_core::Header::parse(&chunk).unwrap().blocksize(), block_nbytes);
}

#[test]
fn what_lies_somewhere_else_has_to_be_there() {
    let meta = NumpyMeta { dtype: Dtype::from_type_string("<u2").unwrap(), shape: vec![3], order: Order::C };
    assert!(Array::plain([0; 5].as_slice(), 0, meta.clone()).is_err());
    assert!(Array::plain([0; 6].as_slice(), 1, meta.clone()).is_err());
    assert!(Array::plain([0; 6].as_slice(), 0, meta).is_ok());
}
