//! Attributes that cannot be read or stored, and the reasons.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use blosc_core::{OutOfMemory, OverLimit, memory};
use bloscpack_format::Attrs;
use bloscpack_format::frame::{Metalayers, VlMetalayers};

use crate::Error;
use crate::target::Target;

/// Maximum length of a metalayer's name in bytes.
pub(super) const MAX_NAME: usize = 31;

/// An attribute that could not be read or cannot be stored in the output.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DroppedAttribute {
    /// Its name. Invalid UTF-8 is replaced by U+FFFD.
    pub name: String,
    /// The reason.
    pub reason: DropReason,
}

/// The reason why an attribute could not be read or cannot be stored in the output. `Display` includes the underlying
/// error.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum DropReason {
    /// The target has no metadata.
    NoMetadata(Target),
    /// Attributes of a table cannot be stored in files of its columns.
    TableOfFiles,
    /// The metadata of an array has a member of this name.
    MemberOfArray,
    /// With the attribute, readers would take the file for an array of a different size.
    DescribesArray,
    /// The description of the array: the input has an own attribute with one of the names of a description, which is
    /// kept instead.
    OtherArray,
    /// The description of the array: the frame has no room for it.
    NoRoom,
    /// A frame has at most [`Metalayers::MAX`] metalayers.
    TooManyMetalayers,
    /// A frame has at most [`VlMetalayers::MAX`] vlmetalayers.
    TooManyVlMetalayers,
    /// The name of a vlmetalayer must have 1 to 31 bytes.
    NameLength,
    /// The name of a vlmetalayer must not contain a NUL.
    NameWithNul,
    /// The name is not UTF-8.
    NameNotUtf8,
    /// A metalayer without a name.
    NamelessMetalayer,
    /// A vlmetalayer without a name.
    NamelessVlMetalayer,
    /// Another attribute has this name.
    SameName,
    /// Another metalayer has this name.
    SameMetalayer,
    /// A vlmetalayer has this name.
    SameVlMetalayer,
    /// The value is larger than the limits allow.
    Limit(OverLimit),
    /// The value is damaged or cannot be decoded.
    Unreadable(Arc<Error>),
}

impl DroppedAttribute {
    pub(crate) fn new(name: &str, reason: DropReason) -> Result<DroppedAttribute, OutOfMemory> {
        Ok(DroppedAttribute { name: memory::text_of(name)?, reason })
    }

    /// Lists all `values` with the same reason.
    pub(crate) fn all(values: &Attrs, reason: &DropReason) -> Result<Vec<DroppedAttribute>, OutOfMemory> {
        memory::try_collect(values.iter().map(|(name, _)| DroppedAttribute::new(name, reason.clone())))
    }
}

impl DropReason {
    /// Returns the underlying error, if there is one.
    #[must_use]
    pub fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            DropReason::Limit(over) => Some(over),
            DropReason::Unreadable(error) => Some(&**error),
            _ => None,
        }
    }

    /// Returns the reason for an attribute that an error makes unreadable.
    ///
    /// # Errors
    /// The error itself if the system refused memory, because that says nothing about the attribute.
    pub(crate) fn unreadable(error: Error) -> Result<DropReason, Error> {
        Ok(DropReason::Unreadable(Arc::new(error.unless_out_of_memory()?)))
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DropReason::NoMetadata(target) => return write!(f, "a {target} file has no metadata"),
            DropReason::TableOfFiles => "attributes of a table cannot be stored in files of its columns",
            DropReason::MemberOfArray => "the metadata of an array has a member of this name",
            DropReason::DescribesArray => "with it, readers would take the file for an array of a different size",
            DropReason::OtherArray => {
                "it describes the array, but the input's own attribute of this or a related name is kept instead"
            }
            DropReason::NoRoom => "the frame has no room for more vlmetalayers",
            DropReason::TooManyMetalayers => return write!(f, "a frame has at most {} metalayers", Metalayers::MAX),
            DropReason::TooManyVlMetalayers => {
                return write!(f, "a frame has at most {} vlmetalayers", VlMetalayers::MAX);
            }
            DropReason::NameLength => return write!(f, "the name of a vlmetalayer must have 1 to {MAX_NAME} bytes"),
            DropReason::NameWithNul => "the name of a vlmetalayer must not contain a NUL",
            DropReason::NameNotUtf8 => "its name is not UTF-8",
            DropReason::NamelessMetalayer => "a metalayer needs a name",
            DropReason::NamelessVlMetalayer => "a vlmetalayer needs a name",
            DropReason::SameName => "another attribute has this name",
            DropReason::SameMetalayer => "another metalayer has this name",
            DropReason::SameVlMetalayer => "a vlmetalayer has the same name",
            DropReason::Limit(over) => return over.report().fmt(f),
            DropReason::Unreadable(error) => return error.report().fmt(f),
        })
    }
}
