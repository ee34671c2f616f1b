//! Sources at URLs: a file, or the directory of a sparse frame, a carray, a ctable, or of Zarr.

use std::io;
use std::sync::Arc;

use blosc_core::Limits;
use bloscpack_format::Format;
use bloscpack_format::bcolz::{SIZES_FILE, STORAGE_FILE};
use bloscpack_format::detect::{detect, detect_directory};

use crate::formats::bcolz::{self, Below, ColumnDirectory};
use crate::formats::zarr::{self, Group, ZipDirectory};
use crate::source::{AnyDirectory, Input, InputKind, Named, ReadAt as _, ReadDirectory as _};
use crate::{Error, OpenOptions, Remote, RemoteDirectory, RemoteFile, RemoteUrl};

/// A file or a directory at a URL.
#[derive(Debug, Clone)]
pub(crate) struct RemoteSource {
    /// The file, or the one that identifies the directory.
    file: RemoteFile,
    kind: RemoteKind,
}

#[derive(Debug, Clone)]
enum RemoteKind {
    File,
    SparseFrame(RemoteDirectory),
    Carray(RemoteDirectory),
    Table(RemoteDirectory),
    /// A Zarr array or group.
    Zarr(RemoteDirectory),
    Column(ColumnDirectory<RemoteDirectory>),
    /// An array in a Zarr group.
    Member(Below<AnyDirectory>),
}

impl RemoteSource {
    pub(crate) fn open(remote: &Remote, url: &RemoteUrl) -> Result<RemoteSource, Error> {
        use io::ErrorKind::{NotFound, PermissionDenied};
        let refuse = |error: io::Error| match error.downcast::<Error>() {
            Ok(ours) => ours,
            Err(error) => Error::io("opening")(error).in_file(url.to_string()),
        };
        if let Some((format, name)) = remote.recognised(url) {
            let file = remote.directory(url).locate(&name).and_then(|url| remote.open(&url)).map_err(refuse)?;
            return RemoteSource::of_directory(remote, url, format, file);
        }
        if url.is_directory_name() {
            return RemoteSource::directory(remote, url)?.ok_or_else(|| refuse(NotFound.into()));
        }
        match remote.open(url) {
            // A server that redirects to the name with a slash shows a page about the directory.
            Ok(file) if file.is_redirected_to_directory() && !is_known(&file).map_err(refuse)? => {
                let found = RemoteSource::directory(remote, url)?;
                Ok(found.unwrap_or(RemoteSource { file, kind: RemoteKind::File }))
            }
            Ok(file) => Ok(RemoteSource { file, kind: RemoteKind::File }),
            // S3 denies access to objects that do not exist if the bucket must not be listed.
            Err(error) if matches!(error.kind(), NotFound | PermissionDenied) => {
                RemoteSource::directory(remote, url)?.ok_or_else(|| refuse(error))
            }
            Err(error) => Err(refuse(error)),
        }
    }

    /// Opens a directory by the file that identifies it, `None` if there is none.
    fn directory(remote: &Remote, url: &RemoteUrl) -> Result<Option<RemoteSource>, Error> {
        use io::ErrorKind::{NotFound, PermissionDenied};
        let directory = remote.directory(url);
        let (mut found, mut failed) = (None, None);
        let mut has = |name: &str| {
            let opened = directory.locate(name).and_then(|url| remote.open(&url));
            match opened {
                Ok(file) => found = Some((name.to_owned(), file)),
                Err(error) if matches!(error.kind(), NotFound | PermissionDenied) => {}
                Err(error) => _ = failed.get_or_insert((name.to_owned(), error)),
            }
            found.is_some() || failed.is_some()
        };
        let format = detect_directory(&mut has);
        if let Some((name, error)) = failed {
            return Err(Error::io("opening")(error).in_file(directory.name(&name)));
        }
        let (Some(format), Some((name, file))) = (format, found) else { return Ok(None) };
        remote.remember(url, format, &name);
        RemoteSource::of_directory(remote, url, format, file).map(Some)
    }

    /// Returns the directory of a format that `file` identifies.
    fn of_directory(
        remote: &Remote,
        url: &RemoteUrl,
        format: Format,
        mut file: RemoteFile,
    ) -> Result<RemoteSource, Error> {
        let directory = remote.directory(url);
        let kind = match format {
            Format::SparseFrame => RemoteKind::SparseFrame(directory),
            Format::Carray => RemoteKind::Carray(directory),
            Format::Ctable => RemoteKind::Table(directory),
            Format::ZarrArray | Format::ZarrGroup => RemoteKind::Zarr(directory),
            format => return Err(Error::Unsupported { format }),
        };
        // As for local directories, the size of a carray is that of this file.
        if let RemoteKind::Carray(directory) = &kind {
            let named =
                [STORAGE_FILE, SIZES_FILE].into_iter().find_map(|name| remote.open(&directory.locate(name).ok()?).ok());
            file = named.unwrap_or(file);
        }
        Ok(RemoteSource { file, kind })
    }

    pub(crate) fn file(&self) -> &RemoteFile {
        &self.file
    }

    pub(crate) fn is_directory(&self) -> bool {
        !matches!(self.kind, RemoteKind::File)
    }

    pub(crate) fn table(&self) -> Option<&RemoteDirectory> {
        if let RemoteKind::Table(directory) = &self.kind { Some(directory) } else { None }
    }

    pub(crate) fn carray(&self) -> Option<&RemoteDirectory> {
        if let RemoteKind::Carray(directory) = &self.kind { Some(directory) } else { None }
    }

    /// The store, if it is that of a Zarr array or group, or a zip archive. The content is not examined.
    pub(crate) fn zarr_store(&self, options: &OpenOptions) -> Result<Option<AnyDirectory>, Error> {
        match &self.kind {
            RemoteKind::Zarr(directory) => Ok(Some(Arc::new(directory.clone()))),
            RemoteKind::File => ZipDirectory::if_zip(self.file.clone(), options),
            _ => Ok(None),
        }
    }

    pub(crate) fn into_column(self, name: &str, limits: &Limits) -> Result<RemoteSource, Error> {
        let options = OpenOptions { limits: *limits, ..OpenOptions::new() };
        if let Some(store) = self.zarr_store(&options)?
            && zarr::format_of(&store, limits)? == Some(Format::ZarrGroup)
        {
            let member = Group::open_with(store, &options)?.array(name)?;
            return Ok(RemoteSource { file: self.file, kind: RemoteKind::Member(member) });
        }
        match self.kind {
            RemoteKind::Table(table) => {
                let column = bcolz::column_directory(table, name, limits)?;
                Ok(RemoteSource { file: self.file, kind: RemoteKind::Column(column) })
            }
            _ => Err(Error::NotBcolz { directory: self.file.url().to_string() }),
        }
    }
}

/// Returns whether a file has a known format.
fn is_known(file: &RemoteFile) -> io::Result<bool> {
    Ok(detect(&crate::peek::prefix(file, bloscpack_format::detect::PREFIX_LEN)?, Some(file.len()?)).is_some())
}

impl From<RemoteSource> for Input<'_> {
    fn from(RemoteSource { file, kind }: RemoteSource) -> Self {
        match kind {
            RemoteKind::File => file.into(),
            RemoteKind::SparseFrame(directory) => Input::sparse_frame(file, Named(directory)),
            RemoteKind::Carray(directory) => Input::directory(directory),
            RemoteKind::Table(_) => Input(InputKind::Table),
            RemoteKind::Zarr(directory) => Input(InputKind::Zarr(Box::new(directory))),
            RemoteKind::Column(directory) => Input::directory(directory),
            RemoteKind::Member(directory) => Input(InputKind::Zarr(Box::new(directory))),
        }
    }
}

/// Clones share the open files.
impl<'a> From<&'a RemoteSource> for Input<'a> {
    fn from(source: &'a RemoteSource) -> Self {
        source.clone().into()
    }
}
