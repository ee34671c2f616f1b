//! Attributes of a container: values by name, independent of how the format stores them.
//!
//! | container | its attributes |
//! |---|---|
//! | bloscpack file | the members of the metadata, except those of an array; other metadata is one attribute, `metadata` |
//! | frame | the vlmetalayers, then the metalayers except that of an array |
//! | carray, ctable, column | the attributes of bcolz |
//! | Zarr array, Zarr group | its attributes, which are only read |
//! | `.npy` file, bare chunk | none |
//!
//! | file | content |
//! |---|---|
//! | `read` | reads the attributes of an open container, or of one at a path |
//! | `metadata` | bloscpack metadata as attributes, and back |
//! | `layers` | metalayers as attributes, and back |
//! | `rewrite` | replaces the metadata of a bloscpack file, with or without room for them |
//! | `dropped` | attributes that cannot be read or stored, and why |
//! | `edit`, `refusal` | sets or removes one attribute, crash-safe; reasons for refusing that |
//!
//! Values of metalayers are MessagePack, which [`bloscpack_format::msgpack`] converts to and from JSON.

mod dropped;
#[cfg(feature = "write")]
mod edit;
mod layers;
mod metadata;
mod read;
mod refusal;
#[cfg(feature = "write")]
mod rewrite;

pub use self::dropped::{DropReason, DroppedAttribute};
#[cfg(feature = "write")]
pub use self::edit::{AttributeEdit, edit_attribute};
pub(crate) use self::layers::{Layers, copied_layers, layers_of};
pub(crate) use self::metadata::metadata_of;
pub use self::read::read_attributes;
pub use self::refusal::AttributeRefusal;
use blosc_core::{OutOfMemory, memory};
use bloscpack_format::Attrs;

/// The attributes of a container.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Attributes {
    /// The readable values by name.
    pub values: Attrs,
    /// The attributes that cannot be read.
    pub unreadable: Vec<DroppedAttribute>,
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
