//! `blpk info` of a Zarr array or group: the metadata, and the chunks that are stored.

use crate::describe;
use crate::files::{array_of, arrays_of};
use crate::json::{Object, number, text};
use crate::report::Report;
use crate::size::double_pretty_size;
use anyhow::{Context as _, Result};
use bloscpack_format::Json;
use bloscpack_format::zarr::{ArrayMeta, KeyScheme, Version};
use bloscpack_io::zarr::Group;
use bloscpack_io::{AnyDirectory, Archive, Error, Input};

fn open<'a>(store: &'a AnyDirectory, member: Option<&str>) -> Result<Archive<'a>> {
    Ok(match member {
        Some(array) => array_of(store, array)?,
        None => Archive::open(Input::directory(store))?,
    })
}

/// Returns the metadata of an array, or of an array in a group, as an object. No chunk is decoded.
pub(in crate::commands) fn member_object(store: &AnyDirectory, member: Option<&str>) -> Result<Object> {
    let archive = open(store, member)?;
    let meta = archive.zarr().context("the array has no metadata")?;
    let stored = archive.stored_files()?;
    let list = |lens: &[u64]| Json::Array(lens.iter().map(|len| number(*len)).collect());
    let written = written(meta)?;
    let part = |name: &str| written.get(name).cloned().unwrap_or(Json::Null);
    let object = Object::new("zarr")
        .with("version", number(meta.version.number().into()))
        .with("nbytes", number(archive.nbytes()))
        .with("cbytes", stored.map_or(Json::Null, |(_, nbytes)| number(nbytes)))
        .with("typesize", number(meta.dtype.itemsize()))
        .with("nchunks", number(archive.nchunks()));
    let array = archive.numpy().context("the array has no dtype")?;
    Ok(object
        .with_array(array)?
        .with("chunkshape", list(&meta.chunkshape))
        .with("shards", meta.codecs.sharding.as_ref().map_or(Json::Null, |sharding| list(&sharding.shape)))
        .with("fill_value", part("fill_value"))
        .with("stored_order", text(&order(meta)))
        .with("codecs", codecs(meta, &written))
        .with("keys", text(&keys(meta)))
        .with("dimension_names", part("dimension_names"))
        .with("stored_chunks", stored.map_or(Json::Null, |(files, _)| number(files)))
        .with("attrs", meta.attributes.to_json()?))
}

/// Returns the metadata of a group and of its arrays as an object.
pub(super) fn group_object(store: &AnyDirectory) -> Result<Object> {
    let group = Group::open(store)?;
    let mut arrays = Vec::new();
    let mut sums = [0_u64; 3];
    for name in group.arrays()? {
        let object = member_object(store, Some(&name));
        let object = object.unwrap_or_else(|error| Object::inner().with("error", text(&crate::exit::one_line(&error))));
        for (sum, field) in sums.iter_mut().zip(["nbytes", "cbytes", "nchunks"]) {
            *sum = sum.saturating_add(object.get(field).and_then(Json::as_u64).unwrap_or(0));
        }
        arrays.push(object.with_name(Some(&name)).into_json());
    }
    let [nbytes, cbytes, nchunks] = sums;
    Ok(Object::new("zarr-group")
        .with("version", number(group.meta().version.number().into()))
        .with("nbytes", number(nbytes))
        .with("cbytes", number(cbytes))
        .with("nchunks", number(nchunks))
        .with("consolidated", Json::Bool(group.meta().consolidated.is_some()))
        .with("attrs", group.meta().attributes.to_json()?)
        .with("arrays", Json::Array(arrays)))
}

/// Prints an array, or an array in a group, as text.
pub(super) fn print(store: &AnyDirectory, member: Option<&str>, report: &Report) -> Result<()> {
    let archive = open(store, member)?;
    let title = member.map_or_else(|| "ZarrArray".to_owned(), |member| Json::from(member).dumps());
    report.normal(describe::block(&title, &fields(&archive)?));
    let meta = archive.zarr().context("the array has no metadata")?;
    if let Some(lines) = describe::values("Attributes", &meta.attributes, &[])? {
        report.normal(lines);
    }
    Ok(())
}

/// Prints a group and its arrays as text. An array that cannot be read is named with the error.
pub(super) fn print_group(store: &AnyDirectory, report: &Report) -> Result<()> {
    let group = Group::open(store)?;
    let arrays = arrays_of(store)?;
    let consolidated = if group.meta().consolidated.is_some() { "yes" } else { "no" };
    let fields = [
        ("zarr_format", group.meta().version.number().to_string()),
        ("arrays", arrays.len().to_string()),
        ("consolidated", consolidated.to_owned()),
    ];
    report.normal(describe::block("ZarrGroup", &fields));
    if let Some(lines) = describe::values("Attributes", &group.meta().attributes, &[])? {
        report.normal(lines);
    }
    for name in arrays {
        match print(store, Some(&name), report) {
            Err(error) if error.downcast_ref::<Error>().is_some_and(|error| error.out_of_memory().is_some()) => {
                return Err(error);
            }
            Err(error) => report.normal(format!("{}: cannot be read: {error:#}", Json::from(name).dumps())),
            Ok(()) => {}
        }
    }
    Ok(())
}

fn fields(archive: &Archive<'_>) -> Result<Vec<(&'static str, String)>> {
    let meta = archive.zarr().context("the array has no metadata")?;
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
    if let Some((files, nbytes)) = archive.stored_files()? {
        let what = if meta.codecs.sharding.is_some() { "stored_shards" } else { "stored_chunks" };
        fields.push(("cbytes", double_pretty_size(nbytes)));
        fields.push((what, files.to_string()));
    }
    Ok(fields)
}

/// Returns the metadata as they are written to a file.
fn written(meta: &ArrayMeta) -> Result<Json> {
    Ok(Json::parse(match meta.version {
        Version::V2 => meta.to_zarray()?,
        Version::V3 => meta.to_zarr_json()?,
    })?)
}

/// Returns the codecs as the metadata has them. The filters of version 2 are always none.
fn codecs(meta: &ArrayMeta, written: &Json) -> Json {
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
fn order(meta: &ArrayMeta) -> String {
    match &meta.codecs.transpose {
        _ if meta.codecs.is_c_order() => "C".into(),
        _ if meta.codecs.is_reversed() => "F".into(),
        order => format!("{:?}", order.as_deref().unwrap_or_default()),
    }
}

/// Describes the keys of chunks by an example.
fn keys(meta: &ArrayMeta) -> String {
    let example = meta.keys.key(&(0..meta.ndim() as u64).collect::<Vec<_>>());
    let scheme = match meta.keys.scheme {
        KeyScheme::Default => "default",
        KeyScheme::V2 => "v2",
    };
    format!("{scheme}, {example}")
}
