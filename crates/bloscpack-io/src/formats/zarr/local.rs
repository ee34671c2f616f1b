//! Arrays and groups on the file system.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use bloscpack_format::Format;
use bloscpack_format::zarr::{ZARR_JSON_FILE, ZARRAY_FILE, ZGROUP_FILE};

use super::group::Group;
use super::zip::{ZipDirectory, is_zip};
use crate::formats::bcolz::{Below, LocalDirectory};
use crate::source::{Input, ReadAt, ReadDirectory};
use crate::{Error, OpenOptions};

/// An array or group in a directory, or an array in a group.
#[derive(Debug)]
pub(crate) enum LocalZarr {
    /// The directory of an array or of a group.
    Directory(LocalDirectory),
    /// The array in a group, and the path of the group.
    Member(Below<LocalDirectory>, PathBuf),
    /// The array in a group in a zip archive, and the path of the archive.
    Zipped(Below<ZipDirectory<File>>, PathBuf),
}

impl LocalZarr {
    /// Opens a directory. Also returns the file with its metadata.
    pub(crate) fn open(path: &Path) -> Result<(File, LocalZarr), Error> {
        let names = [ZARR_JSON_FILE, ZARRAY_FILE, ZGROUP_FILE];
        let name = names.into_iter().find(|name| path.join(name).is_file()).unwrap_or(ZARR_JSON_FILE);
        let file = path.join(name);
        let file = File::open(&file).map_err(|error| Error::file("opening", &file, error))?;
        Ok((file, LocalZarr::Directory(LocalDirectory::open(path)?)))
    }

    /// Opens an array by its path in a group, which is in a directory or a zip archive. Also returns a file of the
    /// store. `None` if the path is neither a directory nor a zip archive.
    pub(crate) fn open_member(
        path: &Path,
        name: &str,
        options: &OpenOptions,
    ) -> Result<Option<(File, LocalZarr)>, Error> {
        if path.is_dir() {
            let dir = LocalDirectory::open(path)?;
            if super::format_of(&dir, &options.limits)? != Some(Format::ZarrGroup) {
                return Ok(None);
            }
            let (file, _) = LocalZarr::open(path)?;
            let member = Group::open_with(dir, options)?.array(name)?;
            return Ok(Some((file, LocalZarr::Member(member, path.to_owned()))));
        }
        let opening = |error| Error::file("opening", path, error);
        if !fs::metadata(path).map_err(opening)?.is_file() {
            return Ok(None);
        }
        let file = File::open(path).map_err(opening)?;
        let mut start = [0; 4];
        if file.read_exact_at(0, &mut start).is_err() || !is_zip(&start) {
            return Ok(None);
        }
        let named = |error: Error| error.in_file(path.display().to_string());
        let archive = ZipDirectory::open_with(file.try_clone().map_err(opening)?, options).map_err(named)?;
        if super::format_of(&archive, &options.limits)? != Some(Format::ZarrGroup) {
            return Ok(None);
        }
        let member = Group::open_with(archive, options)?.array(name)?;
        Ok(Some((file, LocalZarr::Zipped(member, path.to_owned()))))
    }

    /// Returns the path of the directory or archive that was opened.
    pub(crate) fn path(&self) -> &Path {
        match self {
            LocalZarr::Directory(directory) => directory.root(),
            LocalZarr::Member(_, path) | LocalZarr::Zipped(_, path) => path,
        }
    }

    pub(crate) fn into_input<'a>(self) -> Input<'a> {
        match self {
            LocalZarr::Directory(directory) => Input::directory(directory),
            LocalZarr::Member(member, _) => Input::directory(member),
            LocalZarr::Zipped(member, _) => Input::directory(member),
        }
    }

    pub(crate) fn input(&self) -> Input<'_> {
        match self {
            LocalZarr::Directory(directory) => Input::directory(directory),
            LocalZarr::Member(member, _) => Input::directory(member),
            LocalZarr::Zipped(member, _) => Input::directory(member),
        }
    }
}

/// Opens the directory or the zip archive at a path as a store, for [`Group::open`].
///
/// # Errors
/// [`Error::File`]; as [`ZipDirectory::open`] for a file.
pub fn open_store(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Box<dyn ReadDirectory>, Error> {
    fn inner(path: &Path, options: &OpenOptions) -> Result<Box<dyn ReadDirectory>, Error> {
        if path.is_dir() {
            return Ok(Box::new(LocalDirectory::open(path)?));
        }
        let file = File::open(path).map_err(|error| Error::file("opening", path, error))?;
        let archive = ZipDirectory::open_with(file, options);
        Ok(Box::new(archive.map_err(|error| error.in_file(path.display().to_string()))?))
    }
    inner(path.as_ref(), options)
}
