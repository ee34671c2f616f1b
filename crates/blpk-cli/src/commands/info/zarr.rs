//! `blpk info` of a Zarr array or group: the metadata, and the chunks that are stored.

use crate::files::{array_of, arrays_of};
use crate::json::{Object, number, text};
use crate::report::Report;
use anyhow::{Context as _, Result};
use bloscpack_format::Json;
use bloscpack_io::describe::zarr::{codecs, keys, order, written};
use bloscpack_io::zarr::Group;
use bloscpack_io::{AnyDirectory, Archive, Error, Input, describe};

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
    let meta = archive.zarr().context("the array has no metadata")?;
    describe::zarr::array(&archive, meta, member, true)?.iter().for_each(|text| report.normal(text));
    Ok(())
}

/// Prints a group and its arrays as text. An array that cannot be read is named with the error.
pub(super) fn print_group(store: &AnyDirectory, report: &Report) -> Result<()> {
    let group = Group::open(store)?;
    let arrays = arrays_of(store)?;
    describe::zarr::group(group.meta(), arrays.len())?.iter().for_each(|text| report.normal(text));
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
