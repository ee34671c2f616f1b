//! Any bytes as a Blosc2 frame that is changed: an error, or a frame that opens and has the changes.
#![no_main]

use blosc_core::Filter;
use bloscpack_format::frame::{ChunkSize, FrameType};
use bloscpack_io::Archive;
use bloscpack_io::frame::{FrameWriter, MemoryFrame};
use libfuzzer_sys::fuzz_target;

/// The last bytes of an input say what is done.
const CHANGES: usize = 8;

fuzz_target!(|bytes: &[u8]| {
    let Some((file, changes)) = bytes.split_last_chunk::<CHANGES>() else { return };
    let store = MemoryFrame { file: file.to_vec(), ..MemoryFrame::new(FrameType::Contiguous) };
    let Ok(frame) = FrameWriter::with_store(store) else { return };
    let Ok(opened) = frame.frame() else { return };
    // Changes of one chunk in a million that are kept as one entry write all of them out.
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
        let archive = Archive::open(store).expect("a frame that was committed");
        let lossless = |filter: Option<Filter>| {
            matches!(filter, Some(Filter::Shuffle | Filter::BitShuffle | Filter::Delta | Filter::ByteDelta(_)))
        };
        let header = &archive.frame().expect("a frame").header;
        let is_lossless = header.filters().all(lossless);
        for (chunk, plain) in expected {
            let found = archive.chunk(chunk).expect("a chunk that was written");
            assert!(found.len() == plain.len() && (found == plain || !is_lossless));
        }
    }
});

/// The frame after the changes, and chunks that it has to have; `None` if one of them was refused.
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
