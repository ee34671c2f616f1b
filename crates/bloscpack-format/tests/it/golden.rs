//! Tests that files written by bloscpack 0.16.0 have the contents in their manifest.

use bloscpack_format::bloscpack::{
    ChunkPlan, Header, Layout, MaxAppChunks, MetaCodec, MetadataArgs, MetadataHeader, MetadataRewrite, MetadataSection,
    Prealloc, Version, offsets,
};
use bloscpack_format::checksum::Checksum;
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order, npy};
use bloscpack_format::{Format, FormatError, Json, detect};
use std::collections::BTreeMap;
use testdata::serde_json::{self, Value};

const LIMIT: u64 = 1 << 20;

type Files = BTreeMap<String, Vec<u8>>;

/// Calls `check` with every valid file and its entry in the manifest.
fn each_file(mut check: impl FnMut(&str, &[u8], &Value, &Files)) {
    let files = testdata::archive("bloscpack");
    let manifest = testdata::manifest("bloscpack");
    let listed = manifest["files"].as_array().unwrap();
    assert_eq!(listed.len(), 225);
    for item in listed {
        let name = item["file"].as_str().unwrap();
        check(name, &files[name], item, &files);
    }
}

/// Returns the header, the layout and the metadata section of a file.
fn beginning(file: &[u8]) -> Result<(Header, Layout, Option<MetadataSection>), FormatError> {
    let (header, len) = Header::parse(file)?;
    let rest = &file[len..];
    let section = if header.metadata { Some(MetadataSection::parse(rest)?) } else { None };
    let layout = Layout::new(&header, section.as_ref().map_or(0, |section| section.header().section_len()))?;
    Ok((header, layout, section))
}

#[test]
fn headers() {
    each_file(|name, file, item, _| {
        let (header, len) = Header::parse(file).unwrap();
        let number = |field: &str| item["header"][field].as_u64().unwrap();
        assert_eq!(number("format_version"), u64::from(header.version.number()), "{name}");
        assert_eq!(item["header"]["offsets"], header.offsets, "{name}");
        assert_eq!(item["header"]["metadata"], header.metadata, "{name}");
        assert_eq!(item["header"]["checksum"], header.checksum.name(), "{name}");
        assert_eq!(number("typesize"), u64::from(header.typesize), "{name}");
        assert_eq!(number("chunk_size"), u64::from(header.chunk_size.unwrap()), "{name}");
        assert_eq!(number("last_chunk"), u64::from(header.last_chunk.unwrap()), "{name}");
        assert_eq!(number("nchunks"), header.nchunks.unwrap(), "{name}");
        assert_eq!(number("max_app_chunks"), header.max_app_chunks, "{name}");
        assert_eq!(item["size"].as_u64(), header.nbytes(), "{name}");
        assert_eq!(header.to_bytes().unwrap(), file[..len], "{name}");
        assert_eq!(detect(file, Some(file.len() as u64)), Some(Format::Bloscpack { version: 3 }), "{name}");
    });
}

#[test]
fn metadata() {
    let mut seen = 0;
    each_file(|name, file, item, _| {
        let (header, layout, section) = beginning(file).unwrap();
        let Some(section) = section else {
            assert!(item.get("metadata").is_none() && !header.metadata, "{name}");
            return;
        };
        seen += 1;
        let of = section.header();
        let expected = &item["metadata_header"];
        assert_eq!(
            expected["magic_format"].as_str().unwrap().as_bytes(),
            of.magic_format.trim_ascii_end_nul(),
            "{name}"
        );
        assert_eq!(expected["meta_options"], format!("{:08b}", of.meta_options), "{name}");
        assert_eq!(expected["meta_checksum"], of.meta_checksum.name(), "{name}");
        assert_eq!(expected["meta_codec"], of.meta_codec.name(), "{name}");
        for (field, value) in [
            ("meta_level", u32::from(of.meta_level)),
            ("meta_size", of.meta_size),
            ("max_meta_size", of.max_meta_size),
            ("meta_comp_size", of.meta_comp_size),
        ] {
            assert_eq!(expected[field], value, "{name}: {field}");
        }
        assert_eq!(of.user_codec, [0; 8], "{name}");
        let bytes = section.to_bytes().unwrap();
        assert_eq!(bytes, file[layout.metadata.start as usize..layout.metadata.end as usize], "{name}");

        let value = section.decode(LIMIT).unwrap();
        let text = value.to_strict_json();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), item["metadata"], "{name}");
        assert_eq!(value.dumps().len(), of.meta_size as usize, "{name}");
        if of.meta_codec == MetaCodec::None {
            assert_eq!(value.dumps().as_bytes(), section.stored(), "{name}");
        }

        // Rewritten with the same arguments, everything is equal except, perhaps, the length of the zlib stream.
        let args = MetadataArgs::new()
            .meta_checksum(of.meta_checksum)
            .meta_codec(of.meta_codec)
            .meta_level(of.meta_level)
            .max_meta_size(Prealloc::Exact(of.max_meta_size));
        let ours = MetadataSection::encode(&value, &args).unwrap();
        let MetadataHeader { meta_codec, meta_comp_size, .. } = *ours.header();
        let mut expected: MetadataHeader = *of;
        (expected.meta_codec, expected.meta_comp_size) = (meta_codec, meta_comp_size);
        assert_eq!(*ours.header(), expected, "{name}");
        assert!(meta_codec == of.meta_codec || meta_comp_size == of.meta_size, "{name}");
        assert!(MetadataSection::parse(&ours.to_bytes().unwrap()).unwrap().decode(LIMIT) == Ok(value), "{name}");
        let rewritten = section.rewrite(&Json::Int(0), &MetadataRewrite::default()).unwrap();
        assert_eq!(rewritten.to_bytes().unwrap().len(), bytes.len(), "{name}");
    });
    assert_eq!(seen, 99);
}

trait TrimNul {
    fn trim_ascii_end_nul(&self) -> &[u8];
}

impl TrimNul for [u8; 8] {
    fn trim_ascii_end_nul(&self) -> &[u8] {
        &self[..self.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)]
    }
}

#[test]
fn offsets_chunks_and_digests() {
    let mut digests = [0; 9];
    each_file(|name, file, item, _| {
        let (header, layout, _) = beginning(file).unwrap();
        let section = &file[layout.offsets.start as usize..layout.offsets.end as usize];
        let used = 8 * if header.offsets { header.nchunks.unwrap() as usize } else { 0 };
        let entries = offsets::decode(&section[..used]).unwrap();
        assert_eq!(item["offsets"], serde_json::to_value(&entries).unwrap(), "{name}");
        assert!(section[used..].iter().all(|byte| *byte == offsets::SPARE_BYTE), "{name}");
        assert_eq!(offsets::encode(&offsets::decode(section).unwrap()).unwrap(), section, "{name}");

        // The chunks follow each other from the layout's first chunk, each followed by its digest.
        let mut at = layout.first_chunk as usize;
        for index in 0..header.nchunks.unwrap() {
            if header.offsets {
                assert_eq!(entries.get(index as usize), Some(&(at as i64)), "{name}");
            }
            let ctbytes = u32::from_le_bytes(file[at + 12..at + 16].try_into().unwrap()) as usize;
            let digest_at = at + ctbytes;
            at = digest_at + header.checksum.digest_size();
            let digest = header.checksum.digest(&file[digest_at - ctbytes..digest_at]);
            assert_eq!(digest.as_ref(), &file[digest_at..at], "{name}: chunk {index}");
            digests[usize::from(header.checksum.id())] += 1;
        }
        // If an append ends before the old end of the file, the old bytes remain (the reference's append never shortens
        // a file).
        assert!(at <= file.len(), "{name}");
    });
    assert!(digests.iter().all(|n| *n > 0), "{digests:?}");
}

#[test]
fn plans() {
    let mut seen = 0;
    each_file(|name, file, item, _| {
        let (header, _) = Header::parse(file).unwrap();
        let appended = item["append"].as_array().is_none_or(|appended| !appended.is_empty());
        let Some(chunk_size) = item["written_with"]["chunk_size"].as_u64().filter(|_| !appended) else { return };
        let plan = ChunkPlan::new(item["size"].as_u64().unwrap(), chunk_size).unwrap();
        let ChunkPlan { nchunks, chunk_size, last_chunk } = plan;
        let of_header = (header.nchunks, header.chunk_size, header.last_chunk);
        assert_eq!(of_header, (Some(nchunks), Some(chunk_size), Some(last_chunk)), "{name}");
        if header.offsets && item["written_with"].get("max_app_chunks").is_none() {
            assert_eq!(header.max_app_chunks, MaxAppChunks::default().for_chunks(nchunks), "{name}");
        }
        seen += 1;
    });
    assert!(seen > 100, "only {seen}");
}

#[test]
fn numpy_arrays() {
    let mut seen = 0;
    each_file(|name, file, item, files| {
        let section = beginning(file).unwrap().2;
        let Some(npy_name) = item["npy"].as_str() else {
            if let Some(metadata) = section {
                assert!(NumpyMeta::from_json(&metadata.decode(LIMIT).unwrap()).is_err(), "{name}");
            }
            return;
        };
        seen += 1;
        let metadata = section.unwrap().decode(LIMIT).unwrap();
        let meta = NumpyMeta::from_json(&metadata).unwrap();
        // The manifest has numpy's `dtype.descr`. For dtypes without fields it is a list of one field without a name.
        let descr = match &meta.dtype {
            Dtype::Scalar(_) => format!("[('', {})]", meta.dtype),
            dtype => dtype.to_string(),
        };
        assert_eq!(item["descr"], descr, "{name}");
        assert_eq!(item["shape"], serde_json::to_value(&meta.shape).unwrap(), "{name}");
        assert_eq!(item["metadata"]["order"], if meta.order == Order::F { "F" } else { "C" }, "{name}");
        assert_eq!(item["size"].as_u64(), meta.nbytes(), "{name}");
        if !name.contains("legacy") {
            assert_eq!(meta.to_json().unwrap().dumps(), metadata.dumps(), "{name}");
        }

        let npy = &files[npy_name];
        let (of_npy, data_at) = npy::parse(npy).unwrap();
        assert_eq!((&of_npy.shape, of_npy.dtype.itemsize()), (&meta.shape, meta.dtype.itemsize()), "{name}");
        assert_eq!(npy.len() - data_at, meta.nbytes().unwrap() as usize, "{name}");
        assert_eq!(npy::to_bytes(&of_npy).unwrap(), npy[..data_at], "{name}");
        assert_eq!(detect(npy, None), Some(Format::Npy), "{name}");
    });
    assert_eq!(seen, 43);
}

#[test]
fn versions_1_and_2() {
    let files = testdata::archive("bloscpack");
    for (name, version, checksum, offsets) in [
        ("legacy-v1", Version::V1, Checksum::None, false),
        ("legacy-v2-0", Version::V2, Checksum::None, false),
        ("legacy-v2-1", Version::V2, Checksum::Adler32, true),
        ("legacy-v2-2", Version::V2, Checksum::Sha512, true),
    ] {
        let file = &files[&format!("malformed/{name}.blp")];
        let (header, layout, _) = beginning(file).unwrap();
        assert_eq!((header.version, header.checksum, header.offsets), (version, checksum, offsets), "{name}");
        assert_eq!(header.nchunks, Some(3), "{name}");
        assert_eq!(header.to_bytes().unwrap(), file[..header.header_len()], "{name}");
        if offsets {
            let entries = offsets::decode(&file[layout.offsets.start as usize..layout.offsets.end as usize]).unwrap();
            assert_eq!((entries.len(), entries[0]), (3, layout.first_chunk as i64), "{name}");
        }
        // The first chunk of the layout starts as Blosc chunks do.
        assert_eq!(file[layout.first_chunk as usize..][..2], [2, 1], "{name}");
    }
}

/// Malformed files whose header or metadata section is enough to refuse them.
#[test]
fn malformed_beginnings_are_refused() {
    const AT_FAULT: [&str; 38] = [
        "cut-full-header-",
        "cut-bare-header-",
        "cut-sum-header-",
        "cut-full-meta_",
        "empty",
        "zeros",
        "magic-upper",
        "not-blp-text",
        "gzip",
        "version-",
        "option-bit-",
        "checksum-",
        "chunk_size--",
        "chunk_size-0",
        "chunk_size-1",
        "chunk_size-2147483647",
        "offsets-all-minus1",
        "last_chunk--",
        "last_chunk-2147483647",
        "nchunks--",
        "nchunks-bare--",
        "nchunks-9223372036854775807",
        "max_app--1",
        "max_app-9223372036854775807",
        "sum-overflow",
        "nchunks-unknown-offsets",
        "flip-full-meta_data-",
        "flip-full-meta_digest-",
        "meta-sum-9",
        "meta-codec-2",
        "meta-level-77",
        "meta-format",
        "meta-max-huge",
        "meta-comp-",
        "meta-not-",
        "meta-json-tail",
        "meta-json-empty",
        "meta-bomb",
    ];
    let files = testdata::archive("bloscpack");
    let manifest = testdata::manifest("bloscpack");
    let mut hit = [false; AT_FAULT.len()];
    for item in manifest["malformed"].as_array().unwrap() {
        let path = item["file"].as_str().unwrap();
        let name = path.trim_start_matches("malformed/").trim_end_matches(".blp");
        let result = beginning(&files[path]).and_then(|(_, _, section)| section.map(|s| s.decode(LIMIT)).transpose());
        match AT_FAULT.iter().position(|at_fault| name.starts_with(at_fault)) {
            Some(at_fault) => {
                hit[at_fault] = true;
                assert!(result.is_err(), "{name}");
            }
            // In other files, only bit flips within the headers may cause errors.
            None => {
                assert!(result.is_ok() || name.contains("_header-") || name.contains("-header-"), "{name}: {result:?}")
            }
        }
    }
    assert!(hit.iter().all(|hit| *hit), "{hit:?}");
}
