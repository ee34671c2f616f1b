//! A Zarr array or group as text: the metadata, and the chunks that are stored.

use bloscpack_format::Json;
use bloscpack_format::zarr::{ArrayMeta, GroupMeta, KeyScheme, Version};

use super::size::double_pretty_size;
use super::text::{block, values};
use crate::{Archive, Error};

/// Returns the texts of an array, which is named in a group. With `counted`, the stored chunks are counted, where the store
/// can list.
///
/// # Errors
/// As [`Archive::stored_files`].
pub fn array(archive: &Archive<'_>, meta: &ArrayMeta, name: Option<&str>, counted: bool) -> Result<Vec<String>, Error> {
    let title = name.map_or_else(|| "ZarrArray".to_owned(), |name| Json::from(name).dumps());
    let mut texts = vec![block(&title, &fields(archive, meta, counted)?)];
    texts.extend(values("Attributes", &meta.attributes, &[])?);
    Ok(texts)
}

/// Returns the texts of a group of `arrays` arrays, without those of the arrays.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn group(meta: &GroupMeta, arrays: usize) -> Result<Vec<String>, Error> {
    let consolidated = if meta.consolidated.is_some() { "yes" } else { "no" };
    let fields = [
        ("zarr_format", meta.version.number().to_string()),
        ("arrays", arrays.to_string()),
        ("consolidated", consolidated.to_owned()),
    ];
    let mut texts = vec![block("ZarrGroup", &fields)];
    texts.extend(values("Attributes", &meta.attributes, &[])?);
    Ok(texts)
}

fn fields(archive: &Archive<'_>, meta: &ArrayMeta, counted: bool) -> Result<Vec<(&'static str, String)>, Error> {
    let written = written(meta)?;
    let part = |name: &str| written.get(name).map_or_else(|| "null".to_owned(), |value| value.dumps_spaced());
    let mut fields = vec![
        ("zarr_format", meta.version.number().to_string()),
        ("shape", format!("{:?}", meta.shape)),
        ("chunks", format!("{:?}", meta.chunkshape)),
    ];
    if let Some(sharding) = &meta.codecs.sharding {
        fields.push(("shards", format!("{:?}", sharding.shape)));
    }
    fields.extend([
        ("dtype", meta.dtype.to_string()),
        ("fill_value", part("fill_value")),
        ("order", order(meta)),
        ("codecs", codecs(meta, &written).dumps_spaced()),
        ("keys", keys(meta)),
        ("nbytes", double_pretty_size(archive.nbytes())),
        ("nchunks", archive.nchunks().to_string()),
    ]);
    if meta.dimension_names.is_some() {
        fields.push(("dimension_names", part("dimension_names")));
    }
    if let Some((files, nbytes)) = counted.then(|| archive.stored_files()).transpose()?.flatten() {
        let what = if meta.codecs.sharding.is_some() { "stored_shards" } else { "stored_chunks" };
        fields.push(("cbytes", double_pretty_size(nbytes)));
        fields.push((what, files.to_string()));
    }
    Ok(fields)
}

/// Returns the metadata as they are written to a file.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn written(meta: &ArrayMeta) -> Result<Json, Error> {
    Ok(Json::parse(match meta.version {
        Version::V2 => meta.to_zarray()?,
        Version::V3 => meta.to_zarr_json()?,
    })?)
}

/// Returns the codecs as the metadata has them. The filters of version 2 are always none.
pub fn codecs(meta: &ArrayMeta, written: &Json) -> Json {
    let name = match meta.version {
        Version::V2 => "compressor",
        Version::V3 => "codecs",
    };
    match written.get(name) {
        Some(Json::Null) | None => Json::Array(Vec::new()),
        Some(list @ Json::Array(_)) => list.clone(),
        Some(only) => Json::Array(vec![only.clone()]),
    }
}

/// Describes the order of the items in a stored chunk.
pub fn order(meta: &ArrayMeta) -> String {
    match &meta.codecs.transpose {
        _ if meta.codecs.is_c_order() => "C".into(),
        _ if meta.codecs.is_reversed() => "F".into(),
        order => format!("{:?}", order.as_deref().unwrap_or_default()),
    }
}

/// Describes the keys of chunks by an example.
pub fn keys(meta: &ArrayMeta) -> String {
    let example = meta.keys.key(&(0..meta.ndim() as u64).collect::<Vec<_>>());
    let scheme = match meta.keys.scheme {
        KeyScheme::Default => "default",
        KeyScheme::V2 => "v2",
    };
    format!("{scheme}, {example}")
}
