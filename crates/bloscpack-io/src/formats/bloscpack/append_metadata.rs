//! The metadata of a bloscpack file after appending, from those of the locked file.

use bloscpack_format::Json;
use bloscpack_format::bloscpack::{MetadataRewrite, MetadataSection};
use bloscpack_format::numpy::{NumpyMeta, Order};

use crate::error::ArrayRefusal;
use crate::{AppendOptions, Archive, Error};

/// A change of the metadata. It is applied while the file is locked, so that concurrent writers lose nothing.
pub(super) enum NewMetadata<'a> {
    Unchanged,
    /// These metadata replace the old ones.
    Replaced(&'a Json, MetadataRewrite),
    /// The array grows by rows, which take this number of bytes.
    Grown {
        rows: u64,
        nbytes: u64,
    },
}

impl<'a> NewMetadata<'a> {
    pub(super) fn of(options: &'a AppendOptions) -> Self {
        let new = options.metadata.as_ref();
        new.map_or(NewMetadata::Unchanged, |new| NewMetadata::Replaced(new, MetadataRewrite::default()))
    }

    /// Returns the section that replaces that of the file, `None` if it stays.
    pub(super) fn section(&self, archive: &Archive<'_>) -> Result<Option<MetadataSection>, Error> {
        match self {
            NewMetadata::Unchanged => Ok(None),
            NewMetadata::Replaced(metadata, changes) => {
                let Some(section) = archive.metadata_section() else { return Err(Error::NoMetadataFound) };
                if archive.metadata().is_some_and(|old| old.same_value(metadata)) {
                    return Err(Error::NoChangeInMetadata);
                }
                Ok(Some(section.rewrite(metadata, changes)?))
            }
            NewMetadata::Grown { rows, nbytes } => {
                let (Some(section), Some(meta)) = (archive.metadata_section(), archive.numpy()) else {
                    return Err(Error::NoMetadataFound);
                };
                check_size(meta, archive.nbytes())?;
                check_rows(meta, *rows, *nbytes)?;
                let Some(metadata) = grown(archive.metadata(), meta, *rows)? else { return Ok(None) };
                Ok(Some(section.rewrite(&metadata, &MetadataRewrite::default())?))
            }
        }
    }
}

/// Checks that the items of an array are all bytes of the file. Rows after other bytes would be misplaced.
fn check_size(meta: &NumpyMeta, found: u64) -> Result<(), Error> {
    match meta.nbytes() {
        Some(expected) if expected == found => Ok(()),
        expected => Err(Error::not_an_array(ArrayRefusal::Size { found, expected })),
    }
}

/// Checks that an array can grow by rows at its end, and that `rows` of them take `nbytes` bytes.
fn check_rows(meta: &NumpyMeta, rows: u64, nbytes: u64) -> Result<(), Error> {
    match (meta.shape.len(), meta.order) {
        (0, _) => return Err(Error::not_an_array(ArrayRefusal::NoRows)),
        (2.., Order::F) => return Err(Error::not_an_array(ArrayRefusal::FortranOrder)),
        _ => {}
    }
    let atomsize = meta.row_nbytes();
    match atomsize.checked_mul(rows) {
        Some(expected) if expected == nbytes => Ok(()),
        _ => Err(Error::NotRows { found: nbytes, atomsize, rows: Some(rows) }),
    }
}

/// Returns the metadata of an array with `rows` more rows. Other members stay. `None` for no rows.
fn grown(old: Option<&Json>, meta: &NumpyMeta, rows: u64) -> Result<Option<Json>, Error> {
    let Some(old) = old.filter(|_| rows > 0) else { return Ok(None) };
    let Json::Object(mut members) = old.try_clone()? else { return Ok(None) };
    let mut shape = meta.shape.clone();
    shape.iter_mut().take(1).for_each(|first| *first = first.saturating_add(rows));
    let Json::Object(new) = (NumpyMeta { shape, ..meta.clone() }).to_json()? else { return Ok(None) };
    for (name, value) in &mut members {
        if let Some((_, new)) = new.iter().find(|(new, _)| new == name) {
            *value = new.try_clone()?;
        }
    }
    Ok(Some(Json::Object(members)))
}
