//! Reads the attributes of an open container, or of one at a path.

use std::path::Path;

use bloscpack_format::bcolz::ROOTDIRS_FILE;
use bloscpack_format::frame::B2nd;
use bloscpack_format::{Attrs, Format};

use super::layers::{metalayer_values, vlmetalayer_values};
use super::metadata::attributes_of;
use super::{Attributes, DropReason, DroppedAttribute};
use crate::archive::Archive;
use crate::formats::bcolz::{Ctable, LocalDirectory};
use crate::formats::zarr::{Group, open_store};
use crate::peek::format_at;
use crate::{Error, LocalSource, OpenOptions};

impl Attributes {
    /// Reads the attributes of a container: bloscpack metadata, the metalayers of a frame, or the attributes of bcolz or
    /// Zarr.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn of(archive: &Archive<'_>) -> Result<Self, Error> {
        Attributes::of_names(archive, &|_| true)
    }

    /// [`Attributes::of`] with `wanted` names only. Other vlmetalayers are not decompressed.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn of_names(archive: &Archive<'_>, wanted: &dyn Fn(&[u8]) -> bool) -> Result<Self, Error> {
        if archive.frame().is_some() {
            let mut found = Attributes::vlmetalayers(archive, wanted)?;
            found.add_all(Attributes::metalayers(archive, &|name| wanted(name) && !B2nd::is_name(name))?)?;
            return Ok(found);
        }
        let (values, unreadable) = match archive.attrs() {
            Ok(Some(attrs)) => (attrs, Vec::new()),
            Ok(None) => (attributes_of(archive.metadata())?, Vec::new()),
            Err(error) => (Attrs::default(), vec![DroppedAttribute::new("__attrs__", DropReason::unreadable(error)?)?]),
        };
        Ok(Attributes { values: only(values, wanted), unreadable })
    }

    /// Reads the values of the vlmetalayers of a frame.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn vlmetalayers(archive: &Archive<'_>, wanted: &dyn Fn(&[u8]) -> bool) -> Result<Self, Error> {
        let values = |frame| vlmetalayer_values(frame, archive.get_limits(), wanted);
        archive.frame().map_or_else(|| Ok(Attributes::default()), values)
    }

    /// Reads the values of the metalayers of a frame, including the one that describes an array.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn metalayers(archive: &Archive<'_>, wanted: &dyn Fn(&[u8]) -> bool) -> Result<Self, Error> {
        let values = |frame| metalayer_values(frame, archive.get_limits(), wanted);
        archive.frame().map_or_else(|| Ok(Attributes::default()), values)
    }
}

/// Returns the attributes with `wanted` names.
fn only(attrs: Attrs, wanted: &dyn Fn(&[u8]) -> bool) -> Attrs {
    let mut members = attrs.into_members();
    members.retain(|(name, _)| wanted(name.as_bytes()));
    Attrs::from_members(members)
}

/// Reads the attributes of the container at `path`, or of the column that the options name. With `name`, only that
/// attribute is returned, if it exists.
///
/// # Errors
/// [`Error::Unsupported`] for formats without attributes; the errors of opening the container.
pub fn read_attributes(path: impl AsRef<Path>, name: Option<&str>, options: &OpenOptions) -> Result<Attributes, Error> {
    read_attributes_path(path.as_ref(), name, options)
}

fn read_attributes_path(path: &Path, name: Option<&str>, options: &OpenOptions) -> Result<Attributes, Error> {
    let wanted = |found: &[u8]| name.is_none_or(|name| name.as_bytes() == found);
    if options.column.is_none() && path.join(ROOTDIRS_FILE).is_file() {
        let table = Ctable::open_with(LocalDirectory::open(path)?, options)?;
        let values = only(table.attrs()?.try_clone()?, &wanted);
        return Ok(Attributes { values, ..Attributes::default() });
    }
    if options.column.is_none() && format_at(path).ok().flatten() == Some(Format::ZarrGroup) {
        let group = Group::open_with(open_store(path, options)?, options)?;
        let values = only(group.meta().attributes.try_clone()?, &wanted);
        return Ok(Attributes { values, ..Attributes::default() });
    }
    let archive = Archive::open_with(LocalSource::open_with(path, options)?, options)?;
    match archive.format() {
        format @ (Format::Blosc1Chunk | Format::Blosc2Chunk) => Err(Error::Unsupported { format }),
        _ => Attributes::of_names(&archive, &wanted),
    }
}
