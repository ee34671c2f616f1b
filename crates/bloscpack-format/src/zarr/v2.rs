//! Version 2: `.zarray`, `.zattrs` and `.zgroup`.

use super::fields::{bad, chunk_lengths, integer, json_lengths, json_object, lengths, object, required, to_file};
use super::{ArrayMeta, Consolidated, Fill, GroupMeta, KeyEncoding, KeyScheme, Version, ZarrError, codecs_v2, dtype};
use crate::bcolz::Attrs;
use crate::error::FormatError;
use crate::json::Json;
use blosc_core::OutOfMemory;

impl ArrayMeta {
    /// Parses `.zarray`, and `.zattrs` if it exists.
    ///
    /// # Errors
    ///
    /// [`FormatError::Text`], [`FormatError::Zarr`] or [`FormatError::Numpy`].
    pub fn parse_v2(zarray: &[u8], zattrs: Option<&[u8]>) -> Result<Self, FormatError> {
        let mut meta = from_json(&object(zarray)?)?;
        if let Some(zattrs) = zattrs {
            meta.attributes = attributes(object(zattrs)?);
        }
        Ok(meta)
    }

    /// Encodes `.zarray`.
    ///
    /// # Errors
    ///
    /// [`FormatError::Zarr`] for values that version 2 does not have.
    pub fn to_zarray(&self) -> Result<Vec<u8>, FormatError> {
        Ok(to_file(&self.zarray()?)?)
    }

    /// Encodes `.zattrs`.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn to_zattrs(&self) -> Result<Vec<u8>, OutOfMemory> {
        to_file(&self.attributes.to_json()?)
    }

    pub(super) fn zarray(&self) -> Result<Json, FormatError> {
        self.check()?;
        if self.keys.scheme != KeyScheme::V2 {
            let (version, value) = (2, "default".into());
            return Err(ZarrError::NotInVersion { version, field: "chunk_key_encoding", value }.into());
        }
        let (compressor, order) = codecs_v2::to_json(&self.codecs)?;
        Ok(json_object([
            ("zarr_format", Json::Int(2)),
            ("shape", json_lengths(&self.shape)),
            ("chunks", json_lengths(&self.chunkshape)),
            ("dtype", dtype::to_v2(&self.dtype)?),
            ("compressor", compressor),
            ("fill_value", self.fill.to_json(&self.dtype, Version::V2)?),
            ("order", order.into()),
            ("filters", Json::Null),
            ("dimension_separator", self.keys.separator.to_string().into()),
        ]))
    }
}

/// Reads the content of `.zarray`.
pub(super) fn from_json(meta: &Json) -> Result<ArrayMeta, FormatError> {
    expect_version(meta)?;
    let shape = lengths("shape", required(meta, "shape")?)?;
    let chunkshape = chunk_lengths("chunks", required(meta, "chunks")?, &shape)?;
    let dtype = dtype::from_v2(required(meta, "dtype")?)?;
    let meta = ArrayMeta {
        version: Version::V2,
        fill: Fill::from_json(meta.get("fill_value").unwrap_or(&Json::Null), &dtype, Version::V2)?,
        keys: KeyEncoding::from_separator(meta.get("dimension_separator"))?,
        codecs: codecs_v2::parse(meta, shape.len())?,
        attributes: Attrs::default(),
        dimension_names: None,
        shape,
        chunkshape,
        dtype,
    };
    meta.check()?;
    Ok(meta)
}

/// Converts the content of `.zattrs`.
pub(super) fn attributes(json: Json) -> Attrs {
    match json {
        Json::Object(members) => Attrs::from_members(members),
        _ => Attrs::default(),
    }
}

fn expect_version(meta: &Json) -> Result<(), ZarrError> {
    required(meta, "zarr_format")?;
    integer(meta, "zarr_format", 2, 2..=2).map(drop)
}

impl GroupMeta {
    /// Parses `.zgroup`, and `.zattrs` and `.zmetadata` if they exist.
    ///
    /// # Errors
    ///
    /// [`FormatError::Text`] or [`FormatError::Zarr`].
    pub fn parse_v2(zgroup: &[u8], zattrs: Option<&[u8]>, zmetadata: Option<&[u8]>) -> Result<Self, FormatError> {
        let zgroup = object(zgroup)?;
        expect_version(&zgroup)?;
        Ok(GroupMeta {
            version: Version::V2,
            attributes: zattrs.map(|zattrs| object(zattrs).map(attributes)).transpose()?.unwrap_or_default(),
            consolidated: zmetadata.map(Consolidated::parse_v2).transpose()?,
        })
    }

    /// Encodes `.zgroup`.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn to_zgroup(&self) -> Result<Vec<u8>, OutOfMemory> {
        to_file(&self.zgroup())
    }

    /// Encodes `.zattrs`.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn to_zattrs(&self) -> Result<Vec<u8>, OutOfMemory> {
        to_file(&self.attributes.to_json()?)
    }

    pub(super) fn zgroup(&self) -> Json {
        json_object([("zarr_format", Json::Int(2))])
    }
}

impl Consolidated {
    /// Parses `.zmetadata`.
    ///
    /// # Errors
    ///
    /// [`FormatError::Text`] or [`FormatError::Zarr`].
    pub fn parse_v2(zmetadata: &[u8]) -> Result<Self, FormatError> {
        let Json::Object(members) = object(zmetadata)? else { return Err(ZarrError::NotAnObject.into()) };
        let json = Json::Object(members);
        required(&json, "zarr_consolidated_format")?;
        integer(&json, "zarr_consolidated_format", 1, 1..=1)?;
        let Json::Object(members) = json else { return Err(ZarrError::NotAnObject.into()) };
        match members.into_iter().find(|(name, _)| name == "metadata") {
            Some((_, Json::Object(members))) => Ok(Consolidated::of_members(Version::V2, members)),
            Some((name, other)) => Err(bad(&name, &other, "an object").into()),
            None => Err(ZarrError::Missing { field: "metadata".into() }.into()),
        }
    }
}
