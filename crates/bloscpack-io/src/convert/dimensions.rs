//! The names of the axes of a Zarr array. Version 3 stores them in its metadata. Version 2 and all other formats have them
//! in an attribute, as xarray does.

use bloscpack_format::zarr::{ArrayMeta, Version};
use bloscpack_format::{Attrs, Json};

use crate::{Archive, Error};

/// The attribute by which xarray names the axes.
const ATTRIBUTE: &str = "_ARRAY_DIMENSIONS";

/// Sets the attributes of a new Zarr array, and the names of its axes.
pub(super) fn set(meta: &mut ArrayMeta, mut attributes: Attrs, archive: &Archive<'_>) -> Result<(), Error> {
    match meta.version {
        Version::V3 => {
            let old = of_metadata(archive).filter(|names| names.len() == meta.ndim());
            meta.dimension_names = old.map(<[_]>::to_vec).or_else(|| of_attributes(&attributes, meta.ndim()));
        }
        Version::V2 => add_to(&mut attributes, archive)?,
    }
    meta.attributes = attributes;
    Ok(())
}

/// Adds the names of the axes of a Zarr array to its attributes, unless they have them. An attribute names all axes or none.
pub(super) fn add_to(attributes: &mut Attrs, archive: &Archive<'_>) -> Result<(), Error> {
    let Some(names) = of_metadata(archive).filter(|_| attributes.get(ATTRIBUTE).is_none()) else { return Ok(()) };
    let names: Option<Vec<Json>> = names.iter().map(|name| Some(name.as_deref()?.into())).collect();
    if let Some(names) = names {
        attributes.set(ATTRIBUTE, Json::Array(names))?;
    }
    Ok(())
}

/// Returns the names in the metadata of a Zarr array.
fn of_metadata<'a>(archive: &'a Archive<'_>) -> Option<&'a [Option<String>]> {
    archive.zarr()?.dimension_names.as_deref()
}

/// Returns the names of the axes, if the attributes have one for each axis.
fn of_attributes(attributes: &Attrs, ndim: usize) -> Option<Vec<Option<String>>> {
    let names = attributes.get(ATTRIBUTE)?.as_array()?;
    let names: Vec<_> = names.iter().map(|name| name.as_str().map(str::to_owned)).collect();
    (names.len() == ndim && names.iter().all(Option::is_some)).then_some(names)
}
