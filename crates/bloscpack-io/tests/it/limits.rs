//! Untrusted files and directories: memory stays within the limits, and time within a bound. Time is measured in bytes
//! read and uncompressed bytes produced, and by a clock.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use bloscpack_io::bcolz::{MemoryDirectory, Root, verify};
use bloscpack_io::{
    Archive, ChunkFiles, Error, Input, Limits, OpenOptions, ReadAt, Source, Threads, UnpackOptions, unpack_bytes,
};
use testdata::{SplitMix64, Tally, mutate};

use crate::common::roots::{cases, files_of, name_of};
use crate::common::{Stored, malformed};

const LIMITS: Limits = Limits::new()
    .max_nbytes(1 << 20)
    .max_chunk(1 << 20)
    .max_unearned(1 << 20)
    .max_memory(MEMORY)
    .max_metadata(64 << 10)
    .max_chunks(1 << 14);

const MEMORY: usize = 12 << 20;

/// Memory for tables of codecs, and for parts of the files: metalayers, compressed chunks.
const TABLES: usize = 2 << 20;

/// Much longer than any measured time, even on a busy machine.
const TIME: Duration = Duration::from_secs(3);

fn tally(name: &'static str) -> Tally {
    Tally::new(name, MEMORY + TABLES, TIME)
}

fn serial() -> UnpackOptions {
    UnpackOptions::new().threads(Threads::Serial).limits(LIMITS)
}

/// A source that counts the bytes read from it.
struct Counting<'a> {
    stored: &'a Stored,
    read: Arc<AtomicU64>,
}

struct CountedFile<'a>(&'a Vec<u8>, Arc<AtomicU64>);

impl ReadAt for Counting<'_> {
    fn len(&self) -> io::Result<u64> {
        ReadAt::len(&self.stored.file)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.read.fetch_add(buf.len() as u64, Relaxed);
        self.stored.file.read_exact_at(offset, buf)
    }
}

impl ChunkFiles for Counting<'_> {
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>> {
        let file = self.stored.files.get(&number).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(CountedFile(file, self.read.clone())))
    }
}

impl ReadAt for CountedFile<'_> {
    fn len(&self) -> io::Result<u64> {
        ReadAt::len(self.0)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.1.fetch_add(buf.len() as u64, Relaxed);
        self.0.read_exact_at(offset, buf)
    }
}

/// Limit for uncompressed bytes that are streamed. Larger inputs are not unpacked.
const STREAMED: u64 = 4 << 20;

/// Reads everything in a frame and returns the uncompressed bytes.
fn read_frame(stored: &Stored) -> Result<Vec<u8>, Error> {
    let read = Arc::new(AtomicU64::new(0));
    let counting = Counting { stored, read: read.clone() };
    let input = if stored.sparse { Input::sparse_frame(&counting, &counting) } else { (&counting).into() };
    let archive = Archive::open_with(input, &OpenOptions::new().limits(LIMITS))?;
    let there = stored.file.len() as u64 + stored.files.values().map(|file| file.len() as u64).sum::<u64>();
    // Header, trailer and index, and once more if a header states a larger size.
    assert!(read.load(Relaxed) <= 4 * there + 1024, "{} of {there} to open it", read.load(Relaxed));
    let verified = archive.verify(&serial());
    // Each chunk once, and its header again. Any part of the file belongs to only a few chunks.
    assert!(read.load(Relaxed) <= 64 * there + 4096, "{} of {there} to verify it", read.load(Relaxed));
    for layer in archive.frame().unwrap().trailer.vlmetalayers.iter() {
        let _ = archive.vlmetalayer(&layer.name_lossy());
    }
    let nbytes = archive.nbytes();
    if nbytes <= STREAMED {
        let unpacked = archive.unpack(&mut io::sink(), &serial());
        assert_eq!(verified.is_ok(), unpacked.is_ok() && verified.is_ok());
    }
    let _ = archive.chunk(archive.nchunks() / 2);
    let part = archive.read_range(nbytes / 2..nbytes.min(nbytes / 2 + 100));
    let all = archive.read_range(0..nbytes);
    if let (Ok(part), Ok(all)) = (&part, &all) {
        assert!(all[(nbytes / 2) as usize..].starts_with(part));
    }
    verified?;
    all
}

fn read_bloscpack(file: &[u8]) -> Result<Vec<u8>, Error> {
    if let Ok(archive) = Archive::open_with(file, &OpenOptions::new().limits(LIMITS)) {
        let nbytes = archive.nbytes();
        let _ = archive.read_range(nbytes / 2..nbytes.min(nbytes / 2 + 100));
        let _ = archive.verify(&serial());
    }
    let verified = bloscpack_io::verify(Source::reader(file), &serial()).map(drop);
    let (plain, _) = unpack_bytes(file, &serial())?;
    verified?;
    Ok(plain)
}

fn read_directory(files: Vec<(String, Vec<u8>)>) -> Result<Vec<u8>, Error> {
    let dir = MemoryDirectory::of_files(files);
    let _ = verify(&dir, &serial());
    match Root::open_with(dir, &OpenOptions::new().limits(LIMITS))? {
        Root::Carray(carray) => {
            let _ = carray.attrs();
            let _ = carray.chunk(carray.rows().nchunks() / 2);
            let _ = carray.read_row(carray.len() / 2);
            carray.read_all(&serial())
        }
        Root::Ctable(table) => {
            let _ = table.attrs();
            Ok(table.read_rows(0..table.len())?.concat())
        }
    }
}

#[test]
fn every_malformed_file() {
    let mut frames = tally("malformed frames");
    let (archive, manifest) = (testdata::archive("frames"), testdata::manifest("frames"));
    for item in manifest["malformed"].as_array().unwrap() {
        let Some(stored) = malformed(&archive, item) else { continue };
        let _ = frames.measure(&|| item["name"].to_string(), Vec::len, || read_frame(&stored));
    }
    let mut bloscpack = tally("malformed bloscpack files");
    let (files, manifest) = (testdata::archive("bloscpack"), testdata::manifest("bloscpack"));
    for item in manifest["malformed"].as_array().unwrap() {
        let file = item["file"].as_str().unwrap();
        let _ = bloscpack.measure(&|| file.into(), Vec::len, || read_bloscpack(&files[file]));
    }
    let mut bcolz = tally("bcolz directories, good and malformed");
    for case in cases(None) {
        let files = files_of(name_of(&case));
        let _ = bcolz.measure(&|| name_of(&case).into(), Vec::len, || read_directory(files));
    }
    [&frames, &bloscpack, &bcolz].into_iter().for_each(Tally::print);
    assert_eq!((frames.inputs, bcolz.inputs), (2943, 272));
    assert!(bloscpack.inputs > 20 && bloscpack.refused > 20);
}

#[test]
fn mutations() {
    let wanted = Tally::wanted(10_000) / 2;
    let mut rng = SplitMix64::new(77);
    mutated_frames(wanted * 2 / 5, &mut rng);
    mutated_bloscpack(wanted * 2 / 5, &mut rng);
    mutated_directories(wanted / 5, &mut rng);
}

fn mutated_frames(wanted: usize, rng: &mut SplitMix64) {
    let archive = testdata::archive("frames");
    let manifest = testdata::manifest("frames");
    let paths = manifest["frames"].as_array().unwrap().iter().map(|item| item["path"].as_str().unwrap());
    let bases: Vec<(&str, Stored)> = paths.map(|path| (path, Stored::of(&archive, path).unwrap())).collect();
    let bases: Vec<_> = bases.iter().filter(|(_, stored)| stored.file.len() <= 32 << 10).collect();
    assert!(bases.len() > 100 && bases.iter().any(|(_, stored)| stored.sparse), "{}", bases.len());
    let mut tally = tally("mutated frames");
    for number in 0..wanted {
        let (path, stored) = bases[number % bases.len()];
        let mut damaged = stored.clone();
        let donor = &rng.pick(&bases).1.file;
        match damaged.files.values_mut().nth(rng.below(3)) {
            Some(file) if rng.below(3) == 0 => mutate(rng, file, donor),
            _ => mutate(rng, &mut damaged.file, donor),
        }
        let _ = tally.measure(&|| format!("{number} of {path}"), Vec::len, || read_frame(&damaged));
    }
    tally.print();
    assert!(tally.refused > tally.inputs / 4 && tally.refused < tally.inputs);
}

fn mutated_bloscpack(wanted: usize, rng: &mut SplitMix64) {
    let files: BTreeMap<String, Vec<u8>> = testdata::archive("bloscpack");
    let bases: Vec<_> = files
        .iter()
        .filter(|(name, file)| name.ends_with(".blp") && !name.contains("malformed") && Vec::len(file) <= 32 << 10)
        .collect();
    assert!(bases.len() > 50, "{}", bases.len());
    let mut tally = tally("mutated bloscpack files");
    for number in 0..wanted {
        let (name, file) = bases[number % bases.len()];
        let mut damaged = file.clone();
        let donor = rng.pick(&bases).1;
        mutate(rng, &mut damaged, donor);
        let _ = tally.measure(&|| format!("{number} of {name}"), Vec::len, || read_bloscpack(&damaged));
    }
    tally.print();
    assert!(tally.refused > tally.inputs / 4 && tally.refused < tally.inputs);
}

fn mutated_directories(wanted: usize, rng: &mut SplitMix64) {
    let all = cases(None);
    let bases: Vec<_> = all.iter().map(|case| (name_of(case), files_of(name_of(case)))).collect();
    let small = |files: &[(String, Vec<u8>)]| files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() <= 64 << 10;
    let bases: Vec<_> = bases.iter().filter(|(_, files)| !files.is_empty() && small(files)).collect();
    assert!(bases.len() > 100, "{}", bases.len());
    let mut tally = tally("mutated bcolz directories");
    for number in 0..wanted {
        let (name, files) = bases[number % bases.len()];
        let mut damaged = files.clone();
        let (at, donor) = (rng.below(files.len()), &rng.pick(&bases).1[0].1);
        let bytes = &mut damaged[at].1;
        // In text, numbers are digits.
        let digits: Vec<usize> = (0..bytes.len().min(400)).filter(|at| bytes[*at].is_ascii_digit()).collect();
        match digits.as_slice() {
            [_, ..] if rng.below(2) == 0 => {
                let (at, more) = (*rng.pick(&digits), rng.below(20));
                bytes.splice(at..=at, (0..=more).map(|_| b'0' + rng.below(10) as u8));
            }
            _ => mutate(rng, bytes, donor),
        }
        let _ = tally.measure(&|| format!("{number} of {name}"), Vec::len, || read_directory(damaged));
    }
    tally.print();
    assert!(tally.refused > tally.inputs / 4 && tally.refused < tally.inputs);
}
