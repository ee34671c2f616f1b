//! Fuzzes editing a Blosc2 frame, or an array in one: either an error, or a frame that opens and has the changes.
#![no_main]

use blosc_core::Filter;
use blosc_fuzz::shape::{places, region};
use blosc_fuzz::{MAX_NBYTES, serial};
use bloscpack_format::frame::{ChunkSize, FrameType, Header, Region};
use bloscpack_io::frame::{FrameStore as _, FrameWriter, MemoryFrame};
use bloscpack_io::{Archive, Error, OpenOptions};
use libfuzzer_sys::fuzz_target;

/// Number of trailing input bytes that select the edits.
const CHANGES: usize = 8;

fuzz_target!(|bytes: &[u8]| {
    let Some((file, changes)) = bytes.split_last_chunk::<CHANGES>() else { return };
    let store = MemoryFrame { file: file.to_vec(), ..MemoryFrame::new(FrameType::Contiguous) };
    let Ok(frame) = FrameWriter::with_store(store, &OpenOptions::new()) else { return };
    let Ok(opened) = frame.frame() else { return };
    if let Some(array) = frame.array() {
        let (shape, itemsize) = (array.shape.clone(), opened.header.typesize as usize);
        return change_array(frame, file, shape, itemsize, changes);
    }
    // Changing one of a million chunks stored as a single entry writes an entry for each of them.
    if opened.nchunks() > 1000 || opened.header.typesize > 1 << 12 {
        return;
    }
    let len = match opened.header.chunksize {
        ChunkSize::Fixed(size) if size < 1 << 16 => size as usize,
        ChunkSize::Fixed(_) => return,
        ChunkSize::Variable | ChunkSize::Unset => 64,
    };
    if let Some(changed) = apply(frame, changes, len) {
        let (store, expected) = changed;
        let archive = Archive::open(store.input()).expect("a frame that was committed");
        let header = &archive.frame().expect("a frame").header;
        let (is_lossless, varies) = (is_lossless(header), !matches!(header.chunksize, ChunkSize::Fixed(_)));
        for (chunk, plain) in expected {
            let found = match archive.chunk(chunk) {
                // With variable chunk sizes the headers of all chunks are read, and another one may be damaged.
                Err(_) if varies => continue,
                // The header had a wrong total before the edits.
                Err(Error::PlainSize { .. }) => continue,
                found => found.expect("a chunk that was written"),
            };
            assert!(found.len() == plain.len() && (found == plain || !is_lossless));
        }
    }
});

/// Applies the edits. Returns the frame and the chunks that it must contain; `None` if an edit was refused.
fn apply(
    mut frame: FrameWriter<MemoryFrame>,
    changes: &[u8; CHANGES],
    len: usize,
) -> Option<(MemoryFrame, Vec<(u64, Vec<u8>)>)> {
    let mut written: Option<(u64, Vec<u8>)> = None;
    for (number, change) in changes.iter().enumerate() {
        let nchunks = frame.frame().ok()?.nchunks();
        let at = u64::from(change >> 3) % nchunks.max(1);
        let plain = vec![number as u8 + 1; len];
        written = match change % 8 {
            0 => frame.append(&plain).map(|()| Some((nchunks, plain))),
            1 => frame.insert(at, &plain).map(|()| Some((at, plain))),
            2 => frame.update(at, &plain).map(|()| Some((at, plain))),
            3 => frame.delete(at).map(|()| None),
            4 => frame.reorder(&(0..nchunks).rev().collect::<Vec<_>>()).map(|()| None),
            5 => frame.set_vlmetalayer("note", &plain).map(|()| written),
            6 => frame.remove_vlmetalayer("note").map(|()| written),
            _ => frame.commit().map(|()| written),
        }
        .ok()?;
    }
    frame.commit().ok()?;
    Some((frame.into_store(), written.into_iter().collect()))
}

/// Returns whether new chunks preserve their data exactly.
fn is_lossless(header: &Header) -> bool {
    let lossless = |filter: Option<Filter>| {
        matches!(filter, Some(Filter::Shuffle | Filter::BitShuffle | Filter::Delta | Filter::ByteDelta(_)))
    };
    header.filters().all(lossless)
}

/// Writes slices of an array and resizes it, then compares its items with a model.
fn change_array(
    mut frame: FrameWriter<MemoryFrame>,
    file: &[u8],
    mut shape: Vec<u64>,
    itemsize: usize,
    changes: &[u8; CHANGES],
) {
    let Ok(archive) = Archive::open(file) else { return };
    let grid = archive.grid().expect("an array");
    // Limits the number of items that growing can lead to. Chunks of which little is in use may be large.
    if shape.len() > 3 || archive.nbytes() > 1 << 16 || grid.chunk_nbytes() > MAX_NBYTES || grid.nchunks() > 100 {
        return;
    }
    let mut items = Vec::new();
    if archive.unpack(&mut items, &serial()).is_err() {
        return;
    }
    let is_lossless = is_lossless(&archive.frame().expect("a frame").header);
    let done = changes.iter().enumerate().try_for_each(|(number, change)| {
        let all = Region { start: vec![0; shape.len()], stop: shape.clone() };
        match change % 4 {
            0 | 1 => {
                let wanted = if change % 4 == 0 { all } else { region(&shape, &changes[number..]) };
                let places = places(&shape, &wanted);
                frame.write_slice(&wanted, &vec![number as u8 + 1; places.len() * itemsize])?;
                for place in places {
                    items[place * itemsize..(place + 1) * itemsize].fill(number as u8 + 1);
                }
            }
            2 if !shape.is_empty() => {
                let mut new = shape.clone();
                let axis = usize::from(change / 4) % shape.len();
                new[axis] = (shape[axis] + u64::from(change / 16)).saturating_sub(5);
                let both = Region {
                    start: vec![0; shape.len()],
                    stop: shape.iter().zip(&new).map(|(old, new)| *old.min(new)).collect(),
                };
                frame.resize(&new)?;
                let mut resized = vec![0; new.iter().product::<u64>() as usize * itemsize];
                for (from, to) in places(&shape, &both).into_iter().zip(places(&new, &both)) {
                    let item = &items[from * itemsize..(from + 1) * itemsize];
                    resized[to * itemsize..(to + 1) * itemsize].copy_from_slice(item);
                }
                (shape, items) = (new, resized);
            }
            _ => frame.commit()?,
        }
        Ok::<_, Error>(())
    });
    if done.is_err() || frame.commit().is_err() {
        return;
    }
    let store = frame.into_store();
    let archive = Archive::open(store.input()).expect("a frame that was committed");
    assert_eq!(archive.array().map(|array| &array.shape), Some(&shape));
    let mut found = Vec::new();
    archive.unpack(&mut found, &serial()).expect("an array that was committed");
    assert!(found.len() == items.len() && (found == items || !is_lossless), "{changes:?}");
}
