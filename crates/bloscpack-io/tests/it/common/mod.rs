//! Shared code of the tests: golden frames as sources, and a source that records the ranges that are read.

pub(crate) mod crash;
pub(crate) mod faulty;
pub(crate) mod recorder;
pub(crate) mod recording;
pub(crate) mod roots;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::{fs, io};

use blosc_core::{CParams, Codec};
use bloscpack_format::frame::{
    B2nd, ChunkInfo, ChunkTarget, DtypeText, Edit, FrameType, Grid, Header, NewChunk, Step, Trailer, sframe,
};
use bloscpack_io::{ChunkFiles, Input, ReadAt};
use testdata::serde_json::Value;

/// The files of a frame, in memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stored {
    pub(crate) file: Vec<u8>,
    pub(crate) files: BTreeMap<u32, Vec<u8>>,
    pub(crate) sparse: bool,
}

impl Stored {
    pub(crate) fn golden(path: &str) -> Self {
        Self::of(&testdata::archive("frames"), path).unwrap()
    }

    pub(crate) fn of(archive: &BTreeMap<String, Vec<u8>>, path: &str) -> Option<Self> {
        if let Some(file) = archive.get(path) {
            return Some(Self { file: file.clone(), ..Self::default() });
        }
        let prefix = format!("{path}/");
        let names = archive.range(prefix.clone()..).take_while(|(name, _)| name.starts_with(&prefix));
        let names: BTreeMap<_, _> = names.map(|(name, bytes)| (&name[prefix.len()..], bytes)).collect();
        let file = (*names.get(sframe::INDEX_FILE)?).clone();
        let files = names.iter().filter_map(|(name, bytes)| Some((sframe::chunk_file_number(name)?, (*bytes).clone())));
        Some(Self { file, files: files.collect(), sparse: true })
    }

    /// Writes it to the disk, and creates the directories above it.
    pub(crate) fn write_to(&self, path: &Path) {
        fs::create_dir_all(if self.sparse { path } else { path.parent().unwrap() }).unwrap();
        if !self.sparse {
            return fs::write(path, &self.file).unwrap();
        }
        fs::write(path.join(sframe::INDEX_FILE), &self.file).unwrap();
        for (number, bytes) in &self.files {
            fs::write(path.join(sframe::chunk_file_name(*number)), bytes).unwrap();
        }
    }
}

impl<'a> From<&'a Stored> for Input<'a> {
    fn from(stored: &'a Stored) -> Self {
        if stored.sparse { Input::sparse_frame(&stored.file, stored) } else { (&stored.file).into() }
    }
}

impl From<Stored> for Input<'_> {
    fn from(stored: Stored) -> Self {
        if stored.sparse { Input::sparse_frame(stored.file.clone(), stored) } else { stored.file.into() }
    }
}

impl ChunkFiles for Stored {
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>> {
        Ok(Box::new(self.files.get(&number).ok_or(io::ErrorKind::NotFound)?))
    }
}

/// Calls `check` with every golden frame and its entry in the manifest.
pub(crate) fn each_frame(mut check: impl FnMut(&str, &Value, &Stored)) {
    let (archive, manifest) = (testdata::archive("frames"), testdata::manifest("frames"));
    let listed = manifest["frames"].as_array().unwrap();
    assert_eq!(listed.len(), 289);
    for item in listed {
        let path = item["path"].as_str().unwrap();
        check(path, item, &Stored::of(&archive, path).unwrap());
    }
}

/// A malformed frame, built by its recipe; `None` if the manifest has none.
pub(crate) fn malformed(archive: &BTreeMap<String, Vec<u8>>, item: &Value) -> Option<Stored> {
    let Some(base) = item["base"].as_str() else { return Stored::of(archive, item["path"].as_str()?) };
    let mut stored = Stored::of(archive, base)?;
    let unhex = |text: &Value| -> Vec<u8> {
        let digits = text.as_str().unwrap().as_bytes();
        digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
    };
    for op in item["ops"].as_array().unwrap() {
        match op[0].as_str().unwrap() {
            "trunc" => stored.file.truncate(op[1].as_u64().unwrap() as usize),
            "append" => stored.file.extend(unhex(&op[1])),
            "set" => {
                let (at, bytes) = (op[1].as_u64().unwrap() as usize, unhex(&op[2]));
                stored.file[at..at + bytes.len()].copy_from_slice(&bytes);
            }
            other => panic!("unknown op {other}"),
        }
    }
    Some(stored)
}

/// A source that records the ranges that are read.
pub(crate) struct Recorded<'a> {
    bytes: &'a [u8],
    reads: Mutex<Vec<Range<u64>>>,
}

impl<'a> Recorded<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, reads: Mutex::default() }
    }

    /// The ranges that were read since the last call.
    pub(crate) fn take(&self) -> Vec<Range<u64>> {
        std::mem::take(&mut self.reads.lock().unwrap())
    }
}

impl ReadAt for Recorded<'_> {
    fn len(&self) -> io::Result<u64> {
        ReadAt::len(self.bytes)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.reads.lock().unwrap().push(offset..offset + buf.len() as u64);
        self.bytes.read_exact_at(offset, buf)
    }
}

/// A contiguous frame of these chunks, built by the byte layer alone.
pub(crate) fn frame_of(header: Header, metalayers: &[(&str, Vec<u8>)], chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut edit = Edit::create(header, Trailer::default());
    for (name, content) in metalayers {
        edit.add_metalayer(name, content).unwrap();
    }
    let mut file = Vec::new();
    let mut write = |at: u64, bytes: &[u8]| {
        let end = at as usize + bytes.len();
        file.resize(file.len().max(end), 0);
        file[at as usize..end].copy_from_slice(bytes);
    };
    for chunk in chunks {
        let place = edit.append(NewChunk::Stored(ChunkInfo::parse(chunk).unwrap())).unwrap();
        let Some(ChunkTarget::At(at)) = place else { panic!("{place:?}") };
        write(at, chunk);
    }
    for step in edit.finish().unwrap().steps {
        if let Step::Write { at, bytes } | Step::Commit { at, bytes } = step {
            write(at, &bytes);
        }
    }
    file
}

/// A frame of three chunks of 1 MB in blocks of 32 KiB, and its plain bytes.
pub(crate) fn large_chunks() -> (Vec<u8>, Vec<u8>) {
    let plain = testdata::noise(3_000_000, 4);
    let params = CParams::blosc2().codec(Codec::Lz4).typesize(4).blocksize(blosc_core::BlockSize::Fixed(32 << 10));
    // Every fourth byte is compressible, so that chunks are not stored uncompressed.
    let plain: Vec<u8> = plain.chunks(4).flat_map(|item| [item[0], item[1], item[2], 1]).collect();
    let chunks = plain.chunks(1_000_000).map(|plain| blosc_core::compress(plain, &params).unwrap());
    let chunks: Vec<_> = chunks.collect();
    (frame_of(Header::new(FrameType::Contiguous, 4), &[], &chunks), plain)
}

/// A frame with an array of `f8`, its plain bytes and its shape: chunks of 200 x 200, blocks of 20 x 20.
pub(crate) fn large_array() -> (Vec<u8>, Vec<u8>, [u64; 2]) {
    let shape = [450, 430];
    let noise = testdata::noise((shape[0] * shape[1] * 8) as usize, 5);
    let plain: Vec<u8> =
        noise.chunks(8).flat_map(|item| [item[0], item[1], item[2], item[3], item[4], 0, 0, 0]).collect();
    let array = B2nd::new(shape, [200, 200], [20, 20]).with_dtype(DtypeText::numpy("<f8"));
    let grid = Grid::new(&array, 8).unwrap();
    let all = grid.all();
    let params = CParams::blosc2().codec(Codec::Lz4).typesize(8);
    let params = params.blocksize(blosc_core::BlockSize::Fixed(grid.block_nbytes()));
    let chunks = grid.parts(&all).unwrap().map(|part| {
        let mut chunk = vec![0; grid.chunk_nbytes()];
        grid.write(&part, &mut chunk, &all, &plain).unwrap();
        blosc_core::compress(&chunk, &params).unwrap()
    });
    let chunks: Vec<_> = chunks.collect();
    let file = frame_of(Header::new(FrameType::Contiguous, 8), &[(B2nd::NAME, array.to_bytes().unwrap())], &chunks);
    (file, plain, shape)
}
