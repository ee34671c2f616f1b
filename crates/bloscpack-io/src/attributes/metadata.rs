//! Bloscpack metadata as attributes, and back.

use bloscpack_format::numpy::NumpyMeta;
use bloscpack_format::{Attrs, Json};

use super::Unkept;

/// The name of metadata that is no object.
const WHOLE: &str = "metadata";

/// The attributes that metadata are. The members that describe a NumPy array are none.
pub(crate) fn attributes_of(metadata: Option<&Json>) -> Attrs {
    match metadata {
        None | Some(Json::Null) => Attrs::default(),
        Some(metadata @ Json::Object(members)) => {
            let is_array = NumpyMeta::from_json(metadata).is_ok();
            let own = members.iter().filter(|(name, _)| !(is_array && NumpyMeta::KEYS.contains(&name.as_str())));
            Attrs::from_members(own.cloned().collect())
        }
        Some(other) => Attrs::from_members(vec![(WHOLE.into(), other.clone())]),
    }
}

/// The metadata for attributes, of an array with its own members first. A single attribute `metadata` that is no object
/// is all of the metadata. `None` if there is nothing to store.
pub(crate) fn metadata_of(attrs: Attrs, array: Option<&NumpyMeta>) -> (Option<Json>, Vec<Unkept>) {
    let mut members = attrs.into_members();
    let mut unkept = Vec::new();
    match array {
        Some(array) => {
            let own = drop_array_keys(&mut members, &mut unkept, "the metadata of an array has a member of this name");
            let mut all = array.to_json().as_object().unwrap_or_default().to_vec();
            all.extend(own);
            (Some(Json::Object(all)), unkept)
        }
        None if is_whole(&members) => (members.pop().map(|(_, value)| value), unkept),
        None => {
            let object = Json::Object(members);
            let is_array = NumpyMeta::from_json(&object).is_ok();
            let Json::Object(mut members) = object else { return (None, unkept) };
            if is_array {
                let why = "with it, the file would pass for an array of another size";
                members = drop_array_keys(&mut members, &mut unkept, why);
            }
            ((!members.is_empty()).then_some(Json::Object(members)), unkept)
        }
    }
}

/// Whether the members are metadata that is no object, under its name.
fn is_whole(members: &[(String, Json)]) -> bool {
    matches!(members, [(name, value)] if name == WHOLE && !matches!(value, Json::Object(_) | Json::Null))
}

fn drop_array_keys(members: &mut Vec<(String, Json)>, unkept: &mut Vec<Unkept>, why: &str) -> Vec<(String, Json)> {
    let (taken, own): (Vec<_>, Vec<_>) =
        members.drain(..).partition(|(name, _)| NumpyMeta::KEYS.contains(&name.as_str()));
    unkept.extend(taken.into_iter().map(|(name, _)| Unkept::new(name, why)));
    own
}
