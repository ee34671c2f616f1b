//! With an allocator that refuses memory, arrays, statistics, attributes and conversions give the whole result or an
//! error that names the memory.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use blosc_core::Codec;
use blosc_core::memory::MIN_CHECKED;
use bloscpack_format::Json;
use bloscpack_format::bloscpack::MetadataArgs;
use bloscpack_format::checksum::{Checksum, Hasher};
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order, Slice, npy};
use bloscpack_io::{
    Array, AttributeEdit, ConvertOptions, Error, ItemFormat, ItemWriter, Limits, LocalSource, OpenOptions, PackOptions,
    PackWriter, Target, Threads, Typing, UnpackOptions, convert, edit_attribute, pack_bytes, read_attributes,
};
use testdata::FailingAlloc;

#[global_allocator]
static ALLOC: FailingAlloc = FailingAlloc::new();

/// Number of calls that failed for lack of memory.
static REFUSED: AtomicUsize = AtomicUsize::new(0);

/// Runs `call` repeatedly. The allocator refuses requests of more than `largest` bytes from the first one on, then from
/// the second, and so on. `reset` runs before each call.
#[track_caller]
fn sweep<T: PartialEq>(largest: usize, name: &str, reset: impl Fn(), call: impl Fn() -> Result<T, Error>) {
    // An abort ends the process, so the last line names the case. The test harness would lose the output of
    // `eprintln!`.
    let _ = writeln!(std::io::stderr(), "{name}");
    reset();
    let expected = call().unwrap();
    let (mut from, mut refused) = (0, 0_usize);
    loop {
        reset();
        ALLOC.refuse(largest + 1, from);
        let result = call();
        let asked = ALLOC.refuse_none();
        match result {
            Ok(found) => assert!(found == expected, "{name}, request {from}"),
            Err(error) => {
                refused += 1;
                assert!(error.out_of_memory().is_some(), "{name}, request {from}: {error}");
            }
        }
        if asked <= from {
            break;
        }
        // Most of many requests are alike.
        from += 1 + from / 5;
    }
    REFUSED.fetch_add(refused, Relaxed);
}

/// Files of one array in every container, with large attributes.
struct Files {
    dir: tempfile::TempDir,
}

const SHAPE: [u64; 3] = [40, 50, 60];

impl Files {
    fn new() -> Files {
        let dir = tempfile::tempdir().unwrap();
        let items: Vec<u8> = (0..120_000_u32).flat_map(|n| (n / 7).to_le_bytes()).collect();
        let dtype = Dtype::from_type_string("<u4").unwrap();
        let meta = NumpyMeta { dtype, shape: SHAPE.to_vec(), order: Order::C };
        let npy = [npy::to_bytes(&meta).unwrap(), items.clone()].concat();
        fs::write(dir.path().join("a.npy"), npy).unwrap();
        fs::write(dir.path().join("raw"), &items).unwrap();
        let fortran = NumpyMeta { order: Order::F, ..meta };
        fs::write(dir.path().join("f.npy"), [npy::to_bytes(&fortran).unwrap(), items].concat()).unwrap();
        let files = Files { dir };
        for (name, target) in TARGETS {
            files.convert("a.npy", name, target).unwrap();
            for (key, value) in large() {
                edit_attribute(&files.path(name), key, AttributeEdit::Set(value), &OpenOptions::new()).unwrap();
            }
        }
        files.convert("f.npy", "f.blp", Target::Bloscpack).unwrap();
        files
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }

    fn convert(&self, input: &str, output: &str, target: Target) -> Result<(), Error> {
        let codec = Some(Codec::Lz4);
        let options = ConvertOptions::new().codec(codec).overwrite(true).threads(Threads::Serial);
        convert(LocalSource::open(&self.path(input))?, &self.path(output), target, &options).map(drop)
    }

    fn array(&self, name: &str) -> Result<Array<'_>, Error> {
        // A frame of plain bytes does not state the type of its items.
        let shape = Some(SHAPE.map(Some).to_vec());
        let typing = Typing::new().dtype(Dtype::from_type_string("<u4").ok()).shape(shape);
        Array::open_with(LocalSource::open(&self.path(name))?, &OpenOptions::new().typing(typing.clone()))
    }

    /// Copies a file or directory, replacing an older one.
    fn copy(&self, from: &str, to: &str) {
        remove(&self.path(to));
        copy(&self.path(from), &self.path(to));
    }
}

fn remove(path: &Path) {
    if path.is_dir() {
        fs::remove_dir_all(path).unwrap();
    } else if path.exists() {
        fs::remove_file(path).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::copy(from, to).map(drop).unwrap();
        return;
    }
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

const TARGETS: [(&str, Target); 4] =
    [("a.blp", Target::Bloscpack), ("a.b2frame", Target::Frame), ("a.b2nd", Target::Array), ("a.bcolz", Target::Bcolz)];

/// Attributes of more than [`WITH_CODECS`]: many members, many items, a long text.
fn large() -> [(&'static str, Json); 3] {
    let members = (0..20_000).map(|number| format!("\"key {number}\":{number}"));
    let object = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
    let texts = [object, format!("[{}0]", "1.5,".repeat(60_000)), format!("\"{}\"", "\u{e9}\\n".repeat(350_000))];
    let [object, list, text] = texts.map(|text| Json::parse(text).unwrap());
    [("object", object), ("list", list), ("text", text)]
}

fn options() -> UnpackOptions {
    UnpackOptions::new().threads(Threads::Serial)
}

/// The crates for zstd and zlib allocate memory themselves and cannot report a failure. Their memory is checked before,
/// in one request larger than each of theirs.
const WITH_CODECS: usize = 900 << 10;

/// The largest request that is granted when attributes of a container are read or written.
fn largest(name: &str) -> usize {
    if name.ends_with(".bcolz") { MIN_CHECKED } else { WITH_CODECS }
}

/// A single test, because all threads share the allocator.
#[test]
fn refused_memory_is_an_error() {
    let files = Files::new();
    slices(&files);
    texts(&files);
    stats(&files);
    attributes(&files);
    conversions(&files);
    packing();
    let refused = REFUSED.load(Relaxed);
    assert!(refused > 300, "{refused}");
}

fn slices(files: &Files) {
    for name in ["a.npy", "f.npy", "a.blp", "f.blp", "a.b2frame", "a.b2nd", "a.bcolz"] {
        for slice in ["...", "::-1", "1:30:2,::3,::-2", "5"] {
            sweep(
                MIN_CHECKED,
                &format!("{slice} of {name}"),
                || (),
                || {
                    let array = files.array(name)?;
                    let selection = slice.parse::<Slice>().unwrap().select(&SHAPE).unwrap();
                    // Allocations of the test itself must not fail.
                    let mut digest = Checksum::Sha256.hasher();
                    let mut sink = Sink(&mut digest);
                    array.copy_selection(&selection, &mut sink, &options())?;
                    Ok(digest.finish())
                },
            );
        }
    }
}

/// An output that computes a digest of the written bytes.
struct Sink<'a>(&'a mut Hasher);

impl std::io::Write for Sink<'_> {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.0.update(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Arrays of long texts and of many fields, as raw files with a dtype.
fn typed(files: &Files) -> [(&'static str, Typing, Vec<u64>); 4] {
    let fields = (0..1200).map(|number| format!("('field {number}', '<u2')"));
    let many = format!("[{}]", fields.collect::<Vec<_>>().join(", "));
    let bytes = [b"text ".repeat(18_000), b"\xff\"".repeat(45_000)].concat();
    fs::write(files.path("bytes"), bytes).unwrap();
    fs::write(files.path("characters"), b"x\0\0\0\xe9\0\0\0".repeat(72_000)).unwrap();
    fs::write(files.path("fields"), vec![7; 2400 * 40]).unwrap();
    [
        ("bytes", "'|S90000'".to_owned(), 2),
        ("bytes", "'|V90000'".to_owned(), 2),
        ("characters", "'<U72000'".to_owned(), 2),
        ("fields", many, 40),
    ]
    .map(|(name, dtype, len)| {
        let dtype = Some(Dtype::parse(&dtype).unwrap());
        (name, Typing::new().dtype(dtype).raw(true), vec![len])
    })
}

#[cfg(feature = "csv")]
const TEXT_FORMATS: [ItemFormat; 3] = [ItemFormat::Text, ItemFormat::Npy, ItemFormat::Csv];
#[cfg(not(feature = "csv"))]
const TEXT_FORMATS: [ItemFormat; 2] = [ItemFormat::Text, ItemFormat::Npy];

fn texts(files: &Files) {
    for (name, typing, _) in typed(files) {
        for format in &TEXT_FORMATS {
            let descr: String = typing.dtype.as_ref().unwrap().to_string().chars().take(20).collect();
            sweep(
                MIN_CHECKED,
                &format!("{format:?} of {name} as {descr}"),
                || (),
                || {
                    let array = Array::open_with(
                        LocalSource::open(&files.path(name))?,
                        &OpenOptions::new().typing(typing.clone()),
                    )?;
                    let mut digest = Checksum::Sha256.hasher();
                    let mut writer = ItemWriter::new(Sink(&mut digest), *format, array.meta(), None)?;
                    array.copy_items(0..array.len(), &mut writer, &options())?;
                    writer.finish()?;
                    Ok(digest.finish())
                },
            );
        }
        #[cfg(feature = "csv")]
        sweep(
            MIN_CHECKED,
            &format!("CSV file of {name}"),
            || remove(&files.path("out.csv")),
            || {
                let typing = Typing::new().dtype(typing.dtype.clone()).raw(true);
                let options = ConvertOptions::new().typing(typing).threads(Threads::Serial);
                let input = LocalSource::open(&files.path(name))?;
                convert(input, &files.path("out.csv"), Target::Csv, &options).map(drop)
            },
        );
    }
}

fn stats(files: &Files) {
    let debug = |stats: Vec<bloscpack_io::ColumnStats>| stats.iter().map(|column| column.count).sum::<u64>();
    for name in ["a.npy", "a.blp", "a.b2nd", "a.bcolz"] {
        sweep(MIN_CHECKED, &format!("statistics of {name}"), || (), || files.array(name)?.stats(&options()).map(debug));
    }
    for (name, typing, _) in typed(files) {
        sweep(
            MIN_CHECKED,
            &format!("statistics of {name}"),
            || (),
            || {
                let source = LocalSource::open(&files.path(name))?;
                Array::open_with(source, &OpenOptions::new().typing(typing.clone()))?.stats(&options()).map(debug)
            },
        );
    }
}

fn attributes(files: &Files) {
    for (name, _) in TARGETS {
        let limits = Limits::new();
        sweep(
            largest(name),
            &format!("attributes of {name}"),
            || (),
            || {
                read_attributes(&files.path(name), None, &OpenOptions::new().limits(limits)).map(|found| {
                    assert!(found.unreadable.is_empty(), "{:?}", found.unreadable);
                    found.values.len()
                })
            },
        );
        let copy = format!("copy-{name}");
        for (key, value) in large() {
            sweep(
                largest(name),
                &format!("{key} set in {name}"),
                || files.copy(name, &copy),
                || {
                    // The allocation of the copy may be refused as well.
                    let wanted = Json::Array(vec![value.try_clone()?, Json::Null]);
                    edit_attribute(
                        &files.path(&copy),
                        key,
                        AttributeEdit::Set(wanted),
                        &OpenOptions::new().limits(limits),
                    )
                },
            );
            sweep(
                largest(name),
                &format!("{key} removed from {name}"),
                || files.copy(name, &copy),
                || edit_attribute(&files.path(&copy), key, AttributeEdit::Remove, &OpenOptions::new().limits(limits)),
            );
        }
    }
}

fn conversions(files: &Files) {
    for (input, _) in TARGETS {
        for (output, target) in [
            ("out.blp", Target::Bloscpack),
            ("out.b2frame", Target::Frame),
            ("out.b2nd", Target::Array),
            ("out.bcolz", Target::Bcolz),
            ("out.npy", Target::Npy),
        ] {
            let reset = || remove(&files.path(output));
            sweep(WITH_CODECS, &format!("{input} to {output}"), reset, || files.convert(input, output, target));
        }
    }
}

fn packing() {
    let [(_, object), ..] = large();
    let plain = testdata::noise(200_000, 8);
    let pack = PackOptions::new().chunk_size(1000).metadata(Some(object)).metadata_args(MetadataArgs::new());
    let pack = pack.threads(Threads::Serial);
    sweep(WITH_CODECS, "packing with metadata", || (), || pack_bytes(&plain, &pack).map(|packed| packed.len()));
    // Longer than a buffer is at first.
    let plain = testdata::noise(6 << 20, 8);
    let pack = PackOptions::new().chunk_size(16 << 20).threads(Threads::Serial);
    sweep(MIN_CHECKED, "packing a large chunk", || (), || pack_bytes(&plain, &pack).map(|packed| packed.len()));
    pushing();
}

/// The batch of a writer exceeds the refused size. Each piece of it is requested when it arrives.
fn pushing() {
    let plain = testdata::noise(6 << 20, 8);
    let options = PackOptions::new().chunk_size(1 << 20).threads(Threads::Serial);
    for known in [Some(plain.len() as u64), None] {
        for offsets in [true, false] {
            let options = options.clone().offsets(offsets);
            sweep(
                MIN_CHECKED,
                &format!("pushing, offsets: {offsets}, {known:?}"),
                || (),
                || {
                    let mut digest = Checksum::Sha256.hasher();
                    let mut writer = PackWriter::new(Sink(&mut digest), known, &options)?;
                    for piece in plain.chunks(300_000) {
                        writer.write_all(piece)?;
                    }
                    writer.finish()?;
                    Ok(digest.finish())
                },
            );
        }
    }
}
