//! Bloscpack metadata as attributes, and back.

use blosc_core::{OutOfMemory, memory};
use bloscpack_format::numpy::NumpyMeta;
use bloscpack_format::{Attrs, FormatError, Json};

use super::{DropReason, DroppedAttribute, append};

/// The attribute name of metadata that is not an object.
const WHOLE: &str = "metadata";

/// Returns the attributes in metadata, except the members that describe a NumPy array.
pub(crate) fn attributes_of(metadata: Option<&Json>) -> Result<Attrs, OutOfMemory> {
    Ok(match metadata {
        None | Some(Json::Null) => Attrs::default(),
        Some(metadata @ Json::Object(members)) => {
            let is_array = is_array(metadata)?;
            let own = members.iter().filter(|(name, _)| !(is_array && NumpyMeta::KEYS.contains(&name.as_str())));
            let own = own.map(|(name, value)| Ok((memory::text_of(name)?, value.try_clone()?)));
            Attrs::from_members(memory::try_collect(own)?)
        }
        Some(other) => Attrs::from_members(vec![(WHOLE.into(), other.try_clone()?)]),
    })
}

/// Returns whether metadata describe a NumPy array.
fn is_array(metadata: &Json) -> Result<bool, OutOfMemory> {
    match NumpyMeta::from_json(metadata) {
        Err(FormatError::OutOfMemory(error)) => Err(error),
        described => Ok(described.is_ok()),
    }
}

/// Returns the metadata for attributes. The members that describe an array come first. A single attribute `metadata`
/// that is not an object becomes the whole metadata. `None` if there is nothing to store.
pub(crate) fn metadata_of(
    attrs: Attrs,
    array: Option<&NumpyMeta>,
) -> Result<(Option<Json>, Vec<DroppedAttribute>), OutOfMemory> {
    let mut members = attrs.into_members();
    let mut dropped = Vec::new();
    Ok(match array {
        Some(array) => {
            let own = drop_array_keys(&mut members, &mut dropped, DropReason::MemberOfArray)?;
            let Json::Object(mut all) = array.to_json()? else { return Ok((None, dropped)) };
            append(&mut all, own)?;
            (Some(Json::Object(all)), dropped)
        }
        None if is_whole(&members) => (members.pop().map(|(_, value)| value), dropped),
        None => {
            let object = Json::Object(members);
            let is_array = is_array(&object)?;
            let Json::Object(mut members) = object else { return Ok((None, dropped)) };
            if is_array {
                members = drop_array_keys(&mut members, &mut dropped, DropReason::DescribesArray)?;
            }
            ((!members.is_empty()).then_some(Json::Object(members)), dropped)
        }
    })
}

/// Returns whether the members are metadata that is not an object, under its attribute name.
fn is_whole(members: &[(String, Json)]) -> bool {
    matches!(members, [(name, value)] if name == WHOLE && !matches!(value, Json::Object(_) | Json::Null))
}

fn drop_array_keys(
    members: &mut Vec<(String, Json)>,
    dropped: &mut Vec<DroppedAttribute>,
    reason: DropReason,
) -> Result<Vec<(String, Json)>, OutOfMemory> {
    let is_key = |name: &str| NumpyMeta::KEYS.contains(&name);
    for (name, _) in members.iter().filter(|(name, _)| is_key(name)) {
        memory::push(dropped, DroppedAttribute::new(name, reason.clone())?)?;
    }
    members.retain(|(name, _)| !is_key(name));
    Ok(std::mem::take(members))
}
