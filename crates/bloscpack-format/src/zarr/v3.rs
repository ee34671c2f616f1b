//! Version 3: `zarr.json`.

use super::fields::{
    bad, chunk_lengths, integer, json_lengths, json_object, lengths, object, required, text, to_file, unsupported,
};
use super::{ArrayMeta, Consolidated, Fill, GroupMeta, KeyEncoding, Version, ZarrError, codecs_v3, dtype, v2};
use crate::bcolz::Attrs;
use crate::error::FormatError;
use crate::json::Json;
use crate::numpy::Dtype;
use blosc_core::OutOfMemory;

/// The members of the metadata of an array.
const ARRAY_FIELDS: [&str; 11] = [
    "zarr_format",
    "node_type",
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "fill_value",
    "codecs",
    "attributes",
    "dimension_names",
    "storage_transformers",
];

/// The members of the metadata of a group.
const GROUP_FIELDS: [&str; 4] = ["zarr_format", "node_type", "attributes", "consolidated_metadata"];

/// The content of `zarr.json`.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// An array.
    Array(Box<ArrayMeta>),
    /// A group.
    Group(Box<GroupMeta>),
}

impl Node {
    /// Parses `zarr.json`.
    ///
    /// # Errors
    ///
    /// [`FormatError::Text`], [`FormatError::Zarr`] or [`FormatError::Numpy`].
    pub fn parse(zarr_json: &[u8]) -> Result<Self, FormatError> {
        let json = object(zarr_json)?;
        Ok(match is_group(&json)? {
            true => Node::Group(Box::new(group(json)?)),
            false => Node::Array(Box::new(array(json)?)),
        })
    }
}

/// Returns whether the metadata is that of a group.
pub(super) fn is_group(json: &Json) -> Result<bool, ZarrError> {
    required(json, "zarr_format")?;
    integer(json, "zarr_format", 3, 3..=3)?;
    match text(json, "node_type")? {
        "array" => Ok(false),
        "group" => Ok(true),
        _ => Err(bad("node_type", required(json, "node_type")?, "\"array\" or \"group\"")),
    }
}

/// Refuses members that the reader must understand.
fn check_fields(json: &Json, known: &[&str]) -> Result<(), ZarrError> {
    for (name, value) in json.as_object().unwrap_or_default() {
        let may_ignore = value.get("must_understand") == Some(&Json::Bool(false));
        if !known.contains(&name.as_str()) && !may_ignore {
            return Err(unsupported("member", name, ""));
        }
    }
    Ok(())
}

/// Removes `attributes` from the metadata.
fn take_attributes(json: &mut Json) -> Result<Attrs, ZarrError> {
    let Json::Object(members) = json else { return Ok(Attrs::default()) };
    match members.iter_mut().find(|(name, _)| name == "attributes") {
        None | Some((_, Json::Null)) => Ok(Attrs::default()),
        Some((_, value @ Json::Object(_))) => Ok(v2::attributes(std::mem::replace(value, Json::Null))),
        Some((name, value)) => Err(bad(name, value, "an object")),
    }
}

/// Reads the metadata of an array.
pub(super) fn array(mut json: Json) -> Result<ArrayMeta, FormatError> {
    check_fields(&json, &ARRAY_FIELDS)?;
    let attributes = take_attributes(&mut json)?;
    match json.get("storage_transformers") {
        None | Some(Json::Null) => {}
        Some(Json::Array(transformers)) if transformers.is_empty() => {}
        Some(other) => return Err(unsupported("storage transformer", &other.start_spaced(40), "").into()),
    }
    let shape = lengths("shape", required(&json, "shape")?)?;
    let cell = grid_of(required(&json, "chunk_grid")?, &shape)?;
    let little = dtype::from_v3(required(&json, "data_type")?)?;
    let parsed = codecs_v3::parse(required(&json, "codecs")?, cell)?;
    let dtype = match parsed.is_big {
        Some(true) => dtype::with_order(&little, true)?,
        // Structures are written without a byte order.
        None if matches!(&little, Dtype::Scalar(_)) && dtype::order_of(&little)?.is_some() => {
            return Err(ZarrError::Missing { field: "endian".into() }.into());
        }
        _ => little,
    };
    let meta = ArrayMeta {
        version: Version::V3,
        fill: Fill::from_json(required(&json, "fill_value")?, &dtype, Version::V3)?,
        keys: KeyEncoding::from_json(required(&json, "chunk_key_encoding")?)?,
        dimension_names: names_of(json.get("dimension_names"), shape.len())?,
        chunkshape: parsed.chunkshape,
        codecs: parsed.codecs,
        attributes,
        shape,
        dtype,
    };
    meta.check()?;
    Ok(meta)
}

/// Returns the shape of the cells of the grid.
fn grid_of(json: &Json, shape: &[u64]) -> Result<Vec<u64>, ZarrError> {
    match text(json, "name")? {
        "regular" => {}
        name => return Err(unsupported("chunk grid", name, "expected \"regular\"")),
    }
    let configuration = json.get("configuration").unwrap_or(&Json::Null);
    chunk_lengths("chunk_shape", required(configuration, "chunk_shape")?, shape)
}

fn names_of(json: Option<&Json>, ndim: usize) -> Result<Option<Vec<Option<String>>>, ZarrError> {
    let Some(json) = json.filter(|json| !matches!(json, Json::Null)) else { return Ok(None) };
    let refuse = || bad("dimension_names", json, format!("{ndim} names, each a string or null"));
    let names = json.as_array().filter(|names| names.len() == ndim).ok_or_else(refuse)?;
    let name = |name: &Json| match name {
        Json::Null => Some(None),
        Json::String(text) => Some(Some(text.clone())),
        _ => None,
    };
    names.iter().map(name).collect::<Option<_>>().map(Some).ok_or_else(refuse)
}

/// Reads the metadata of a group.
pub(super) fn group(mut json: Json) -> Result<GroupMeta, FormatError> {
    check_fields(&json, &GROUP_FIELDS)?;
    let attributes = take_attributes(&mut json)?;
    let Json::Object(members) = json else { return Err(ZarrError::NotAnObject.into()) };
    let consolidated = members.into_iter().find(|(name, _)| name == "consolidated_metadata");
    let consolidated = match consolidated {
        None | Some((_, Json::Null)) => None,
        Some((_, Json::Object(members))) => match members.into_iter().find(|(name, _)| name == "metadata") {
            Some((_, Json::Object(members))) => Some(Consolidated::of_members(Version::V3, members)),
            Some((name, other)) => return Err(bad(&name, &other, "an object").into()),
            None => return Err(ZarrError::Missing { field: "metadata".into() }.into()),
        },
        Some((name, other)) => return Err(bad(&name, &other, "an object").into()),
    };
    Ok(GroupMeta { version: Version::V3, attributes, consolidated })
}

impl ArrayMeta {
    /// Encodes `zarr.json`.
    ///
    /// # Errors
    ///
    /// [`FormatError::Zarr`] for values that version 3 does not have.
    pub fn to_zarr_json(&self) -> Result<Vec<u8>, FormatError> {
        Ok(to_file(&self.zarr_json()?)?)
    }

    pub(super) fn zarr_json(&self) -> Result<Json, FormatError> {
        self.check()?;
        let is_big = dtype::order_of(&self.dtype)?;
        let grid = json_object([("chunk_shape", json_lengths(self.stored_shape()))]);
        let codecs = codecs_v3::to_json(&self.codecs, &self.chunkshape, is_big, self.dtype.itemsize());
        let Json::Object(mut members) = json_object([
            ("zarr_format", Json::Int(3)),
            ("node_type", "array".into()),
            ("shape", json_lengths(&self.shape)),
            ("data_type", dtype::to_v3(&self.dtype)?),
            ("chunk_grid", json_object([("name", "regular".into()), ("configuration", grid)])),
            ("chunk_key_encoding", self.keys.to_json()),
            ("fill_value", self.fill.to_json(&self.dtype, Version::V3)?),
            ("codecs", codecs),
            ("attributes", self.attributes.to_json()?),
        ]) else {
            return Err(ZarrError::NotAnObject.into());
        };
        if let Some(names) = &self.dimension_names {
            let name = |name: &Option<String>| name.as_deref().map_or(Json::Null, Json::from);
            members.push(("dimension_names".into(), Json::Array(names.iter().map(name).collect())));
        }
        Ok(Json::Object(members))
    }
}

impl GroupMeta {
    /// Encodes `zarr.json`.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn to_zarr_json(&self) -> Result<Vec<u8>, OutOfMemory> {
        to_file(&self.zarr_json()?)
    }

    pub(super) fn zarr_json(&self) -> Result<Json, OutOfMemory> {
        let mut members = vec![
            ("zarr_format".into(), Json::Int(3)),
            ("node_type".into(), "group".into()),
            ("attributes".into(), self.attributes.to_json()?),
        ];
        if let Some(consolidated) = &self.consolidated {
            let json = json_object([
                ("kind", "inline".into()),
                ("must_understand", false.into()),
                ("metadata", consolidated.to_json()?),
            ]);
            members.push(("consolidated_metadata".into(), json));
        }
        Ok(Json::Object(members))
    }
}
