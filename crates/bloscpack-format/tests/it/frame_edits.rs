//! Tests that edits of frames are atomic: cut off at any byte the old frame opens, after the commit the new one.

use blosc_core::{CParams, Chunk, Codec, Decoder, Encoder, ErrorKind, Limits, Special};
use bloscpack_format::FormatError;
use bloscpack_format::frame::{
    ChunkInfo, ChunkRef, ChunkSize, ChunkTarget, Edit, Entry, Frame, FrameError, FrameType, Header, NewChunk, NewOrder,
    Plan, Salvaged, Step, Trailer, identify, sframe,
};
use std::collections::BTreeMap;
use testdata::SplitMix64;

const LIMITS: Limits = Limits::new().max_nbytes(1 << 20);

/// A frame's file and its chunk files.
#[derive(Debug, Clone, PartialEq, Default)]
struct Disk {
    file: Vec<u8>,
    files: BTreeMap<u32, Vec<u8>>,
}

impl Disk {
    fn golden(path: &str) -> Self {
        let archive = testdata::archive("frames");
        if let Some(file) = archive.get(path) {
            return Self { file: file.clone(), files: BTreeMap::new() };
        }
        let prefix = format!("{path}/");
        let names = archive.iter().filter_map(|(name, bytes)| Some((name.strip_prefix(&prefix)?, bytes)));
        let files = names.clone().filter_map(|(name, bytes)| Some((sframe::chunk_file_number(name)?, bytes.clone())));
        let file = names.clone().find(|(name, _)| *name == sframe::INDEX_FILE).unwrap().1.clone();
        Self { file, files: files.collect() }
    }

    fn open(&self) -> Frame {
        Frame::parse(&self.file, LIMITS).unwrap()
    }

    fn bytes_of(&self, frame: &Frame, chunk: u64) -> Option<&[u8]> {
        match frame.chunk(chunk).unwrap() {
            ChunkRef::Stored { at, .. } => Some(&self.file[at as usize..]),
            ChunkRef::File { number, .. } => Some(&self.files[&number]),
            ChunkRef::Special { .. } => None,
        }
    }

    fn info(&self, frame: &Frame, chunk: u64) -> Option<ChunkInfo> {
        self.bytes_of(frame, chunk).map(|bytes| ChunkInfo::parse(bytes).unwrap())
    }

    /// Decodes all chunks, and checks them against the frame's metadata.
    fn plain(&self) -> Vec<Vec<u8>> {
        let frame = self.open();
        let mut decoder = Decoder::new().super_chunk_typesize(frame.header.typesize as usize);
        let chunks = (0..frame.nchunks()).map(|chunk| match frame.chunk(chunk).unwrap() {
            ChunkRef::Special { special, nbytes } => {
                let encoder = Encoder::new(CParams::blosc2().typesize(4)).unwrap();
                let chunk = match special {
                    Special::Nan => encoder.nans(nbytes as usize),
                    _ => encoder.zeros(nbytes as usize),
                };
                blosc_core::decompress(&chunk.unwrap()).unwrap()
            }
            ChunkRef::Stored { nbytes, .. } | ChunkRef::File { nbytes, .. } => {
                let bytes = self.bytes_of(&frame, chunk).unwrap();
                ChunkInfo::parse(bytes).unwrap().check(chunk, bytes.len() as u64, nbytes).unwrap();
                decoder.decompress(&Chunk::parse(bytes).unwrap()).unwrap()
            }
        });
        let chunks: Vec<Vec<u8>> = chunks.collect();
        assert_eq!(chunks.iter().map(|chunk| chunk.len() as u64).sum::<u64>(), frame.header.nbytes);
        if frame.header.frame_type == FrameType::Sparse {
            let stored: usize = frame_files(&frame).iter().map(|number| self.files[number].len()).sum();
            assert_eq!(frame.header.cbytes, stored as u64);
        }
        chunks
    }

    fn write(&mut self, at: u64, bytes: &[u8]) {
        let end = at as usize + bytes.len();
        self.file.resize(self.file.len().max(end), 0);
        self.file[at as usize..end].copy_from_slice(bytes);
    }

    fn put(&mut self, place: Option<ChunkTarget>, bytes: &[u8]) {
        match place {
            Some(ChunkTarget::At(at)) => self.write(at, bytes),
            Some(ChunkTarget::File(number)) => drop(self.files.insert(number, bytes.to_vec())),
            None => {}
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Write { at, bytes } | Step::Commit { at, bytes } => self.write(*at, bytes),
            Step::WriteFile { number, bytes } => drop(self.files.insert(*number, bytes.clone())),
            Step::SetLen { len } => self.file.resize(*len as usize, 0),
            Step::Sync => {}
            Step::Replace { bytes } => self.file.clone_from(bytes),
            Step::Remove { number } => assert!(self.files.remove(number).is_some()),
        }
    }

    /// Executes a plan. The frame is opened before each step, and in the middle of it unless it is the commit. It must
    /// be the old frame before the commit and the new one after it.
    fn execute(&mut self, plan: &Plan) {
        let old = self.plain();
        let is_commit = |step: &Step| matches!(step, Step::Commit { .. } | Step::Replace { .. });
        assert_eq!(plan.steps.iter().filter(|step| is_commit(step)).count(), 1);
        let commit = plan.steps.iter().position(is_commit).unwrap();
        assert_eq!(plan.steps[commit - usize::from(commit > 0)..commit].last().unwrap_or(&Step::Sync), &Step::Sync);
        for step in &plan.steps[..commit] {
            assert_eq!(self.plain(), old);
            if let Step::Write { at, bytes } = step {
                assert!(*at >= self.open().header.frame_len);
                for torn in [1, bytes.len() / 2, bytes.len() - 1] {
                    let mut disk = self.clone();
                    disk.write(*at, &bytes[..torn]);
                    assert_eq!(disk.plain(), old);
                }
            }
            self.step(step);
        }
        assert_eq!(self.plain(), old);
        if let Step::Commit { at, bytes } = &plan.steps[commit] {
            assert!(at + bytes.len() as u64 <= self.open().header.header_len());
        }
        self.step(&plan.steps[commit]);
        let new = self.plain();
        assert_eq!(self.open(), plan.frame);
        for step in &plan.steps[commit + 1..] {
            self.step(step);
            assert_eq!(self.plain(), new);
        }
        assert_eq!(self.open(), plan.frame);
    }
}

fn frame_files(frame: &Frame) -> Vec<u32> {
    let refs = (0..frame.nchunks()).map(|chunk| frame.chunk(chunk).unwrap());
    refs.filter_map(|chunk| if let ChunkRef::File { number, .. } = chunk { Some(number) } else { None }).collect()
}

fn some_bytes(rng: &mut SplitMix64, len: usize) -> Vec<u8> {
    let start = rng.next_u64() as u32;
    (start..).flat_map(u32::to_le_bytes).take(len).collect()
}

fn compress(plain: &[u8]) -> Vec<u8> {
    blosc_core::compress(plain, &CParams::blosc2().codec(Codec::Lz4).typesize(4)).unwrap()
}

/// Makes a chunk of `len` uncompressed bytes. Returns it as the edit takes it, its compressed bytes and its
/// uncompressed bytes.
fn new_chunk(rng: &mut SplitMix64, len: usize) -> (NewChunk, Vec<u8>, Vec<u8>) {
    match rng.below(4) {
        0 => (NewChunk::Special(Special::Zeros, len as u32), Vec::new(), vec![0; len]),
        _ => {
            let plain = some_bytes(rng, len);
            let chunk = compress(&plain);
            (NewChunk::Stored(ChunkInfo::parse(&chunk).unwrap()), chunk, plain)
        }
    }
}

const FRAMES: [&str; 12] = [
    "frames/cf_lz4_shuffle_f8_walk.b2frame",
    "frames/last_partial_contiguous.b2frame",
    "frames/last_partial_sparse.sframe",
    "frames/fill_zero_contiguous_37.b2frame",
    "frames/fill_zero_sparse_37.sframe",
    "frames/mix_zqvr_contiguous.b2frame",
    "frames/mix_zqvr_sparse.sframe",
    "frames/empty_meta_contiguous.b2frame",
    "frames/empty_sparse.sframe",
    "frames/edit_delete_all_contiguous.b2frame",
    "frames/var_grow_contiguous.b2frame",
    "frames/gap_append.b2frame",
];

#[test]
fn edits_of_golden_frames() {
    let mut rng = SplitMix64::new(5);
    let mut kinds = [0; 3];
    for path in FRAMES {
        let mut disk = Disk::golden(path);
        let mut model = disk.plain();
        for _ in 0..40 {
            let frame = disk.open();
            let mut edit = Edit::new(frame.clone()).unwrap();
            let size = match frame.header.chunksize {
                ChunkSize::Fixed(size) => size as usize,
                ChunkSize::Variable | ChunkSize::Unset => 1000,
            };
            // Mostly the size that fits; rarely one that makes sizes variable.
            let len = if rng.below(16) == 0 { 4 * (1 + rng.below(600)) } else { size };
            let (chunk, bytes, plain) = new_chunk(&mut rng, len);
            let op = rng.below(10);
            match op {
                0..=2 => {
                    let place = edit.append(chunk).unwrap();
                    disk.put(place, &bytes);
                    model.push(plain);
                }
                3 => {
                    let at = rng.below(model.len() + 1);
                    let place = edit.insert(at as u64, chunk).unwrap();
                    disk.put(place, &bytes);
                    model.insert(at, plain);
                }
                4 | 5 if !model.is_empty() => {
                    let at = rng.below(model.len());
                    let place = edit.update(at as u64, disk.info(&frame, at as u64), chunk).unwrap();
                    disk.put(place, &bytes);
                    model[at] = plain;
                }
                6 | 7 if !model.is_empty() => {
                    let at = rng.below(model.len());
                    edit.delete(at as u64, disk.info(&frame, at as u64)).unwrap();
                    model.remove(at);
                }
                8 if !model.is_empty() => {
                    let shift = rng.below(model.len());
                    let order: Vec<u64> = (0..model.len()).map(|i| ((i + shift) % model.len()) as u64).collect();
                    edit.reorder(&order).unwrap();
                    model.rotate_left(shift);
                }
                _ => {
                    let content = some_bytes(&mut rng, 50);
                    edit.set_vlmetalayer("a", &compress(&content), 16).unwrap();
                    let plan = edit.finish().unwrap();
                    disk.execute(&plan);
                    let layers = &disk.open().trailer.vlmetalayers;
                    assert_eq!(layers.decode("a", &mut Decoder::new()), Ok(content));
                    assert!(disk.open().header.has_vlmetalayers);
                    kinds[0] += 1;
                    continue;
                }
            }
            let plan = edit.finish().unwrap();
            disk.execute(&plan);
            assert_eq!(disk.plain(), model, "{path}: op {op}");
            let variable = disk.open().header.chunksize == ChunkSize::Variable;
            assert_eq!(variable, disk.open().header.variable_chunks);
            kinds[1 + usize::from(variable)] += 1;
        }
        let frame = disk.open();
        if frame.header.frame_type == FrameType::Sparse {
            let mut used = frame_files(&frame);
            used.sort_unstable();
            assert_eq!(disk.files.keys().copied().collect::<Vec<_>>(), used, "{path}: files left over or shared");
        }
    }
    assert!(kinds.iter().all(|n| *n > 30), "{kinds:?}");
}

/// The same append as in the frame that was made by hand and read by C-Blosc2.
#[test]
fn gap_append_comes_out_as_recorded() {
    let mut disk = Disk::golden("frames/tail_uncommitted.b2frame");
    let recorded = Disk::golden("frames/gap_append.b2frame");
    let expected = recorded.open();
    let chunk = recorded.bytes_of(&expected, 3).unwrap();
    let chunk = &chunk[..ChunkInfo::parse(chunk).unwrap().cbytes as usize];
    let mut edit = Edit::new(disk.open()).unwrap();
    let place = edit.append(NewChunk::Stored(ChunkInfo::parse(chunk).unwrap())).unwrap();
    assert_eq!(place, Some(ChunkTarget::At(3100)));
    disk.put(place, chunk);
    let plan = edit.finish().unwrap();
    disk.execute(&plan);
    let frame_len = expected.header.frame_len;
    assert_eq!(plan.frame.index, expected.index);
    let mut header = plan.frame.header;
    header.frame_len = frame_len;
    assert_eq!(header, expected.header);
    assert_eq!(disk.plain(), recorded.plain());
}

#[test]
fn many_chunks_by_one_commit() {
    for frame_type in [FrameType::Contiguous, FrameType::Sparse] {
        let mut rng = SplitMix64::new(6);
        let mut edit = Edit::create(Header::new(frame_type, 4), Trailer::default());
        edit.add_metalayer("unit", b"kelvin").unwrap();
        assert!(matches!(
            edit.add_metalayer("unit", b"kelvin"),
            Err(FormatError::Frame(FrameError::LayerExists { .. }))
        ));
        let (mut disk, mut model) = (Disk::default(), Vec::new());
        for _ in 0..300 {
            let (chunk, bytes, plain) = new_chunk(&mut rng, 400);
            disk.put(edit.append(chunk).unwrap(), &bytes);
            model.push(plain);
        }
        assert_eq!(edit.add_metalayer("more", b""), Err(FormatError::Frame(FrameError::MetalayersFixed)));
        let plan = edit.finish().unwrap();
        plan.steps.iter().for_each(|step| disk.step(step));
        assert_eq!(disk.open(), plan.frame);
        assert_eq!(disk.plain(), model);
        // No byte is unused.
        let frame = disk.open();
        if frame_type == FrameType::Contiguous {
            let stored: u32 = (0..300).filter_map(|n| disk.info(&frame, n)).map(|info| info.cbytes).sum();
            assert_eq!(frame.header.cbytes, u64::from(stored));
            assert_eq!(frame.header.frame_len, disk.file.len() as u64);
        }
        assert_eq!(frame.header.metalayers.get("unit"), Some(b"kelvin".as_slice()));

        let mut edit = Edit::new(frame).unwrap();
        edit.update_metalayer("unit", b"Kelvi").unwrap();
        assert!(edit.update_metalayer("unit", b"Celsius").is_err());
        let plan = edit.finish().unwrap();
        if frame_type == FrameType::Contiguous {
            // Only the bytes that differ.
            assert!(matches!(&plan.steps[..], [Step::Commit { bytes, .. }, Step::Sync] if bytes == b"K"));
        }
        disk.execute(&plan);
        assert_eq!(disk.open().header.metalayers.get("unit"), Some(b"Kelvin".as_slice()));
        assert_eq!(
            Edit::new(disk.open()).unwrap().finish().unwrap().steps.len(),
            usize::from(frame_type == FrameType::Sparse) * 2
        );
    }
}

#[test]
fn special_values_get_bytes_where_sizes_vary() {
    let mut disk = Disk::golden("frames/fill_zero_contiguous_37.b2frame");
    let mut model = disk.plain();
    let mut edit = Edit::new(disk.open()).unwrap();
    // The last chunk is short: sizes are variable from here on.
    edit.append(NewChunk::Special(Special::Zeros, 8000)).unwrap();
    model.push(vec![0; 8000]);
    let plan = edit.finish().unwrap();
    disk.execute(&plan);
    assert_eq!(disk.plain(), model);
    let frame = disk.open();
    assert_eq!((frame.header.version, frame.header.chunksize), (3, ChunkSize::Variable));
    // A chunk of zeros that is a header alone is never stored unchanged.
    let zeros = blosc_core::compress(&vec![0; 400], &CParams::blosc2().typesize(4)).unwrap();
    let info = ChunkInfo::parse(&zeros).unwrap();
    assert_eq!((zeros.len(), info.special), (32, Some(Special::Zeros)));
    let mut edit = Edit::create(Header::new(FrameType::Contiguous, 4), Trailer::default());
    assert_eq!(edit.append(NewChunk::Stored(info)), Ok(None));
    assert_eq!(edit.frame().index.get(0), Ok(Entry::Special(Special::Zeros)));
    let stored = (0..frame.nchunks()).all(|n| matches!(frame.chunk(n), Ok(ChunkRef::Stored { nbytes: None, .. })));
    assert!(stored);
    // C-Blosc2 would have written this.
    let lost = Frame::parse(&testdata::archive("frames")["malformed/variable_special.b2frame"], LIMITS).unwrap();
    let errors = (0..lost.nchunks()).filter_map(|n| lost.chunk(n).err());
    assert!(errors.into_iter().all(|error| matches!(error, FormatError::Frame(FrameError::NoSize { .. }))));
}

#[test]
fn what_cannot_be_is_refused() {
    let frame = Disk::golden("frames/last_partial_sparse.sframe").open();
    let nchunks = frame.nchunks();
    let mut edit = Edit::new(frame).unwrap();
    let no_such = |chunk| Err(FormatError::Frame(FrameError::NoSuchChunk { chunk, nchunks }));
    assert_eq!(edit.delete(nchunks, None), no_such(nchunks));
    assert_eq!(edit.insert(nchunks + 1, NewChunk::Special(Special::Zeros, 4)).map(drop), no_such(nchunks + 1));
    assert_eq!(edit.update(u64::MAX, None, NewChunk::Special(Special::Zeros, 4)).map(drop), no_such(u64::MAX));
    assert!(edit.append(NewChunk::Special(Special::Zeros, 0)).is_err());
    let error = edit.append(NewChunk::Special(Special::Value, 4)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("no entry for a repeated value"), "{error}");
    for order in [&[0, 0, 1][..], &[0, 1], &[0, 1, 7]] {
        assert_eq!(edit.reorder(order), Err(FormatError::Frame(FrameError::NotAPermutation)));
    }
    assert!(edit.remove_vlmetalayer("none").is_err());
    // The size of a removed chunk file must be known.
    assert_eq!(edit.delete(0, None), Err(FormatError::Frame(FrameError::NoSize { chunk: 0 })));
}

/// A frame without uncompressed bytes has no chunks: the others would be lost. A frame with bytes and no chunks cannot be
/// opened.
#[test]
fn the_last_bytes_of_a_wrong_total_stay() {
    let mut disk = Disk::golden("frames/fill_zero_contiguous_37.b2frame");
    let mut edit = Edit::new(disk.open()).unwrap();
    edit.append(NewChunk::Special(Special::Zeros, 8000)).unwrap();
    disk.execute(&edit.finish().unwrap());
    let whole = disk.open();
    let old = disk.info(&whole, 0).unwrap();
    for (nbytes, is_deleted) in [(old.nbytes - 1, false), (old.nbytes, false), (old.nbytes + 1, true)] {
        let mut frame = whole.clone();
        frame.header.nbytes = nbytes.into();
        let mut edit = Edit::new(frame).unwrap();
        let deleted = edit.delete(0, Some(old));
        assert_eq!(deleted.is_ok(), is_deleted, "{nbytes}");
        assert!(is_deleted || deleted.unwrap_err().to_string().contains("nbytes"), "{nbytes}");
    }
    for more in [1, 12 << 40, 0] {
        let mut frame = whole.clone();
        frame.header.nbytes += more;
        let mut edit = Edit::new(frame).unwrap();
        while edit.frame().nchunks() > 1 {
            edit.delete(0, disk.info(edit.frame(), 0)).unwrap();
        }
        let deleted = edit.delete(0, disk.info(edit.frame(), 0));
        assert_eq!(deleted.is_ok(), more == 0, "{more}");
        assert_eq!((edit.frame().nchunks(), edit.frame().header.nbytes == 0), (u64::from(more > 0), more == 0));
    }
}

/// A metalayer lengthens the header and overwrites the bytes after it: no other change is possible in the same edit.
#[test]
fn metalayers_come_before_chunks() {
    for path in ["frames/empty_meta_contiguous.b2frame", "frames/empty_sparse.sframe"] {
        let mut disk = Disk::golden(path);
        let mut edit = Edit::new(disk.open()).unwrap();
        edit.add_metalayer("new", b"content").unwrap();
        let fixed = FormatError::Frame(FrameError::MetalayersFixed);
        assert_eq!(edit.append(NewChunk::Special(Special::Zeros, 4)), Err(fixed.clone()));
        assert_eq!(edit.remap(4, [NewOrder::Special(Special::Zeros)], 0), Err(fixed.clone()));
        let plan = edit.finish().unwrap();
        disk.execute(&plan);
        let mut edit = Edit::new(disk.open()).unwrap();
        edit.remap(4000, vec![NewOrder::Special(Special::Zeros); 5], 0).unwrap();
        edit.update_metalayer("new", b"CONTENT").unwrap();
        assert_eq!(edit.add_metalayer("more", b""), Err(fixed));
        let plan = edit.finish().unwrap();
        disk.execute(&plan);
        assert_eq!(disk.plain(), vec![vec![0; 4000]; 5]);
        assert_eq!(disk.open().header.metalayers.get("new"), Some(b"CONTENT".as_slice()));
        let mut edit = Edit::new(disk.open()).unwrap();
        edit.remap(4000, [NewOrder::Keep(1), NewOrder::Keep(4)], 0).unwrap();
        assert!(edit.clone().remap(2000, [], 0).is_err() && edit.clone().remap(4000, [NewOrder::Keep(2)], 0).is_err());
        let plan = edit.finish().unwrap();
        disk.execute(&plan);
        assert_eq!(disk.plain().len(), 2);
    }
}

/// A scan of a frame that C-Blosc2 tore finds its chunks.
#[test]
fn the_size_of_chunks_is_set_before_the_first() {
    for path in ["frames/empty_meta_contiguous.b2frame", "frames/empty_sparse.sframe"] {
        let mut disk = Disk::golden(path);
        let mut edit = Edit::new(disk.open()).unwrap();
        assert!(edit.set_chunk_size(0).is_err() && edit.set_chunk_size(u32::MAX).is_err());
        edit.set_chunk_size(4000).unwrap();
        edit.append(NewChunk::Special(Special::Zeros, 400)).unwrap();
        assert!(edit.set_chunk_size(4000).is_err());
        let plan = edit.finish().unwrap();
        disk.execute(&plan);
        assert_eq!(disk.open().header.chunksize, ChunkSize::Fixed(4000));
        assert_eq!(disk.plain(), vec![vec![0; 400]]);
    }
}

#[test]
fn torn_frames_are_salvaged() {
    let files = testdata::archive("frames");
    // After each write of an append of a fourth chunk to three.
    for (name, found, others, opens) in [
        ("half_chunk", 3, 0, false),
        ("chunk", 4, 0, false),
        ("chunk_index", 4, 1, false),
        ("header", 4, 1, false),
        ("trailer", 4, 2, true),
    ] {
        let file = &files[&format!("malformed/torn_{name}.b2frame")];
        assert_eq!(Frame::parse(file, LIMITS).is_ok(), opens, "{name}");
        assert_eq!(walk(file), ([0, 1158, 2108, 2905][..found].to_vec(), others), "{name}");
    }
    // A frame of several commits: its old indexes and trailers are distinguished from its chunks.
    let mut disk = Disk::golden("frames/edit_vlmeta_contiguous.b2frame");
    let mut rng = SplitMix64::new(7);
    let start = walk(&disk.file).0.len();
    for _ in 0..5 {
        let mut edit = Edit::new(disk.open()).unwrap();
        let plain = some_bytes(&mut rng, 2000);
        let bytes = compress(&plain);
        disk.put(edit.append(NewChunk::Stored(ChunkInfo::parse(&bytes).unwrap())).unwrap(), &bytes);
        let plan = edit.finish().unwrap();
        disk.execute(&plan);
    }
    let (chunks, others) = walk(&disk.file);
    assert_eq!((chunks.len(), others), (start + 5, 12));
    let frame = disk.open();
    let places = (0..frame.nchunks()).map(|n| match frame.chunk(n).unwrap() {
        ChunkRef::Stored { at, .. } => at - frame.header.header_len(),
        other => panic!("{other:?}"),
    });
    assert_eq!(places.collect::<Vec<_>>(), chunks);
}

/// Returns the offsets of the chunks that a scan finds, and the number of indexes and trailers between them.
fn walk(file: &[u8]) -> (Vec<u64>, usize) {
    let header = Header::parse(file).unwrap();
    let data = &file[header.header_len() as usize..];
    let (mut at, mut chunks, mut others) = (0, Vec::new(), 0);
    loop {
        match identify(&data[at..], &header, &chunks, LIMITS) {
            Salvaged::Chunk(info) => {
                if at + info.cbytes as usize > data.len() {
                    return (chunks, others);
                }
                chunks.push(at as u64);
                at += info.cbytes as usize;
            }
            Salvaged::Index { len } => {
                others += 1;
                at += len as usize;
            }
            Salvaged::Trailer { len } => {
                others += 1;
                at += len as usize;
            }
            Salvaged::Nothing => return (chunks, others),
        }
    }
}
