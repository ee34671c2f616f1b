//! Converts attributes and metalayers of the input to the form of each output.

use blosc_core::{Limits, OutOfMemory, memory};
use bloscpack_format::frame::{Frame, Metalayers, VlMetalayers};
use bloscpack_format::numpy::NumpyMeta;
use bloscpack_format::{Attrs, FormatError, Json};

use super::dimensions;
use crate::attributes::{
    Attributes, DropReason, DroppedAttribute, Layers, append, copied_layers, layers_of, metadata_of,
};
use crate::target::Target;
use crate::{Archive, Error};

/// The metadata of the input. Each conversion returns a list of the attributes that the output cannot store.
pub(super) struct Metadata<'a> {
    attributes: Attributes,
    /// The frame whose metalayers are copied unchanged.
    frame: Option<&'a Frame>,
    /// Bloscpack metadata that are copied unchanged.
    original: Option<&'a Json>,
    limits: Limits,
}

impl<'a> Metadata<'a> {
    /// Reads the metadata of an archive. For a conversion from frame to frame, only the description of an array is
    /// decoded.
    pub(super) fn of(archive: &'a Archive<'a>, target: Target) -> Result<Self, Error> {
        let into_frame = matches!(target, Target::Frame | Target::Array);
        let frame = archive.frame().filter(|_| into_frame);
        let mut attributes = match frame {
            Some(_) => Attributes::vlmetalayers(archive, &is_array_key)?,
            None => Attributes::of(archive)?,
        };
        // A new Zarr array gets them where its version stores them.
        if target != Target::Zarr {
            dimensions::add_to(&mut attributes.values, archive)?;
        }
        Ok(Metadata { attributes, frame, original: archive.metadata(), limits: *archive.get_limits() })
    }

    /// Takes the description of an array from a frame of plain bytes: the vlmetalayers that [`Metadata::into_layers`]
    /// has written. They are removed from the attributes.
    pub(super) fn take_array(&mut self, nbytes: u64) -> Result<Option<NumpyMeta>, Error> {
        let array = match NumpyMeta::from_json(&self.attributes.values.to_json()?) {
            Ok(array) if array.nbytes() == Some(nbytes) => array,
            Err(error @ FormatError::OutOfMemory(_)) => return Err(error.into()),
            _ => return Ok(None),
        };
        NumpyMeta::KEYS.iter().for_each(|key| drop(self.attributes.values.remove(key)));
        Ok(Some(array))
    }

    /// Converts to bloscpack metadata.
    pub(super) fn into_bloscpack(
        self,
        array: Option<&NumpyMeta>,
    ) -> Result<(Option<Json>, Vec<DroppedAttribute>), OutOfMemory> {
        if let (Some(original), None) = (self.original, array) {
            return Ok((Some(original.try_clone()?), Vec::new()));
        }
        let (fitting, mut dropped) = within(self.attributes, &self.limits)?;
        let (metadata, more) = metadata_of(fitting, array)?;
        append(&mut dropped, more)?;
        Ok((metadata, dropped))
    }

    /// Converts to the attributes of a carray.
    pub(super) fn into_attrs(self) -> Result<(Attrs, Vec<DroppedAttribute>), OutOfMemory> {
        within(self.attributes, &self.limits)
    }

    /// Converts to the metalayers of a frame. In a frame of plain bytes, attributes describe `array`, so that it can be
    /// converted to an array again.
    pub(super) fn into_layers(
        self,
        is_array: bool,
        array: Option<&NumpyMeta>,
    ) -> Result<(Layers, Vec<DroppedAttribute>), Error> {
        let described = array.filter(|_| !is_array).map(NumpyMeta::to_json).transpose()?;
        let described = Attrs::from_members(match described {
            Some(Json::Object(members)) => members,
            _ => Vec::new(),
        });
        let (mut layers, mut dropped) = match self.frame {
            Some(frame) => {
                let room = Metalayers::MAX - usize::from(is_array);
                // `take_array` has removed the description of the old array, if there was one.
                let was_array = self.attributes.values.is_empty();
                let keep = |name: &[u8]| !(array.is_some() && was_array && is_array_key(name));
                copied_layers(frame, room, self.limits, keep)?
            }
            None => {
                let (vlmetalayers, mut dropped) = layers_of(&self.attributes.values, &self.limits)?;
                append(&mut dropped, self.attributes.unreadable)?;
                (Layers { vlmetalayers, ..Layers::default() }, dropped)
            }
        };
        if described.is_empty() {
            return Ok((layers, dropped));
        }
        if layers.vlmetalayers.iter().any(|layer| is_array_key(layer.name)) {
            append(&mut dropped, DroppedAttribute::all(&described, &DropReason::OtherArray)?)?;
            return Ok((layers, dropped));
        }
        let (more, unfit) = layers_of(&described, &self.limits)?;
        append(&mut dropped, unfit)?;
        if layers.vlmetalayers.iter().len() + more.iter().len() > VlMetalayers::MAX {
            append(&mut dropped, DroppedAttribute::all(&described, &DropReason::NoRoom)?)?;
            return Ok((layers, dropped));
        }
        let all = layers.vlmetalayers.iter().chain(more.iter()).map(|layer| (layer.name, layer.content));
        layers.vlmetalayers = VlMetalayers::from_chunks(all)?;
        Ok((layers, dropped))
    }

    /// Lists all of them for a target that stores none.
    pub(super) fn into_nothing(self, target: Target) -> Result<Vec<DroppedAttribute>, OutOfMemory> {
        let reason = DropReason::NoMetadata(target);
        let mut dropped = DroppedAttribute::all(&self.attributes.values, &reason)?;
        for lost in &self.attributes.unreadable {
            memory::push(&mut dropped, DroppedAttribute::new(&lost.name, reason.clone())?)?;
        }
        Ok(dropped)
    }
}

/// Lists all attributes of a bloscpack file, a table or a carray for an output that cannot store them.
pub(super) fn lost(attrs: &Attrs, prefix: &str, reason: &DropReason) -> Result<Vec<DroppedAttribute>, OutOfMemory> {
    let named = attrs.iter().map(|(name, _)| {
        let name = memory::format(format_args!("{prefix}{name}"))?;
        Ok(DroppedAttribute { name, reason: reason.clone() })
    });
    memory::try_collect(named)
}

fn is_array_key(name: &[u8]) -> bool {
    NumpyMeta::KEYS.iter().any(|key| key.as_bytes() == name)
}

/// Keeps the attributes that fit together into one JSON document within the limits.
fn within(attributes: Attributes, limits: &Limits) -> Result<(Attrs, Vec<DroppedAttribute>), OutOfMemory> {
    let (mut all, mut dropped) = (2_u64, attributes.unreadable);
    let mut kept = Vec::new();
    for (name, value) in attributes.values.into_members() {
        // The 4 bytes are for braces or commas, the colon and spaces around the name and the value.
        let key = Json::String(name);
        let nbytes = key.len_spaced().saturating_add(value.len_spaced()).saturating_add(4);
        let Json::String(name) = key else { continue };
        match limits.check_metadata(all.saturating_add(nbytes), 1) {
            Ok(()) => {
                all = all.saturating_add(nbytes);
                memory::push(&mut kept, (name, value))?;
            }
            Err(over) => memory::push(&mut dropped, DroppedAttribute::new(&name, DropReason::Limit(over))?)?,
        }
    }
    Ok((Attrs::from_members(kept), dropped))
}
