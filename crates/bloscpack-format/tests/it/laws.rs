//! `parse(to_bytes(x)) == x`, and for accepted bytes `to_bytes(parse(b)) == b`.

use bloscpack_format::bloscpack::{
    ChunkPlan, Header, MAX_CHUNK_SIZE, MAX_CHUNKS, MetaCodec, MetadataArgs, MetadataHeader, MetadataSection, Prealloc,
    Version, offsets,
};
use bloscpack_format::checksum::Checksum;
use bloscpack_format::numpy::{Dtype, Field, NumpyMeta, Order, npy};
use bloscpack_format::{Json, msgpack};
use std::sync::Arc;

use proptest::option::of;
use proptest::prelude::*;

proptest! {
    /// Bytes with few different values form more of MessagePack's maps and arrays than random ones.
    #[test]
    fn values_of_metalayers(content in prop::collection::vec(prop_oneof![any::<u8>(), 0x80_u8..0xa3, Just(0x24)], 0..40)) {
        let text = msgpack::value_of(&content).unwrap().dumps();
        let written = msgpack::content_of(&Json::parse(&text).unwrap()).unwrap();
        prop_assert_eq!(msgpack::value_of(&written).unwrap().dumps(), text);
    }

    #[test]
    fn headers(header in header()) {
        let bytes = header.to_bytes().unwrap();
        prop_assert_eq!(Header::parse(&bytes), Ok((header, bytes.len())));
    }

    #[test]
    fn accepted_headers(version in 1_u8..=3, bytes in header_bytes()) {
        let mut file = b"blpk".to_vec();
        file.push(version);
        file.extend(bytes);
        if let Ok((header, len)) = Header::parse(&file) {
            prop_assert_eq!(header.to_bytes().unwrap(), &file[..len]);
        }
    }

    #[test]
    fn accepted_metadata_headers(bytes: [u8; 32], checksum in 0_u8..10, codec in 0_u8..3, level in 0_u8..11) {
        let mut bytes = bytes;
        bytes[9..12].copy_from_slice(&[checksum, codec, level]);
        if let Ok(header) = MetadataHeader::parse(&bytes) {
            prop_assert_eq!(header.to_bytes(), Ok(bytes));
        }
    }

    #[test]
    fn metadata_sections(value in json(), checksum in checksum(), zlib: bool, level in 0_u8..=9, factor in 1_u32..20) {
        let codec = if zlib { MetaCodec::Zlib } else { MetaCodec::None };
        let args = MetadataArgs::new().meta_checksum(checksum).meta_codec(codec).meta_level(level);
        let section = MetadataSection::encode(&value, &args.max_meta_size(Prealloc::Factor(factor))).unwrap();
        let bytes = section.to_bytes().unwrap();
        prop_assert_eq!(bytes.len() as u64, section.header().section_len());
        prop_assert_eq!(section.decode(1 << 20).unwrap().dumps(), value.dumps());
        let parsed = MetadataSection::parse(&bytes).unwrap();
        prop_assert_eq!(parsed.to_bytes().unwrap(), bytes);
        prop_assert_eq!(parsed, section);
    }

    #[test]
    fn offsets_sections(entries: Vec<i64>) {
        prop_assert_eq!(offsets::decode(&offsets::encode(&entries).unwrap()).unwrap(), entries);
    }

    #[test]
    fn json_texts(value in json()) {
        let text = value.dumps();
        let parsed = Json::parse(&text).unwrap();
        prop_assert!(parsed.same_value(&value), "{}", text);
        prop_assert_eq!(parsed.dumps(), text);
        prop_assert!(Json::parse(value.dumps_spaced()).unwrap().same_value(&value));
        let strict: Result<testdata::serde_json::Value, _> = testdata::serde_json::from_str(&value.to_strict_json());
        prop_assert!(strict.is_ok(), "{}", value.to_strict_json());
    }

    #[test]
    fn any_json_text(text in r#"[\[\]{}",:\\0-9eE+\-. a-fu]{0,30}"#) {
        if let Ok(value) = Json::parse(&text) {
            prop_assert_eq!(Json::parse(value.dumps()).unwrap().dumps(), value.dumps());
        }
    }

    #[test]
    fn arrays(meta in array()) {
        let json = meta.to_json().unwrap();
        prop_assert_eq!(NumpyMeta::from_json(&json), Ok(meta.clone()));
        prop_assert_eq!(Dtype::parse(&meta.dtype.to_string()), Ok(meta.dtype.clone()));
        let header = npy::to_bytes(&meta).unwrap();
        prop_assert_eq!(header.len() % 64, 0);
        let (parsed, len) = npy::parse(&header).unwrap();
        prop_assert_eq!(npy::to_bytes(&parsed).unwrap(), &header[..len]);
        prop_assert_eq!(parsed, meta);
    }

    #[test]
    fn any_descr(descr in r#"[\[\]()',<>|=a-zA-Z0-9 \\"]{0,30}"#) {
        if let Ok(dtype) = Dtype::parse(&descr) {
            prop_assert_eq!(Dtype::parse(&dtype.to_string()), Ok(dtype));
        }
    }

    #[test]
    fn plans(size in 0_u64.., chunk_size in 1..=u64::from(MAX_CHUNK_SIZE)) {
        if let Ok(plan) = ChunkPlan::new(size, chunk_size) {
            let ChunkPlan { nchunks, chunk_size, last_chunk } = plan;
            prop_assert!(last_chunk <= chunk_size);
            prop_assert_eq!((nchunks - 1) * u64::from(chunk_size) + u64::from(last_chunk), size);
        }
    }
}

fn checksum() -> impl Strategy<Value = Checksum> {
    (0_u8..9).prop_map(|id| Checksum::from_id(id).unwrap())
}

fn header() -> impl Strategy<Value = Header> {
    let flags = (any::<bool>(), any::<bool>(), checksum(), any::<u8>());
    let sizes = (of(0..=MAX_CHUNK_SIZE), of(0..=MAX_CHUNK_SIZE), of(0..=MAX_CHUNKS), 0..=MAX_CHUNKS);
    (1_u8..=3, flags, sizes).prop_map(|(version, (offsets, metadata, checksum, typesize), sizes)| {
        let (chunk_size, last_chunk, nchunks, max_app_chunks) = sizes;
        let version = [Version::V1, Version::V2, Version::V3][usize::from(version) - 1];
        let (v2, v3) = (version >= Version::V2, version == Version::V3);
        let mut header = Header::new(version);
        header.nchunks = nchunks;
        if v2 {
            header.offsets = offsets && nchunks.is_some();
            header.metadata = metadata && v3;
            header.checksum = checksum;
            header.typesize = typesize;
            header.chunk_size = chunk_size;
            header.last_chunk = last_chunk.map(|last| last.min(chunk_size.unwrap_or(last)));
            header.max_app_chunks = nchunks.map_or(0, |n| max_app_chunks.min(MAX_CHUNKS - n)) * u64::from(v3);
        }
        header
    })
}

/// Generates bytes 5 to 32. Each field is often a valid one.
fn header_bytes() -> impl Strategy<Value = Vec<u8>> {
    let size = || prop_oneof![Just(-1_i32), -3_i32..100, any::<i32>()];
    let count = || prop_oneof![Just(-1_i64), Just(0), -3_i64..100, any::<i64>()];
    (0_u8..6, 0_u8..10, any::<u8>(), size(), size(), count(), count()).prop_map(
        |(options, checksum, typesize, a, b, c, d)| {
            let mut bytes = vec![options, checksum, typesize];
            bytes.extend([a, b].map(i32::to_le_bytes).concat());
            bytes.extend([c, d].map(i64::to_le_bytes).concat());
            bytes
        },
    )
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(Json::Int),
        "-?[1-9][0-9]{19,40}".prop_map(|digits| Json::BigInt(digits.into())),
        any::<f64>().prop_map(Json::Float),
        any::<u64>().prop_map(|bits| Json::Float(f64::from_bits(bits))),
        any::<String>().prop_map(Json::String),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Json::Array),
            prop::collection::btree_map(any::<String>(), inner, 0..8)
                .prop_map(|members| Json::Object(members.into_iter().rev().collect())),
        ]
    })
}

fn dtype() -> impl Strategy<Value = Dtype> {
    let scalar = prop_oneof![
        Just("|b1".to_owned()),
        "[<>][iu][248]",
        "[<>]f(2|4|8|16)",
        "[<>]c(8|16)",
        "[|][SV][0-9]{1,3}",
        "[<>]U[0-9]{1,3}",
        "[<>][Mm]8(\\[[1-9][0-9]{0,3}(Y|D|ms|ns|as)\\])?",
    ];
    let scalar = scalar.prop_map(|text| Dtype::from_type_string(&text).unwrap());
    scalar.prop_recursive(3, 24, 4, |inner| {
        let field = (".{1,4}", of(".{1,4}"), inner, prop::collection::vec(0_u32..4, 0..3));
        prop::collection::vec(field, 1..5).prop_map(|fields| {
            // Names must differ, and no title may equal a name: `n` and `t` before the number see to it.
            let fields = fields.into_iter().enumerate().map(|(i, (name, title, dtype, shape))| Field {
                name: format!("{name}n{i}"),
                title: title.map(|title| format!("{title}t{i}")),
                dtype: if shape.is_empty() { dtype } else { Dtype::Subarray(Box::new(dtype), shape) },
            });
            Dtype::Struct(Arc::new(fields.collect()))
        })
    })
}

fn array() -> impl Strategy<Value = NumpyMeta> {
    let order = prop_oneof![Just(Order::C), Just(Order::F)];
    (dtype(), prop::collection::vec(0_u64..1000, 0..4), order).prop_map(|(dtype, shape, order)| NumpyMeta {
        dtype,
        shape,
        order,
    })
}
