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
//! | `unkept` | attributes that cannot be read or stored, and why |
//! | `edit`, `refusal` | one attribute set or removed, crash-safe; why it cannot be |
//!
//! Values of metalayers are MessagePack, for which [`bloscpack_format::msgpack`] has JSON.

#[cfg(feature = "write")]
mod edit;
mod layers;
mod metadata;
mod read;
mod refusal;
#[cfg(feature = "write")]
mod rewrite;
mod unkept;

#[cfg(feature = "write")]
pub use self::edit::{AttributeEdit, edit_attribute};
pub(crate) use self::layers::{Layers, copied_layers, layers_of};
pub(crate) use self::metadata::metadata_of;
pub use self::read::read_attributes;
pub use self::refusal::AttributeRefusal;
pub use self::unkept::{Unkept, UnkeptReason};
use blosc_core::{OutOfMemory, memory};
use bloscpack_format::Attrs;

/// The attributes of a container.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Attributes {
    /// Values by name, as far as they can be read.
    pub values: Attrs,
    /// Attributes that cannot be read.
    pub unreadable: Vec<Unkept>,
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
