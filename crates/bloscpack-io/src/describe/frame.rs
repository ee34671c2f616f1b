//! A Blosc2 frame as text: its header, its metalayers, and the metadata of its array.

use blosc_core::{OutOfMemory, memory};
use bloscpack_format::Json;
use bloscpack_format::frame::{B2nd, Frame, FrameType, Metalayer};

use super::size::double_pretty_size;
use super::text::{block, values};
use crate::{Archive, Attributes, Error};

/// Returns the texts of a frame. `nbytes` and `cbytes` are the header's: the size of the chunks, including the padding of
/// arrays, and the size of the compressed data.
///
/// # Errors
/// As [`Attributes::metalayers`].
pub fn frame(archive: &Archive<'_>, frame: &Frame) -> Result<Vec<String>, Error> {
    let mut texts = vec![described(frame, archive.array())?];
    let is_own = |name: &[u8]| archive.array().is_none() || !B2nd::is_name(name);
    for (title, found) in [
        ("Metalayers", Attributes::metalayers(archive, &is_own)?),
        ("Vlmetalayers", Attributes::vlmetalayers(archive, &|_| true)?),
    ] {
        texts.extend(values(title, &found.values, &found.unreadable)?);
    }
    Ok(texts)
}

/// Returns the names of metalayers as a list.
///
/// # Errors
/// [`OutOfMemory`].
pub fn layer_names<'a>(layers: impl Iterator<Item = Metalayer<'a>>) -> Result<Json, OutOfMemory> {
    Ok(Json::Array(memory::collect(layers.map(|layer| Json::from(&*layer.name_lossy())))?))
}

/// Returns the filters of new chunks with their meta values. A filter that is not built in appears as its number.
pub fn frame_filters(frame: &Frame) -> impl Iterator<Item = (String, u8)> {
    let header = &frame.header;
    let stored =
        header.filters.iter().zip(&header.filters_meta).take(header.nfilters.into()).filter(|(id, _)| **id != 0);
    header.filters().zip(stored).map(|(filter, (id, meta))| match filter {
        Some(filter) => (filter.name().to_owned(), *meta),
        None => (id.to_string(), *meta),
    })
}

/// Returns the filters in the form that `--filter` takes.
fn filters_text(frame: &Frame) -> String {
    let stored = frame.header.filters().zip(frame_filters(frame));
    let texts = stored.map(|(filter, (name, _))| filter.map_or(name, |filter| filter.to_string()));
    texts.collect::<Vec<_>>().join(", ")
}

fn described(frame: &Frame, array: Option<&B2nd>) -> Result<String, OutOfMemory> {
    let header = &frame.header;
    let listed = |layers: Json| match layers {
        Json::Array(names) => {
            let mut list = String::new();
            for name in &names {
                let comma = if list.is_empty() { "" } else { ", " };
                memory::push_str(&mut list, comma)?;
                memory::push_str(&mut list, &name.dumps())?;
            }
            Ok(list)
        }
        _ => Ok::<_, OutOfMemory>(String::new()),
    };
    let frame_type = match header.frame_type {
        FrameType::Contiguous => "contiguous",
        FrameType::Sparse => "sparse",
    };
    let mut fields = vec![
        ("frame_type", frame_type.to_owned()),
        ("version", header.version.to_string()),
        ("nbytes", double_pretty_size(header.nbytes)),
        ("cbytes", double_pretty_size(header.cbytes)),
        ("typesize", header.typesize.to_string()),
        ("nchunks", frame.nchunks().to_string()),
        ("chunksize", header.chunksize.to_i64().to_string()),
        ("codec", header.codec().map_or_else(|| header.udcodec.to_string(), |codec| codec.name().to_owned())),
        ("clevel", header.clevel.to_string()),
        ("filters", filters_text(frame)),
        ("metalayers", listed(layer_names(header.metalayers.iter())?)?),
        ("vlmetalayers", listed(layer_names(frame.trailer.vlmetalayers.iter())?)?),
    ];
    if let Some(array) = array {
        fields.extend([
            ("shape", format!("{:?}", array.shape)),
            ("chunkshape", format!("{:?}", array.chunkshape)),
            ("blockshape", format!("{:?}", array.blockshape)),
            ("dtype", array.dtype.as_ref().map_or_else(String::new, |dtype| dtype.text.clone())),
        ]);
    }
    Ok(block(if array.is_some() { "Blosc2Array" } else { "Blosc2Frame" }, &fields))
}
