//! `blpk info` of a Blosc2 frame: its header, its metalayers, and the metadata of its array.

use crate::json::{Object, number, text};
use crate::report::Report;
use anyhow::{Context as _, Result};
use bloscpack_format::Json;
use bloscpack_format::frame::FrameType;
use bloscpack_io::{Archive, Attributes, describe};

/// Prints a frame.
pub(super) fn print(archive: &Archive<'_>, report: &Report) -> Result<()> {
    let frame = archive.frame().context("the frame has no header")?;
    describe::frame(archive, frame)?.iter().for_each(|text| report.normal(text));
    Ok(())
}

/// Returns the same as an object.
pub(super) fn object(archive: &Archive<'_>) -> Result<Object> {
    let (frame, array) = (archive.frame().context("the frame has no header")?, archive.array());
    let header = &frame.header;
    let mut object = Object::new(match (array, header.frame_type) {
        (Some(_), _) => "b2nd",
        (None, FrameType::Contiguous) => "cframe",
        (None, FrameType::Sparse) => "sframe",
    })
    .with("version", number(header.version.into()))
    .with("nbytes", number(header.nbytes))
    .with("cbytes", number(header.cbytes))
    .with("typesize", number(header.typesize.into()))
    .with("nchunks", number(frame.nchunks()))
    .with("chunk_size", Json::Int(header.chunksize.to_i64()))
    .with("sparse", Json::Bool(header.frame_type == FrameType::Sparse))
    .with("codec", header.codec().map_or(Json::Null, |codec| text(codec.name())))
    .with("clevel", number(header.clevel.into()))
    .with("filters", Json::Array(describe::frame_filters(frame).map(|(name, _)| text(&name)).collect()))
    .with("filters_meta", Json::Array(describe::frame_filters(frame).map(|(_, meta)| number(meta.into())).collect()));
    if let Some(array) = array {
        let list = |shape: &[u32]| Json::Array(shape.iter().map(|len| number((*len).into())).collect());
        object = object
            .with("plain_nbytes", number(archive.nbytes()))
            .with("shape", Json::Array(array.shape.iter().map(|len| number(*len)).collect()))
            .with("dtype", array.dtype.as_ref().map_or(Json::Null, |dtype| text(&dtype.text)))
            .with("order", text("C"))
            .with("chunkshape", list(&array.chunkshape))
            .with("blockshape", list(&array.blockshape));
    }
    let object = object.with("metalayers", describe::layer_names(frame.header.metalayers.iter())?);
    Ok(object
        .with("vlmetalayers", describe::layer_names(frame.trailer.vlmetalayers.iter())?)
        .with("meta", Json::Object(Attributes::metalayers(archive, &|_| true)?.values.into_members()))
        .with("vlmeta", Json::Object(Attributes::vlmetalayers(archive, &|_| true)?.values.into_members())))
}
