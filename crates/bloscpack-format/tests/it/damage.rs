//! Tests that damaged files cause neither a panic nor an allocation that their length does not justify.

use bloscpack_format::bloscpack::{Header, Layout, MetadataSection, offsets};
use bloscpack_format::numpy::{NumpyMeta, npy};
use bloscpack_format::{Json, detect};
use testdata::CountingAlloc;

const LIMIT: u64 = 1 << 16;

/// Runs all parsers of this crate for files. The results are ignored.
fn read(file: &[u8]) {
    let _ = detect(file, Some(file.len() as u64));
    let _ = npy::parse(file);
    let Ok((header, len)) = Header::parse(file) else { return };
    assert_eq!(header.to_bytes().unwrap(), file[..len]);
    let mut metadata_len = 0;
    if header.metadata {
        let Ok(section) = MetadataSection::parse(&file[len..]) else { return };
        metadata_len = section.header().section_len();
        if let Ok(value) = section.decode(LIMIT) {
            let _ = NumpyMeta::from_json(&value);
        }
    }
    let Ok(layout) = Layout::new(&header, metadata_len) else { return };
    if let Some(section) = usize::try_from(layout.offsets.end).ok().and_then(|end| file.get(..end)) {
        let _ = offsets::decode(section);
    }
}

/// Returns the beginning of the file, up to its first chunk.
fn beginning(name: &str) -> Vec<u8> {
    let mut file = testdata::archive("bloscpack").remove(name).unwrap();
    let (header, len) = Header::parse(&file).unwrap();
    let metadata_len =
        if header.metadata { MetadataSection::parse(&file[len..]).unwrap().header().section_len() } else { 0 };
    file.truncate(Layout::new(&header, metadata_len).unwrap().first_chunk as usize);
    file
}

const FILES: [&str; 5] =
    ["meta-6-None.blp", "meta-8-zlib.blp", "matrix-lz4-sha512.blp", "numpy-subarray.blp", "numpy-legacy-2.blp"];

#[test]
fn every_truncation() {
    for name in FILES {
        let file = beginning(name);
        for cut in 0..file.len() {
            read(&file[..cut]);
        }
    }
}

#[test]
fn every_bit_of_header_metadata_and_offsets() {
    let (_, usage) = CountingAlloc::measure(|| vec![0_u8; 1 << 20]);
    assert!(usage.largest >= 1 << 20, "the allocator does not count");
    for name in FILES {
        let mut file = beginning(name);
        for at in 0..file.len().min(1500) {
            for bit in 0..8 {
                file[at] ^= 1 << bit;
                let ((), usage) = CountingAlloc::measure(|| read(&file));
                // Text of at most LIMIT bytes; two of them may make a value of 24 bytes, in a vector that is half full.
                assert!(usage.largest as u64 <= 24 * LIMIT, "{name}: bit {bit} of byte {at}: {usage:?}");
                file[at] ^= 1 << bit;
            }
        }
    }
}

/// Damage that the digest would otherwise detect: the section gets a valid digest.
#[test]
fn every_bit_of_the_metadata_itself() {
    for text in [
        r#"{"dtype":"[(('t', 'a'), '<M8[25s]'), ('b', [('c', '|S4')], (2, 3))]","shape":[4],"order":"C","container":"numpy"}"#,
        r#"{"dtype":[["a",[["b","<f4"],["c","|S4",2]]]],"shape":[4,18446744073709551615],"order":"F","container":"numpy"}"#,
        r#"[1e300,-0.0,"\ud83d\ude00\n",NaN,-Infinity,null,{"a":true,"a":123456789012345678901234567890}]"#,
    ] {
        for at in 0..text.len() {
            for byte in 0..=255 {
                let mut text = text.as_bytes().to_vec();
                text[at] = byte;
                if let Ok(value) = Json::parse(&text) {
                    assert_eq!(Json::parse(value.dumps()).unwrap().dumps(), value.dumps());
                    if let Ok(meta) = NumpyMeta::from_json(&value) {
                        assert_eq!(NumpyMeta::from_json(&meta.to_json().unwrap()), Ok(meta));
                    }
                }
            }
        }
    }
}

#[test]
fn every_byte_of_npy_headers() {
    let files = testdata::archive("bloscpack");
    for name in ["numpy-aligned.npy", "numpy-F3d.npy", "numpy-nested.npy"] {
        let (meta, data_at) = npy::parse(&files[name]).unwrap();
        let mut header = files[name][..data_at].to_vec();
        for cut in 0..data_at {
            assert!(npy::parse(&header[..cut]).is_err());
        }
        for at in 0..header.len() {
            for byte in 0..=255 {
                let old = std::mem::replace(&mut header[at], byte);
                let (result, usage) = CountingAlloc::measure(|| npy::parse(&header));
                assert!(usage.largest < 1 << 14, "{name}: {byte:#x} at {at}: {usage:?}");
                header[at] = old;
                if let Ok((other, _)) = result {
                    assert!(npy::to_bytes(&other).is_ok());
                }
            }
        }
        assert_eq!(npy::parse(&header), Ok((meta, data_at)));
    }
}

#[test]
fn bombs_stay_under_the_limit() {
    let bomb = testdata::archive("bloscpack").remove("malformed/meta-bomb.blp").unwrap();
    let section = MetadataSection::parse(&bomb[32..]).unwrap();
    let (result, usage) = CountingAlloc::measure(|| section.decode(LIMIT));
    assert!(result.is_err());
    assert!(usage.peak as u64 <= 4 * LIMIT, "{usage:?}");
}

/// A text consisting only of values takes at most 36 bytes of memory a byte, the limit that the documentation promises.
#[test]
fn values_cost_what_the_documentation_says() {
    let cases = ["[", "[[],[]", "{\"\":[],\"a\":[]"].map(|start| {
        let (close, item) = if start.starts_with('{') { ("}", ",\"b\":0") } else { ("]", ",0") };
        format!("{start}{}{close}", item.repeat(60_000)).replacen("[,", "[", 1)
    });
    for text in cases {
        let (value, usage) = CountingAlloc::measure(|| Json::parse(&text));
        assert!(value.is_ok(), "{}", &text[..20]);
        assert!(usage.peak <= 36 * text.len(), "{}: {} bytes for {}", &text[..20], usage.peak, text.len());
    }
}
