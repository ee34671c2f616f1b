//! Sets or removes one attribute. A process that is killed meanwhile leaves the old container or the new one.

use std::fs::File;
use std::path::Path;

use blosc_core::{Limits, OutOfMemory, memory};
use bloscpack_format::bcolz::ROOTDIRS_FILE;
use bloscpack_format::detect::PREFIX_LEN;
use bloscpack_format::frame::B2nd;
use bloscpack_format::numpy::NumpyMeta;
use bloscpack_format::{Attrs, Format, FormatError, Json, msgpack};

use super::AttributeRefusal;
use super::layers::name_refused;
use super::metadata::{attributes_of, metadata_of};
use super::rewrite::update_metadata;
use crate::formats::bcolz::{self, CarrayWriter, CtableWriter};
use crate::formats::frame::{FrameStore, FrameWriter};
use crate::peek::{self, format_of, prefix};
use crate::{Error, OpenOptions};

/// A change of one attribute.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AttributeEdit {
    /// Sets the attribute to this value, whether it exists or not.
    Set(Json),
    /// Removes the attribute.
    Remove,
}

/// Sets or removes the attribute `name` of the container at `path`, or of the column of the options. A bloscpack file
/// is replaced atomically if its metadata change. Frames and bcolz directories are changed in place.
///
/// # Errors
/// [`Error::NoSuchAttribute`] if there is none to remove; [`Error::Attribute`] with an [`AttributeRefusal`] for one
/// that cannot be stored or that belongs to the format; [`Error::Unsupported`] for formats without attributes;
/// [`Error::Locked`]; the errors of opening the container. After an error, the container is unchanged.
pub fn edit_attribute(
    path: impl AsRef<Path>,
    name: &str,
    edit: AttributeEdit,
    options: &OpenOptions,
) -> Result<(), Error> {
    fn inner(path: &Path, name: &str, edit: AttributeEdit, options: &OpenOptions) -> Result<(), Error> {
        if let Ok(Some(format @ (Format::ZarrArray | Format::ZarrGroup))) = peek::format_at(path) {
            return Err(Error::Unsupported { format });
        }
        if options.column.is_some() || path.join(ROOTDIRS_FILE).is_file() {
            return of_table(path, name, edit, options);
        }
        if path.is_dir() && bcolz::is_bcolz(path).map_err(|error| Error::file("opening", path, error))? {
            return of_carray(path, name, edit, options);
        }
        match format_at(path)? {
            Format::Bloscpack { .. } => of_bloscpack(path, name, edit, options.limits),
            Format::Blosc2Frame => of_frame(&mut FrameWriter::open_with(path, options)?, name, edit),
            format => Err(Error::Unsupported { format }),
        }
    }
    inner(path.as_ref(), name, edit, options)
}

/// Returns the format of a file, or of a directory that is not a bcolz directory.
fn format_at(path: &Path) -> Result<Format, Error> {
    if path.is_dir() {
        return Ok(Format::Blosc2Frame);
    }
    let reading = |error| Error::file("reading", path, error);
    let file = File::open(path).map_err(|error| Error::file("opening", path, error))?;
    match format_of(&file).map_err(reading)? {
        Some(format) => Ok(format),
        None => Err(Error::Unrecognised { found: prefix(&file, PREFIX_LEN).map_err(reading)? }),
    }
}

fn of_bloscpack(path: &Path, name: &str, edit: AttributeEdit, limits: Limits) -> Result<(), Error> {
    update_metadata(path, limits, |old| {
        let array = match old.map(NumpyMeta::from_json) {
            Some(Err(error @ FormatError::OutOfMemory(_))) => return Err(error.into()),
            array => array.and_then(Result::ok),
        };
        if array.is_some() && NumpyMeta::KEYS.contains(&name) {
            return Err(refuse(name, AttributeRefusal::OfArray));
        }
        let mut attrs = attributes_of(old)?;
        change(&mut attrs, name, edit)?;
        let (new, dropped) = metadata_of(attrs, array.as_ref())?;
        match dropped.into_iter().next() {
            Some(dropped) => Err(refuse(&dropped.name, AttributeRefusal::NotStored(dropped.reason))),
            None => Ok(new.unwrap_or_else(|| Json::Object(Vec::new()))),
        }
    })
}

fn of_frame<S: FrameStore>(writer: &mut FrameWriter<S>, name: &str, edit: AttributeEdit) -> Result<(), Error> {
    let frame = writer.frame()?;
    let is_vl = frame.trailer.vlmetalayers.get(name).is_some();
    let fixed = frame.header.metalayers.get(name).filter(|_| !is_vl).map(<[u8]>::len);
    match (edit, fixed) {
        (_, Some(_)) if B2nd::is_name(name.as_bytes()) => {
            return Err(refuse(name, AttributeRefusal::ArrayMetalayer));
        }
        (AttributeEdit::Remove, Some(_)) => {
            return Err(refuse(name, AttributeRefusal::FixedMetalayer));
        }
        (AttributeEdit::Set(value), Some(room)) => {
            let content = msgpack::content_of(&value)?;
            if content.len() != room {
                let refusal = AttributeRefusal::MetalayerSize { found: content.len(), expected: room };
                return Err(refuse(name, refusal));
            }
            writer.update_metalayer(name, &content)?;
        }
        (AttributeEdit::Set(value), None) => {
            if let Some(reason) = name_refused(name) {
                return Err(refuse(name, AttributeRefusal::NotStored(reason)));
            }
            writer.set_vlmetalayer(name, &msgpack::content_of(&value)?)?;
        }
        (AttributeEdit::Remove, None) if is_vl => writer.remove_vlmetalayer(name)?,
        (AttributeEdit::Remove, None) => {
            let vl = frame.trailer.vlmetalayers.iter();
            return Err(missing(name, vl.map(|layer| layer.name_lossy()))?);
        }
    }
    writer.commit()
}

fn of_carray(path: &Path, name: &str, edit: AttributeEdit, options: &OpenOptions) -> Result<(), Error> {
    let mut writer = CarrayWriter::open_with(path, options)?;
    let mut attrs = writer.attrs()?.try_clone()?;
    change(&mut attrs, name, edit)?;
    writer.set_attrs(attrs);
    writer.flush()
}

fn of_table(path: &Path, name: &str, edit: AttributeEdit, options: &OpenOptions) -> Result<(), Error> {
    let mut writer = CtableWriter::open_with(path, options)?;
    match &options.column {
        None => {
            let mut attrs = writer.attrs()?.try_clone()?;
            change(&mut attrs, name, edit)?;
            writer.set_attrs(attrs);
        }
        Some(column) => {
            let mut attrs = writer.column_attrs(column)?.try_clone()?;
            change(&mut attrs, name, edit)?;
            writer.set_column_attrs(column, attrs)?;
        }
    }
    writer.flush()
}

fn change(attrs: &mut Attrs, name: &str, edit: AttributeEdit) -> Result<(), Error> {
    match edit {
        AttributeEdit::Set(value) => drop(attrs.set(name, value)?),
        AttributeEdit::Remove if attrs.remove(name).is_some() => {}
        AttributeEdit::Remove => {
            return Err(missing(name, attrs.iter().map(|(name, _)| name))?);
        }
    }
    Ok(())
}

fn refuse(name: &str, source: AttributeRefusal) -> Error {
    Error::Attribute { name: name.into(), source: source.into() }
}

/// Returns the error for a missing attribute, with the `names` of the existing ones.
fn missing(name: &str, names: impl Iterator<Item = impl AsRef<str>>) -> Result<Error, OutOfMemory> {
    let names = memory::try_collect(names.map(|name| memory::text_of(name.as_ref())))?;
    Ok(Error::NoSuchAttribute { name: name.into(), names })
}
