//! The attributes of a container that is open, or at a path.

use std::path::Path;

use blosc_core::Limits;
use bloscpack_format::Format;
use bloscpack_format::bcolz::ROOTDIRS_FILE;
use bloscpack_format::frame::B2nd;

use super::layers::{metalayer_values, vlmetalayer_values};
use super::metadata::attributes_of;
use super::{Attributes, Unkept};
use crate::archive::Archive;
use crate::bcolz::{Ctable, LocalDirectory};
use crate::source::ReadAt;
use crate::{Error, LocalSource};

impl<R: ReadAt> Archive<R> {
    /// The attributes: bloscpack metadata, the metalayers of a frame, the attributes of bcolz.
    pub fn attributes(&self) -> Attributes {
        self.attributes_where(&|_| true)
    }

    /// [`Archive::attributes`] with `wanted` names only. Other vlmetalayers are not decompressed.
    pub fn attributes_where(&self, wanted: &dyn Fn(&[u8]) -> bool) -> Attributes {
        if self.frame().is_some() {
            let mut found = self.vlmetalayers(wanted);
            found.add_all(self.metalayers(&|name| wanted(name) && !B2nd::is_name(name)));
            return found;
        }
        let (values, unreadable) = match self.attrs() {
            Ok(Some(attrs)) => (attrs, Vec::new()),
            Ok(None) => (attributes_of(self.metadata()), Vec::new()),
            Err(error) => (Default::default(), vec![Unkept::new("__attrs__", error.to_string())]),
        };
        let values = values.into_members().into_iter().filter(|(name, _)| wanted(name.as_bytes()));
        Attributes { values: bloscpack_format::Attrs::from_members(values.collect()), unreadable }
    }

    /// The values of the vlmetalayers of a frame.
    pub fn vlmetalayers(&self, wanted: &dyn Fn(&[u8]) -> bool) -> Attributes {
        self.frame().map_or_else(Attributes::default, |frame| vlmetalayer_values(frame, self.get_limits(), wanted))
    }

    /// The values of the metalayers of a frame, also of that which makes an array of it.
    pub fn metalayers(&self, wanted: &dyn Fn(&[u8]) -> bool) -> Attributes {
        self.frame().map_or_else(Attributes::default, |frame| metalayer_values(frame, self.get_limits(), wanted))
    }
}

/// The attributes of what is at `path`, or of a column of the ctable there; with `name` that one alone, if there is one.
///
/// # Errors
/// [`Error::Unsupported`] for formats that have no attributes; all errors of opening the container.
pub fn read_attributes(
    path: &Path,
    column: Option<&str>,
    name: Option<&str>,
    limits: Limits,
) -> Result<Attributes, Error> {
    let wanted = |found: &[u8]| name.is_none_or(|name| name.as_bytes() == found);
    if column.is_none() && path.join(ROOTDIRS_FILE).is_file() {
        let table = Ctable::open_with_limits(LocalDirectory::open(path)?, limits)?;
        let members = table.attrs()?.clone().into_members().into_iter().filter(|(found, _)| wanted(found.as_bytes()));
        let values = bloscpack_format::Attrs::from_members(members.collect());
        return Ok(Attributes { values, ..Attributes::default() });
    }
    let source = match column {
        Some(column) => LocalSource::open_column_with_limits(path, column, &limits)?,
        None => LocalSource::open(path)?,
    };
    let archive = Archive::open_with_limits(source, limits)?;
    match archive.format() {
        format @ (Format::Blosc1Chunk | Format::Blosc2Chunk) => Err(Error::Unsupported { format }),
        _ => Ok(archive.attributes_where(&wanted)),
    }
}
