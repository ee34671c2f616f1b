//! `PackWriter` and `PlainReader`: pushed bytes are packed as by `pack`, and reads after seeks equal slices.

use std::fs;
use std::io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use bloscpack_io::bloscpack_format::checksum::Checksum;
use bloscpack_io::bloscpack_format::frame::FrameType;
use bloscpack_io::bloscpack_format::numpy::{Dtype, NumpyMeta, Order};
use bloscpack_io::frame::{ArrayOptions, FrameParams, FrameWriter};
use bloscpack_io::{
    Archive, Array, Cancel, Error, Event, LocalSource, PackOptions, PackReport, PackWriter, ReadAt, Sink, Source,
    Threads, UnpackOptions, pack, pack_bytes,
};

fn plain(len: usize) -> Vec<u8> {
    (0..len as u64).map(|at| (at * at / 977) as u8).collect()
}

fn threads() -> [Threads; 3] {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    [Threads::Serial, Threads::Ambient, Threads::Pool(Arc::new(pool))]
}

fn push<W: Write>(mut writer: PackWriter<W>, plain: &[u8], piece: usize) -> PackReport {
    plain.chunks(piece).for_each(|piece| writer.write_all(piece).unwrap());
    writer.finish().unwrap()
}

/// Sizes around the chunk and the batch, pieces of all sizes, every kind of output give the same file and report.
#[test]
fn pushed_is_as_streamed() {
    for (len, threads) in [0, 1, 999, 1000, 1001, 6000, 23_456].iter().zip(threads().iter().cycle()) {
        let plain = plain(*len);
        for offsets in [false, true] {
            let options = PackOptions::new().chunk_size(1000).offsets(offsets).threads(threads.clone());
            let options = options.plain_checksum(Checksum::Crc32);
            let mut expected = Vec::new();
            pack(Source::reader(plain.as_slice()), Sink::writer(&mut expected), &options).unwrap();
            for piece in [1, 7, 1000, 4096, 100_000] {
                let size = plain.len() as u64;
                let (mut spooled, mut sized, mut seekable) = (Vec::new(), Vec::new(), Cursor::new(Vec::new()));
                let reports = [
                    push(PackWriter::new(&mut spooled, None, &options).unwrap(), &plain, piece),
                    push(PackWriter::new(&mut sized, Some(size), &options).unwrap(), &plain, piece),
                    push(PackWriter::seekable(&mut seekable, size, &options).unwrap(), &plain, piece),
                ];
                for (report, found) in reports.iter().zip([&spooled, &sized, seekable.get_ref()]) {
                    assert!(*found == expected, "{len} bytes in pieces of {piece}, offsets: {offsets}");
                    assert_eq!((report.nbytes, report.cbytes), (size, expected.len() as u64));
                    assert_eq!(report.plain_digest, Checksum::Crc32.digest(&plain));
                }
            }
        }
    }
}

/// Chunks are numbered across all batches, and only the last one is marked as last.
#[test]
fn events_are_those_of_one_run() {
    for len in [0, 3000, 10_000, 10_001] {
        let events = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&events);
        let options = PackOptions::new().chunk_size(1000).threads(Threads::Serial).observe(move |event| {
            if let Event::Chunk { chunk, last, nbytes, .. } = event {
                told.lock().unwrap().push((chunk, last, nbytes));
            }
        });
        let mut writer = PackWriter::new(io::sink(), None, &options).unwrap();
        writer.write_all(&plain(len)).unwrap();
        writer.finish().unwrap();
        let pushed = std::mem::take(&mut *events.lock().unwrap());
        pack_bytes(&plain(len), &options).unwrap();
        assert_eq!(pushed, *events.lock().unwrap());
        assert_eq!(pushed.iter().filter(|(_, last, _)| *last).count(), 1);
    }
}

#[test]
fn wrong_sizes_and_parameters_are_refused() {
    let options = PackOptions::new().chunk_size(10).offsets(false).threads(Threads::Serial);
    let mut writer = PackWriter::new(Vec::new(), Some(25), &options).unwrap();
    writer.write_all(&[1; 20]).unwrap();
    assert_eq!(writer.write(&[1; 6]).unwrap_err().kind(), ErrorKind::InvalidInput);
    writer.write_all(&[1; 4]).unwrap();
    assert!(matches!(writer.finish(), Err(Error::InputChanged { expected: 25, found: 24 })));
    assert!(matches!(PackWriter::new(Vec::new(), None, &options.clone().clevel(10)), Err(Error::Encode(_))));
    assert!(PackWriter::new(Vec::new(), None, &options.clone().typesize(0)).is_err());
    assert!(PackWriter::seekable(Cursor::new(Vec::new()), 5, &options.chunk_size(0)).is_err());
}

/// A full disk gives its own kind of error, and every later call fails. Without `finish`, the output is not completed.
#[test]
fn a_failed_writer_stays_failed() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(buf.len()).ok_or(ErrorKind::StorageFull)?;
            Ok(buf.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let options = PackOptions::new().chunk_size(1000).offsets(false).threads(Threads::Serial).clevel(0);
    let mut writer = PackWriter::new(Full(2500), Some(10_000), &options).unwrap();
    assert_eq!(writer.write_all(&[1; 10_000]).unwrap_err().kind(), ErrorKind::StorageFull);
    assert!(writer.write_all(&[1]).is_err());
    assert!(writer.flush().is_err());
    assert!(matches!(writer.finish(), Err(Error::Io { .. })));
    let mut output = Vec::new();
    PackWriter::new(&mut output, None, &PackOptions::new()).unwrap().write_all(b"never finished").unwrap();
    assert!(output.is_empty());
    let cancel = Cancel::new();
    let mut writer = PackWriter::new(&mut output, None, &options.cancel(cancel.clone())).unwrap();
    cancel.cancel();
    let error = writer.write_all(&[1; 10_000]).unwrap_err();
    assert!(matches!(Error::from(error), Error::Cancelled));
}

/// Seeks of all kinds with small and large reads return the uncompressed bytes at that position.
fn seeks_read_what_is_there(archive: &Archive<'_>, plain: &[u8]) {
    let mut reader = archive.reader(&UnpackOptions::new());
    let (mut at, mut random, len) = (0, 1u64, plain.len() as u64);
    for step in 0..600 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let target = (random >> 33) % (len + 3);
        let seek = match step % 4 {
            0 => SeekFrom::Start(target),
            1 => SeekFrom::Current(target.cast_signed() - at),
            2 => SeekFrom::End(target.cast_signed() - len.cast_signed()),
            _ => SeekFrom::Current(0),
        };
        let target = if step % 4 == 3 { at.cast_unsigned() } else { target };
        assert_eq!(reader.seek(seek).unwrap(), target);
        assert_eq!(reader.stream_position().unwrap(), target);
        let start = target.min(len) as usize;
        let wanted = [1, 3, 50, 5000][(random >> 20) as usize % 4].min(plain.len() - start);
        let mut found = vec![0; wanted];
        reader.read_exact(&mut found).unwrap();
        assert!(found == plain[start..start + wanted], "step {step}: {wanted} bytes at {start}");
        at = (target + wanted as u64).cast_signed();
        assert_eq!(reader.stream_position().unwrap(), at.cast_unsigned());
    }
    reader.seek(SeekFrom::Start(len + 5)).unwrap();
    assert_eq!(reader.read(&mut [0; 9]).unwrap(), 0);
    reader.rewind().unwrap();
    assert_eq!(reader.seek(SeekFrom::Current(-1)).unwrap_err().kind(), ErrorKind::InvalidInput);
    let mut all = Vec::new();
    reader.read_to_end(&mut all).unwrap();
    assert!(all == plain);
}

#[test]
fn seeks_of_bloscpack_files_and_frames() {
    let plain = plain(54_321);
    for offsets in [false, true] {
        let packed = pack_bytes(&plain, &PackOptions::new().chunk_size(1000).offsets(offsets)).unwrap();
        seeks_read_what_is_there(&Archive::open(packed).unwrap(), &plain);
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("array.b2nd");
    // Items of 12 bytes: seeks lead into them.
    let meta = NumpyMeta { dtype: Dtype::from_type_string("|S12").unwrap(), shape: vec![9, 11, 13], order: Order::C };
    let items = plain[..9 * 11 * 13 * 12].to_vec();
    let cut = ArrayOptions::new().chunkshape(Some(vec![4, 5, 6])).array(&meta).unwrap();
    let mut writer = FrameWriter::create_array(&path, FrameType::Contiguous, false, cut, FrameParams::new(12)).unwrap();
    let source = Array::plain(items.clone(), 0, meta).unwrap();
    writer.write_items(&source, &Threads::Serial, &Cancel::new()).unwrap();
    writer.finish().unwrap();
    seeks_read_what_is_there(&Archive::open(LocalSource::open(&path).unwrap()).unwrap(), &items);
}

/// A source that counts the bytes read from it.
struct Counting(Vec<u8>, AtomicU64);

impl ReadAt for Counting {
    fn len(&self) -> io::Result<u64> {
        ReadAt::len(&self.0)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.1.fetch_add(buf.len() as u64, SeqCst);
        self.0.read_exact_at(offset, buf)
    }
}

/// With 100 stored chunks of 10 kB, a read after a seek fetches one chunk, or two at their border. The next sequential
/// read fetches up to two more.
#[test]
fn a_seek_decodes_only_the_chunks_that_are_read() {
    let options = PackOptions::new().chunk_size(10_000).clevel(0).max_app_chunks(Default::default());
    let source = Counting(pack_bytes(&plain(1_000_000), &options).unwrap(), AtomicU64::new(0));
    let archive = Archive::open(&source).unwrap();
    let fetched = || source.1.swap(0, SeqCst);
    archive.read_range(999_999..1_000_000).unwrap(); // the index
    fetched();
    let mut reader = archive.reader(&UnpackOptions::new());
    for (at, len, most) in
        [(505_000, 8, 1), (809_996, 8, 2), (15_000, 8, 1), (19_000, 8, 0), (15_000, 8, 0), (700_000, 30_000, 3)]
    {
        reader.seek(SeekFrom::Start(at)).unwrap();
        reader.read_exact(&mut vec![0; len]).unwrap();
        let fetched = fetched();
        assert!(fetched <= most * 10_100, "{fetched} bytes for {len} at {at}");
    }
}

/// The chunks decoded before a damaged one are not read after the error.
#[test]
fn after_an_error_the_reader_is_where_it_was() {
    let plain = plain(5000);
    let mut packed = pack_bytes(&plain, &PackOptions::new().chunk_size(1000)).unwrap();
    let position = Archive::open(packed.as_slice()).unwrap().chunk_position(3).unwrap() as usize;
    packed[position + 100] ^= 1;
    let archive = Archive::open(packed).unwrap();
    let mut reader = archive.reader(&UnpackOptions::new().threads(Threads::Serial));
    for _ in 0..2 {
        assert_eq!(reader.read(&mut [0; 10]).unwrap_err().kind(), ErrorKind::InvalidData);
        assert_eq!(reader.stream_position().unwrap(), 0);
    }
    reader.seek(SeekFrom::Start(4500)).unwrap();
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).unwrap();
    assert!(rest == plain[4500..]);
}

/// A source whose length is not the stated size is refused, whatever the output.
#[test]
fn a_reader_has_its_size() {
    let options = PackOptions::new().chunk_size(10).threads(Threads::Serial);
    for (len, size) in [(5, 0), (5, 2), (5, 6), (20, 10), (20, 19), (20, 21), (0, 1)] {
        let plain = plain(len);
        let expected = (size, (len as u64).min(size + 1));
        let source = || Source::reader(plain.as_slice()).size(size);
        for offsets in [false, true] {
            let options = options.clone().offsets(offsets);
            let in_memory = pack(source(), &mut Vec::new(), &options).map(drop);
            for packed in [in_memory, pack(source(), Sink::writer(io::sink()), &options).map(drop)] {
                match packed {
                    Err(Error::InputChanged { expected: size, found }) => assert_eq!((size, found), expected),
                    other => panic!("{len} bytes, size {size}: {other:?}"),
                }
            }
        }
    }
    let error = pack(Source::reader(&b"hello"[..]).size(2), &mut Vec::new(), &options).unwrap_err();
    assert_eq!(error.to_string(), "the input has 3 bytes, but its size was 2");
}

/// A log grows while it is packed. The bytes that it had at first are packed.
#[test]
fn a_file_is_taken_as_it_was_when_it_was_opened() {
    let dir = tempfile::tempdir().unwrap();
    let (log, archive) = (dir.path().join("log"), dir.path().join("log.blp"));
    let plain = plain(300_000);
    fs::write(&log, &plain).unwrap();
    let growing = log.clone();
    let grow = move || fs::File::options().append(true).open(&growing).unwrap().write_all(b"more").unwrap();
    // The observer is called after the file was opened.
    let observed = PackOptions::new().chunk_size(100_000).threads(Threads::Serial).observe(move |_| grow());
    pack(Source::file(&log), Sink::file(&archive), &observed).unwrap();
    let archive = Archive::open(fs::read(&archive).unwrap()).unwrap();
    assert!(archive.nbytes() == 300_000 && archive.read_range(0..300_000).unwrap() == plain);
}
