//! Metalayers as attributes, and back.

use blosc_core::{CParams, Decoder, Limits, memory};
use bloscpack_format::frame::{B2nd, Frame, Metalayer, VlMetalayers, decode_vlmetalayer};
use bloscpack_format::{Attrs, msgpack};

use super::dropped::MAX_NAME;
use super::{Attributes, DropReason, DroppedAttribute, append};
use crate::Error;

/// The metalayers and vlmetalayers of a new frame.
#[derive(Debug, Default)]
pub(crate) struct Layers {
    /// Names and contents of the metalayers of fixed length, except that of an array.
    pub(crate) metalayers: Vec<(Vec<u8>, Vec<u8>)>,
    pub(crate) vlmetalayers: VlMetalayers,
}

/// Reads the values of the `wanted` vlmetalayers. Their total size is limited to that of one piece of metadata.
pub(super) fn vlmetalayer_values(
    frame: &Frame,
    limits: &Limits,
    wanted: &dyn Fn(&[u8]) -> bool,
) -> Result<Attributes, Error> {
    let mut decoder = Decoder::new().limits(*limits);
    let (mut found, mut all) = (Attributes::default(), 0_u64);
    for layer in frame.trailer.vlmetalayers.iter().filter(|layer| wanted(layer.name)) {
        let content = decode_vlmetalayer(layer.content, &mut decoder).and_then(|content| {
            all = all.saturating_add(content.len() as u64);
            limits.check_metadata(all, 1)?;
            Ok(content)
        });
        match content.map_err(Error::from) {
            Ok(content) => found.add(&layer, &content)?,
            Err(error) => {
                let reason = DropReason::unreadable(error)?;
                memory::push(&mut found.unreadable, DroppedAttribute::new(&layer.name_lossy(), reason)?)?;
            }
        }
    }
    Ok(found)
}

/// Reads the values of the `wanted` metalayers.
pub(super) fn metalayer_values(
    frame: &Frame,
    limits: &Limits,
    wanted: &dyn Fn(&[u8]) -> bool,
) -> Result<Attributes, Error> {
    let (mut found, mut all) = (Attributes::default(), 0_u64);
    for layer in frame.header.metalayers.iter().filter(|layer| wanted(layer.name)) {
        all = all.saturating_add(layer.content.len() as u64);
        match limits.check_metadata(all, 1) {
            Ok(()) => found.add(&layer, layer.content)?,
            Err(over) => {
                memory::push(
                    &mut found.unreadable,
                    DroppedAttribute::new(&layer.name_lossy(), DropReason::Limit(over))?,
                )?;
            }
        }
    }
    Ok(found)
}

impl Attributes {
    /// Adds the value of a metalayer if its name is valid for an attribute.
    fn add(&mut self, layer: &Metalayer<'_>, content: &[u8]) -> Result<(), Error> {
        let refused = match str::from_utf8(layer.name) {
            Ok(name) if self.values.get(name).is_none() => {
                self.values.set(name, msgpack::value_of(content)?)?;
                return Ok(());
            }
            Ok(_) => DropReason::SameName,
            Err(_) => DropReason::NameNotUtf8,
        };
        Ok(memory::push(&mut self.unreadable, DroppedAttribute::new(&layer.name_lossy(), refused)?)?)
    }

    /// Adds the `others` whose names are not used yet.
    pub(super) fn add_all(&mut self, others: Attributes) -> Result<(), Error> {
        for (name, value) in others.values.into_members() {
            if self.values.get(&name).is_none() {
                self.values.set(&name, value)?;
            } else {
                memory::push(&mut self.unreadable, DroppedAttribute::new(&name, DropReason::SameVlMetalayer)?)?;
            }
        }
        Ok(append(&mut self.unreadable, others.unreadable)?)
    }
}

/// Converts attributes to vlmetalayers, as many as fit together within the limits.
pub(crate) fn layers_of(attrs: &Attrs, limits: &Limits) -> Result<(VlMetalayers, Vec<DroppedAttribute>), Error> {
    let (mut chunks, mut dropped, mut all) = (Vec::new(), Vec::new(), 0_u64);
    for (name, value) in attrs.iter() {
        let content = msgpack::content_of(value)?;
        // Readers limit the total size.
        let with_it = all.saturating_add(content.len() as u64);
        match refused(name, with_it, chunks.len(), limits) {
            Some(reason) => memory::push(&mut dropped, DroppedAttribute::new(name, reason)?)?,
            None => {
                memory::push(&mut chunks, (name, compress(&content)?))?;
                all = with_it;
            }
        }
    }
    let layers = chunks.iter().map(|(name, chunk)| (name.as_bytes(), chunk.as_slice()));
    Ok((VlMetalayers::from_chunks(layers)?, dropped))
}

/// Returns the reason why an attribute cannot be a vlmetalayer, `None` if it can. `nbytes` is the total size with it.
fn refused(name: &str, nbytes: u64, others: usize, limits: &Limits) -> Option<DropReason> {
    name_refused(name)
        .or_else(|| limits.check_metadata(nbytes, 1).err().map(DropReason::Limit))
        .or((others == VlMetalayers::MAX).then_some(DropReason::TooManyVlMetalayers))
}

/// Returns the reason why a vlmetalayer cannot have this name, `None` if it can. C-Blosc2 ends a name at a NUL.
pub(super) fn name_refused(name: &str) -> Option<DropReason> {
    if name.is_empty() || name.len() > MAX_NAME {
        Some(DropReason::NameLength)
    } else if name.contains('\0') {
        Some(DropReason::NameWithNul)
    } else {
        None
    }
}

fn compress(content: &[u8]) -> Result<Vec<u8>, Error> {
    Ok(blosc_core::compress(content, &CParams::blosc2().typesize(1))?)
}

/// Copies the metalayers of another frame unchanged, except that of an array, and the readable vlmetalayers. `room` is
/// the maximum number of metalayers.
pub(crate) fn copied_layers(
    frame: &Frame,
    room: usize,
    limits: Limits,
    keep: impl Fn(&[u8]) -> bool,
) -> Result<(Layers, Vec<DroppedAttribute>), Error> {
    let mut dropped = Vec::new();
    let mut metalayers: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for layer in frame.header.metalayers.iter().filter(|layer| !B2nd::is_name(layer.name)) {
        let reason = if metalayers.iter().any(|(name, _)| name == layer.name) {
            DropReason::SameMetalayer
        } else if layer.name.is_empty() {
            DropReason::NamelessMetalayer
        } else if metalayers.len() == room {
            DropReason::TooManyMetalayers
        } else {
            metalayers.push((layer.name.to_vec(), memory::copy_of(layer.content)?));
            continue;
        };
        memory::push(&mut dropped, DroppedAttribute::new(&layer.name_lossy(), reason)?)?;
    }
    let mut kept = Vec::new();
    for (layer, checked) in frame.trailer.vlmetalayers.checked(limits).filter(|(layer, _)| keep(layer.name)) {
        match checked {
            Ok(()) if layer.name.is_empty() => {
                memory::push(&mut dropped, DroppedAttribute::new("", DropReason::NamelessVlMetalayer)?)?;
            }
            Ok(()) => memory::push(&mut kept, (layer.name, layer.content))?,
            Err(error) => {
                let reason = DropReason::unreadable(error.into())?;
                memory::push(&mut dropped, DroppedAttribute::new(&layer.name_lossy(), reason)?)?;
            }
        }
    }
    Ok((Layers { metalayers, vlmetalayers: VlMetalayers::from_chunks(kept)? }, dropped))
}
