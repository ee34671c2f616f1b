//! Fuzzes appending to a bloscpack file and replacing its metadata: either an error and an unchanged file, or the old
//! contents with the change applied.
#![no_main]

use blosc_core::Codec;
use blosc_fuzz::{MAX_NBYTES, scratch, serial};
use bloscpack_format::Json;
use bloscpack_format::bloscpack::MetadataRewrite;
use bloscpack_io::{AppendOptions, Archive, OpenOptions, Source, append, rewrite_metadata, unpack_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    // The last four bytes select the edit.
    let Some((file, [what, low, high, codec])) = input.split_last_chunk::<4>() else { return };
    // Skips files with chunks so large that they take too long. Bytes after the last chunk are not checked.
    match Archive::open_with(file, &OpenOptions::new().walk(true)) {
        Ok(archive)
            if archive
                .header()
                .is_some_and(|header| header.chunk_size.is_some_and(|size| size as usize <= MAX_NBYTES)) => {}
        Ok(_) => return,
        Err(_) => {}
    }
    let path = scratch::folder().join("file.blp");
    std::fs::write(&path, file).expect("a scratch file");
    let before = unpack_bytes(file, &serial());
    let new = vec![*codec; u16::from_le_bytes([*low, *high]).into()];
    let metadata = Json::Int(i64::from(*codec));
    let done = if what & 1 == 0 {
        let codec = [Codec::BloscLz, Codec::Lz4, Codec::Zlib, Codec::Zstd][usize::from(codec % 4)];
        let size = (what & 2 == 0).then_some(new.len() as u64);
        let options = AppendOptions::new().codec(codec).clevel(1).metadata((what & 4 != 0).then_some(metadata));
        append(&path, Source::reader(new.as_slice()).size(size), &options).map(|_| Some(new.as_slice()))
    } else {
        rewrite_metadata(&path, metadata, MetadataRewrite::default()).map(|()| None)
    };
    let after = std::fs::read(&path).expect("the file");
    let Ok(appended) = done else {
        assert!(after == file, "the file is another one, but nothing was done");
        return;
    };
    let Ok((before, _)) = before else { return };
    let (after, _) = unpack_bytes(&after, &serial()).expect("what was whole before");
    assert!(after == [&before, appended.unwrap_or_default()].concat());
});
