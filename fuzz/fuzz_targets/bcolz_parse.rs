//! Fuzzes the parsers of a bcolz directory's small files: accepted input must survive writing and parsing again.
#![no_main]

use bloscpack_format::bcolz::{Attrs, ChunkFileHeader, Journal, RootDirs, Rows, Sizes, Storage, dflt};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let sizes = Sizes::parse(bytes);
    if let Ok(sizes) = &sizes {
        assert_eq!(Sizes::parse(&sizes.to_bytes()).as_ref(), Ok(sizes));
    }
    if let Ok(storage) = Storage::parse(bytes) {
        // Compares text, because a default of NaN is not equal to itself.
        let written = storage.to_bytes();
        let again = Storage::parse(&written).expect("what was written");
        assert_eq!(again.to_bytes(), written);
        let _ = dflt::to_bytes(&storage.dflt, &storage.dtype, &[2, 3]);
        for len in [0, 1, 1000, u64::MAX >> 1] {
            let sizes = Sizes::new([len]);
            if let Ok(rows) = Rows::of(&sizes, &storage) {
                let _ = (rows.nchunks(), rows.nbytes(), rows.rows_in(rows.nchunks().saturating_sub(1)));
            }
        }
    }
    if let Ok(names) = RootDirs::parse(bytes) {
        assert_eq!(RootDirs::parse(&names.to_bytes()).as_ref(), Ok(&names));
    }
    if let Ok(attrs) = Attrs::parse(bytes) {
        let written = attrs.to_bytes().expect("memory");
        assert_eq!(Attrs::parse(&written).expect("what was written").to_bytes().as_deref(), Ok(&*written));
    }
    if let Ok(pending) = Journal::parse(bytes) {
        assert_eq!(Journal::parse(&pending.to_bytes()).as_ref(), Ok(&pending));
    }
    let _ = ChunkFileHeader::parse(bytes);
});
