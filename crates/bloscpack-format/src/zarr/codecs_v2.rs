//! The compressor and filters of version 2, by numcodecs' names.

use super::fields::{bad, flag, integer, json_object, text, unsupported};
use super::{BloscCodec, BloscShuffle, Codecs, Compressor, ZarrError};
use crate::json::Json;

const ADVICE: &str = "the compressors blosc, zstd, gzip, zlib and none are read";

/// Reads `compressor`, `filters` and `order`.
pub(super) fn parse(meta: &Json, ndim: usize) -> Result<Codecs, ZarrError> {
    match meta.get("filters") {
        None | Some(Json::Null) => {}
        Some(Json::Array(filters)) => {
            if let Some(filter) = filters.first() {
                let name = filter.get("id").and_then(Json::as_str).unwrap_or("?");
                return Err(unsupported("filter", name, "arrays with filters are not read"));
            }
        }
        Some(other) => return Err(bad("filters", other, "null or a list")),
    }
    let transpose = match meta.get("order") {
        None => None,
        Some(order) => match order.as_str() {
            Some("C") => None,
            // With less than two axes, both orders are the same.
            Some("F") => (ndim > 1).then(|| (0..ndim).rev().collect()),
            _ => return Err(bad("order", order, "\"C\" or \"F\"")),
        },
    };
    let compressors = match meta.get("compressor") {
        None | Some(Json::Null) => Vec::new(),
        Some(compressor @ Json::Object(_)) => vec![compressor_of(compressor)?],
        Some(other) => return Err(bad("compressor", other, "null or an object")),
    };
    Ok(Codecs { sharding: None, transpose, compressors })
}

fn compressor_of(json: &Json) -> Result<Compressor, ZarrError> {
    Ok(match text(json, "id")? {
        "blosc" => Compressor::Blosc(blosc(json)?),
        "zstd" => Compressor::Zstd {
            level: integer(json, "level", 0, i64::from(i32::MIN)..=22)? as i32,
            checksum: flag(json, "checksum")?,
        },
        "gzip" => Compressor::Gzip { level: integer(json, "level", 1, 0..=9)? as u8 },
        "zlib" => Compressor::Zlib { level: integer(json, "level", 1, -1..=9)? as i8 },
        name => return Err(unsupported("compressor", name, ADVICE)),
    })
}

fn blosc(json: &Json) -> Result<BloscCodec, ZarrError> {
    let shuffle = match integer(json, "shuffle", 1, -1..=2)? {
        0 => BloscShuffle::None,
        1 => BloscShuffle::Byte,
        2 => BloscShuffle::Bit,
        _ => BloscShuffle::Auto,
    };
    let cname = match json.get("cname") {
        None => "lz4",
        Some(_) => cname(json)?,
    };
    Ok(BloscCodec {
        cname: cname.to_owned(),
        clevel: integer(json, "clevel", 5, 0..=9)? as u8,
        shuffle,
        typesize: None,
        blocksize: integer(json, "blocksize", 0, 0..=i64::from(i32::MAX))? as u32,
    })
}

/// Reads the name of Blosc's codec.
pub(super) fn cname(json: &Json) -> Result<&str, ZarrError> {
    let name = text(json, "cname")?;
    match BloscCodec::CNAMES.contains(&name) {
        true => Ok(name),
        false => Err(unsupported("codec of Blosc", name, "expected blosclz, lz4, lz4hc, snappy, zlib or zstd")),
    }
}

/// Returns `compressor` and `order`.
pub(super) fn to_json(codecs: &Codecs) -> Result<(Json, &'static str), ZarrError> {
    let refuse = |field, value: &str| ZarrError::NotInVersion { version: 2, field, value: value.into() };
    if codecs.sharding.is_some() {
        return Err(refuse("codecs", "sharding_indexed"));
    }
    let order = match (codecs.is_c_order(), codecs.is_reversed()) {
        (true, _) => "C",
        (_, true) => "F",
        _ => return Err(refuse("order", "that is neither C nor F")),
    };
    let compressor = match codecs.compressors.as_slice() {
        [] => Json::Null,
        [only] => compressor_json(only).ok_or_else(|| refuse("compressor", "crc32c"))?,
        _ => return Err(refuse("compressor", "of several codecs")),
    };
    Ok((compressor, order))
}

fn compressor_json(compressor: &Compressor) -> Option<Json> {
    let int = |value: i64| Json::Int(value);
    Some(match compressor {
        Compressor::Blosc(blosc) => json_object([
            ("id", "blosc".into()),
            ("cname", blosc.cname.as_str().into()),
            ("clevel", int(blosc.clevel.into())),
            (
                "shuffle",
                int(match blosc.shuffle {
                    BloscShuffle::None => 0,
                    BloscShuffle::Byte => 1,
                    BloscShuffle::Bit => 2,
                    BloscShuffle::Auto => -1,
                }),
            ),
            ("blocksize", int(blosc.blocksize.into())),
        ]),
        Compressor::Zstd { level, checksum: false } => {
            json_object([("id", "zstd".into()), ("level", int((*level).into()))])
        }
        Compressor::Zstd { level, checksum: true } => {
            json_object([("id", "zstd".into()), ("level", int((*level).into())), ("checksum", true.into())])
        }
        Compressor::Gzip { level } => json_object([("id", "gzip".into()), ("level", int((*level).into()))]),
        Compressor::Zlib { level } => json_object([("id", "zlib".into()), ("level", int((*level).into()))]),
        Compressor::Crc32c => return None,
    })
}
