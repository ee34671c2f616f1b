//! Fuzzes the parsers of a bloscpack file's sections: accepted input must be written back as it was read.
#![no_main]

use bloscpack_format::bloscpack::{Header, Layout, MetadataSection, offsets};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = bloscpack_format::detect(bytes, Some(bytes.len() as u64));
    let Ok((header, length)) = Header::parse(bytes) else { return };
    assert_eq!(header.to_bytes().expect("an accepted header"), bytes[..length]);
    let _ = header.nbytes();

    let mut rest = &bytes[length..];
    let mut metadata_length = 0;
    if header.metadata {
        let Ok(section) = MetadataSection::parse(rest) else { return };
        let written = section.to_bytes().expect("an accepted section");
        assert_eq!(MetadataSection::parse(&written).as_ref(), Ok(&section));
        assert_eq!(section.header().section_len(), written.len() as u64);
        // The limit matters: a few bytes of zlib can expand to 64 KiB of text, like any decompression bomb.
        let _ = section.decode(1 << 16);
        metadata_length = written.len() as u64;
        rest = &rest[written.len()..];
    }
    let _ = Layout::new(&header, metadata_length);
    if let Ok(length) = offsets::section_len(&header) {
        let section = &rest[..rest.len().min(usize::try_from(length).unwrap_or(usize::MAX)) / 8 * 8];
        assert_eq!(offsets::encode(&offsets::decode(section).expect("memory")).expect("memory"), section);
    }
});
