//! The codecs of version 3.

use super::codecs_v2::cname;
use super::fields::{bad, chunk_lengths, flag, integer, json_lengths, json_object, required, text, unsupported};
use super::{BloscCodec, BloscShuffle, Codecs, Compressor, IndexLocation, Sharding, ZarrError};
use crate::json::Json;

const ADVICE: &str = "the codecs bytes, transpose, blosc, zstd, gzip, zlib, crc32c and sharding_indexed are read";

/// Maximum number of codecs in a list.
const MAX_CODECS: usize = 32;

/// The codecs of an array, and what other parts of the metadata need of them.
pub(super) struct Parsed {
    pub(super) codecs: Codecs,
    pub(super) chunkshape: Vec<u64>,
    /// The `endian` of the codec `bytes`: whether it is big, if given.
    pub(super) is_big: Option<bool>,
}

/// Reads `codecs` of an array whose grid has cells of `cell` items.
pub(super) fn parse(codecs: &Json, cell: Vec<u64>) -> Result<Parsed, ZarrError> {
    let list = list_of("codecs", codecs)?;
    if let [only] = list
        && name_of(only)? == "sharding_indexed"
    {
        return sharded(only, cell);
    }
    let (codecs, is_big) = chain(codecs, cell.len())?;
    Ok(Parsed { codecs, chunkshape: cell, is_big })
}

fn list_of<'a>(field: &str, codecs: &'a Json) -> Result<&'a [Json], ZarrError> {
    let list = codecs.as_array().filter(|list| list.len() <= MAX_CODECS);
    list.ok_or_else(|| bad(field, codecs, "a list of codecs"))
}

/// Returns the name of a codec, which is an object or only the name.
fn name_of(codec: &Json) -> Result<&str, ZarrError> {
    let name = codec.as_str().map_or_else(|| text(codec, "name"), Ok)?;
    Ok(name.strip_prefix("numcodecs.").filter(|name| ["zlib", "zstd", "gzip"].contains(name)).unwrap_or(name))
}

fn configuration(codec: &Json) -> &Json {
    codec.get("configuration").unwrap_or(&Json::Null)
}

/// Reads a list of codecs without shards.
fn chain(codecs: &Json, ndim: usize) -> Result<(Codecs, Option<bool>), ZarrError> {
    let (mut transpose, mut compressors): (Option<Vec<usize>>, Vec<_>) = (None, Vec::new());
    // `Some` after the codec `bytes`.
    let mut is_big = None;
    for codec in list_of("codecs", codecs)? {
        let (name, configuration) = (name_of(codec)?, configuration(codec));
        match (name, is_big) {
            ("transpose", None) => transpose = compose(transpose, transpose_of(configuration, ndim)?),
            ("bytes", None) => is_big = Some(endian(configuration)?),
            ("sharding_indexed", _) => {
                return Err(unsupported(
                    "codec",
                    name,
                    "shards are read if they are the only codec, without shards inside",
                ));
            }
            ("transpose" | "bytes", Some(_)) => {
                return Err(bad("codecs", codecs, "only one codec \"bytes\", after \"transpose\""));
            }
            (name, Some(_)) => compressors.push(compressor(name, configuration)?),
            (name, None) if is_compressor(name) => {
                return Err(bad("codecs", codecs, "the codec \"bytes\" before compressors"));
            }
            (name, None) => return Err(unsupported("codec", name, ADVICE)),
        }
    }
    let is_big = is_big.ok_or_else(|| bad("codecs", codecs, "a list with the codec \"bytes\""))?;
    Ok((Codecs { sharding: None, transpose, compressors }, is_big))
}

fn is_compressor(name: &str) -> bool {
    ["blosc", "zstd", "gzip", "zlib", "crc32c"].contains(&name)
}

/// Applies a permutation of axes after another.
fn compose(first: Option<Vec<usize>>, then: Vec<usize>) -> Option<Vec<usize>> {
    Some(match first {
        None => then,
        Some(first) => then.into_iter().filter_map(|axis| first.get(axis).copied()).collect(),
    })
}

fn transpose_of(configuration: &Json, ndim: usize) -> Result<Vec<usize>, ZarrError> {
    let order = required(configuration, "order")?;
    // Drafts of the specification had the names of numpy's orders.
    match order.as_str() {
        Some("C") => return Ok((0..ndim).collect()),
        Some("F") => return Ok((0..ndim).rev().collect()),
        _ => {}
    }
    let refuse = || bad("order", order, format!("each of the {ndim} axes once"));
    let axes = order.as_array().filter(|axes| axes.len() == ndim).ok_or_else(refuse)?;
    let axes: Option<Vec<usize>> = axes.iter().map(|axis| usize::try_from(axis.as_u64()?).ok()).collect();
    let axes = axes.ok_or_else(refuse)?;
    let is_permutation = (0..ndim).all(|axis| axes.contains(&axis));
    if is_permutation { Ok(axes) } else { Err(refuse()) }
}

fn endian(configuration: &Json) -> Result<Option<bool>, ZarrError> {
    match configuration.get("endian") {
        None | Some(Json::Null) => Ok(None),
        Some(value) => match value.as_str() {
            Some("little") => Ok(Some(false)),
            Some("big") => Ok(Some(true)),
            _ => Err(bad("endian", value, "\"little\" or \"big\"")),
        },
    }
}

fn compressor(name: &str, configuration: &Json) -> Result<Compressor, ZarrError> {
    Ok(match name {
        "blosc" => Compressor::Blosc(blosc(configuration)?),
        "zstd" => Compressor::Zstd {
            level: integer(configuration, "level", 0, i64::from(i32::MIN)..=22)? as i32,
            checksum: flag(configuration, "checksum")?,
        },
        "gzip" => Compressor::Gzip { level: integer(configuration, "level", 5, 0..=9)? as u8 },
        "zlib" => Compressor::Zlib { level: integer(configuration, "level", 1, -1..=9)? as i8 },
        "crc32c" => Compressor::Crc32c,
        name => return Err(unsupported("codec", name, ADVICE)),
    })
}

fn blosc(json: &Json) -> Result<BloscCodec, ZarrError> {
    let shuffle = match json.get("shuffle") {
        None => BloscShuffle::None,
        Some(value) => match value.as_str() {
            Some("noshuffle") => BloscShuffle::None,
            Some("shuffle") => BloscShuffle::Byte,
            Some("bitshuffle") => BloscShuffle::Bit,
            _ => return Err(bad("shuffle", value, "\"noshuffle\", \"shuffle\" or \"bitshuffle\"")),
        },
    };
    let typesize = match json.get("typesize") {
        None | Some(Json::Null) => None,
        Some(_) => Some(integer(json, "typesize", 1, 1..=i64::from(i32::MAX))? as u32),
    };
    Ok(BloscCodec {
        cname: cname(json)?.to_owned(),
        clevel: integer(json, "clevel", 5, 0..=9)? as u8,
        shuffle,
        typesize,
        blocksize: integer(json, "blocksize", 0, 0..=i64::from(i32::MAX))? as u32,
    })
}

/// Reads the codec `sharding_indexed`.
fn sharded(codec: &Json, shard: Vec<u64>) -> Result<Parsed, ZarrError> {
    let configuration = configuration(codec);
    let chunkshape = chunk_lengths("chunk_shape", required(configuration, "chunk_shape")?, &shard)?;
    let (mut codecs, is_big) = chain(required(configuration, "codecs")?, shard.len())?;
    let (index_is_big, index_checksum) = index_codecs(configuration)?;
    let location = match configuration.get("index_location") {
        None => IndexLocation::End,
        Some(value) => match value.as_str() {
            Some("start") => IndexLocation::Start,
            Some("end") => IndexLocation::End,
            _ => return Err(bad("index_location", value, "\"start\" or \"end\"")),
        },
    };
    codecs.sharding = Some(Sharding { shape: shard, location, index_is_big, index_checksum });
    Ok(Parsed { codecs, chunkshape, is_big })
}

/// Returns whether the index is big-endian, and whether it has a checksum.
fn index_codecs(configuration: &Json) -> Result<(bool, bool), ZarrError> {
    let Some(json) = configuration.get("index_codecs") else { return Ok((false, true)) };
    // The index has one axis more than the array, but is never transposed.
    let (codecs, is_big) = chain(json, 0)?;
    let checksum = match codecs.compressors.as_slice() {
        [] => false,
        [Compressor::Crc32c] => true,
        _ => return Err(bad("index_codecs", json, "the codecs \"bytes\" and \"crc32c\"")),
    };
    match codecs.transpose {
        None => Ok((is_big.unwrap_or(false), checksum)),
        Some(_) => Err(bad("index_codecs", json, "the codecs \"bytes\" and \"crc32c\"")),
    }
}

/// Returns `codecs`. `is_big` is the byte order of the items, if they have one. `itemsize` replaces an unset typesize.
pub(super) fn to_json(codecs: &Codecs, chunkshape: &[u64], is_big: Option<bool>, itemsize: u64) -> Json {
    let mut list = Vec::new();
    if let Some(order) = codecs.transpose.as_ref().filter(|_| !codecs.is_c_order()) {
        let order: Vec<u64> = order.iter().map(|axis| *axis as u64).collect();
        list.push(named("transpose", Some(json_object([("order", json_lengths(&order))]))));
    }
    list.push(bytes_json(is_big));
    list.extend(codecs.compressors.iter().map(|compressor| compressor_json(compressor, itemsize)));
    let chain = Json::Array(list);
    let Some(sharding) = &codecs.sharding else { return chain };
    let mut index = vec![bytes_json(Some(sharding.index_is_big))];
    if sharding.index_checksum {
        index.push(named("crc32c", None));
    }
    let configuration = json_object([
        ("chunk_shape", json_lengths(chunkshape)),
        ("codecs", chain),
        ("index_codecs", Json::Array(index)),
        ("index_location", sharding.location.name().into()),
    ]);
    Json::Array(vec![named("sharding_indexed", Some(configuration))])
}

fn named(name: &str, configuration: Option<Json>) -> Json {
    match configuration {
        None => json_object([("name", name.into())]),
        Some(configuration) => json_object([("name", name.into()), ("configuration", configuration)]),
    }
}

fn bytes_json(is_big: Option<bool>) -> Json {
    let endian = |is_big| json_object([("endian", if is_big { "big" } else { "little" }.into())]);
    named("bytes", is_big.map(endian))
}

fn compressor_json(compressor: &Compressor, itemsize: u64) -> Json {
    match compressor {
        Compressor::Blosc(blosc) => {
            let shuffle = match blosc.filter(itemsize) {
                BloscShuffle::None => "noshuffle",
                BloscShuffle::Bit => "bitshuffle",
                BloscShuffle::Byte | BloscShuffle::Auto => "shuffle",
            };
            let typesize = blosc.typesize.map_or(itemsize, u64::from);
            let configuration = json_object([
                ("typesize", super::fields::json_length(typesize)),
                ("cname", blosc.cname.as_str().into()),
                ("clevel", Json::Int(blosc.clevel.into())),
                ("shuffle", shuffle.into()),
                ("blocksize", Json::Int(blosc.blocksize.into())),
            ]);
            named("blosc", Some(configuration))
        }
        Compressor::Zstd { level, checksum } => {
            let configuration = json_object([("level", Json::Int((*level).into())), ("checksum", (*checksum).into())]);
            named("zstd", Some(configuration))
        }
        Compressor::Gzip { level } => named("gzip", Some(json_object([("level", Json::Int((*level).into()))]))),
        // The name by which zarr-python applies numcodecs' codec; the specification has none.
        Compressor::Zlib { level } => {
            named("numcodecs.zlib", Some(json_object([("level", Json::Int((*level).into()))])))
        }
        Compressor::Crc32c => named("crc32c", None),
    }
}
