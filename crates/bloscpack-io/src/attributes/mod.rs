//! Attributes of a container: values by name, whatever the format stores them as.
//!
//! | container | its attributes |
//! |---|---|
//! | bloscpack file | the members of the metadata, without those that make an array of it; metadata that is no object is one attribute, `metadata` |
//! | frame | the vlmetalayers; then the metalayers, without that of an array |
//! | carray, ctable, column | the attributes of bcolz |
//! | `.npy` file, bare chunk | none |
//!
//! | file | what it knows |
//! |---|---|
//! | `read` | the attributes of a container that is open, or at a path |
//! | `metadata` | bloscpack metadata as attributes, and back |
//! | `layers` | metalayers as attributes, and back |
//! | `rewrite` | other metadata for a bloscpack file, with room for them or not |
//! | `edit` | one attribute set or removed, crash-safe |
//!
//! Values of metalayers are MessagePack, for which [`bloscpack_format::msgpack`] has JSON.

mod edit;
mod layers;
mod metadata;
mod read;
mod rewrite;

pub use self::edit::{AttributeEdit, edit_attribute};
pub(crate) use self::layers::{Layers, copied_layers, layers_of};
pub(crate) use self::metadata::metadata_of;
pub use self::read::read_attributes;
use blosc_core::{OutOfMemory, memory};
use bloscpack_format::Attrs;

/// The attributes of a container.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Attributes {
    /// Values by name, as far as they can be read.
    pub values: Attrs,
    /// Attributes that cannot be read.
    pub unreadable: Vec<Unkept>,
}

/// An attribute that could not be read, or has no place in an output.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unkept {
    /// Its name. Bytes that are not UTF-8 are U+FFFD.
    pub name: String,
    /// Why not.
    pub why: String,
}

impl Unkept {
    pub(crate) fn new(name: &str, why: &str) -> Result<Unkept, OutOfMemory> {
        Ok(Unkept { name: memory::text_of(name)?, why: memory::text_of(why)? })
    }

    /// All of some attributes, for one reason.
    pub(crate) fn all(values: &Attrs, why: &str) -> Result<Vec<Unkept>, OutOfMemory> {
        memory::try_collect(values.iter().map(|(name, _)| Unkept::new(name, why)))
    }
}

/// Moves `more` to the end of `list`.
pub(crate) fn append<T>(list: &mut Vec<T>, mut more: Vec<T>) -> Result<(), OutOfMemory> {
    if list.is_empty() {
        *list = more;
        return Ok(());
    }
    memory::reserve(list, more.len())?;
    list.append(&mut more);
    Ok(())
}
