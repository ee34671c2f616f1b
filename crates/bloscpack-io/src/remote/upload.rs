//! Files and directories as outputs in an object store.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;

use super::several::several;
use super::url::Kind;
use super::{Remote, RemoteDirectory, RemoteUrl, objects};
use crate::Error;
use crate::source::ReadAt as _;

/// Maximum size of an object that is written from memory.
const IN_MEMORY: u64 = 8 << 20;

impl Remote {
    /// Refuses a URL that cannot be written: one that is not of S3, and an existing object unless `overwrite` is set.
    ///
    /// # Errors
    /// [`Error::OutputExists`]; [`Error::InFile`] with the URL.
    pub fn check_output(&self, url: &RemoteUrl, overwrite: bool) -> Result<(), Error> {
        let Kind::S3 { key, .. } = &url.0 else {
            return Err(in_url(url, io::Error::new(ErrorKind::Unsupported, "only s3:// can be written to")));
        };
        if key.is_empty() {
            return Err(in_url(
                url,
                io::Error::new(ErrorKind::InvalidInput, "it names a bucket, expected s3://bucket/key"),
            ));
        }
        if overwrite {
            return Ok(());
        }
        match objects::exists(&self.client, url) {
            Ok(Some(_)) => Err(Error::OutputExists(PathBuf::from(url.to_string()))),
            Ok(None) => Ok(()),
            // Keys that may write need not be allowed to read. Then the condition of the upload decides.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
            Err(error) => Err(in_url(url, error)),
        }
    }

    /// Writes a file to an object, in parts if it is large. The object appears when it is complete; a failure or the
    /// cancel flag removes the parts. Without `overwrite`, an object that exists by then is not replaced.
    ///
    /// # Errors
    /// As [`Remote::check_output`].
    pub fn upload_file(&self, path: impl AsRef<Path>, url: &RemoteUrl, overwrite: bool) -> Result<(), Error> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|error| Error::file("opening", path, error))?;
        let written = match url.is_s3() {
            true => objects::put_file(&self.client, url, &file, overwrite),
            false => Err(io::Error::new(ErrorKind::Unsupported, "only s3:// can be written to")),
        };
        written.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Error::OutputExists(PathBuf::from(url.to_string())),
            _ => in_url(url, error),
        })
    }

    /// Writes the files of a directory to the objects below a URL, several at once, and those with metadata last, so
    /// that no reader finds a container before it is complete. There must be no objects yet: those that the new ones
    /// do not replace would become part of the container.
    ///
    /// # Errors
    /// As [`Remote::check_output`]. Objects that were written before a failure stay.
    pub fn upload_directory(&self, path: impl AsRef<Path>, url: &RemoteUrl) -> Result<(), Error> {
        let path = path.as_ref();
        let files = files_below(path).map_err(|error| Error::file("listing", path, error))?;
        self.expect_empty(url)?;
        let (mut last, first): (Vec<_>, Vec<_>) = files.into_iter().partition(|name| is_metadata(name));
        last.sort_by_key(|name| std::cmp::Reverse(name.matches('/').count()));
        let store = self.directory(url);
        let put = |name: &String| self.put_below(&store, path, name);
        let (next, failed) = (Mutex::new(first.iter()), Mutex::new(None));
        several(first.len().min(self.client.options.connections), || {
            let take = || next.lock().unwrap_or_else(PoisonError::into_inner).next();
            while let Some(name) = take() {
                if let Err(error) = put(name) {
                    *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    // The others stop, too.
                    while take().is_some() {}
                }
            }
        });
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(in_url(url, error));
        }
        last.iter().try_for_each(put).map_err(|error| in_url(url, error))
    }

    /// Refuses a URL that cannot be written as a directory: one that is not of S3, or below which there are objects.
    ///
    /// # Errors
    /// As [`Remote::check_output`].
    pub fn check_output_directory(&self, url: &RemoteUrl) -> Result<(), Error> {
        self.check_output(url, true)?;
        self.expect_empty(url)
    }

    fn expect_empty(&self, url: &RemoteUrl) -> Result<(), Error> {
        let found = objects::list(&self.client, url).map_err(|error| in_url(url, error))?;
        match found.files.is_empty() && found.directories.is_empty() {
            true => Ok(()),
            false => Err(Error::OutputExists(PathBuf::from(url.to_string()))),
        }
    }

    fn put_below(&self, store: &RemoteDirectory, root: &Path, name: &str) -> io::Result<()> {
        let file = File::open(root.join(name))?;
        let len = file.len()?;
        if len > IN_MEMORY {
            return objects::put_file(&self.client, &store.url().below(name), &file, true);
        }
        let mut bytes = blosc_core::memory::zeroed(len as usize)?;
        file.read_exact_at(0, &mut bytes)?;
        store.put(name, &bytes)
    }
}

impl RemoteDirectory {
    /// Writes an object. A reader sees all of it or nothing.
    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let url = self.locate(name)?;
        match url.is_s3() {
            true => objects::put(self.client(), &url, bytes, true),
            false => Err(io::Error::new(ErrorKind::Unsupported, "only s3:// can be written to")),
        }
    }
}

fn in_url(url: &RemoteUrl, error: io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(ours) => ours,
        Err(error) => Error::writing(error).in_file(url.to_string()),
    }
}

/// Returns the names of the regular files below a directory, with `/` between their parts.
fn files_below(root: &Path) -> io::Result<Vec<String>> {
    let (mut files, mut directories) = (Vec::new(), vec![(root.to_owned(), String::new())]);
    while let Some((directory, prefix)) = directories.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let name =
                entry.file_name().into_string().map_err(|_| io::Error::other("the name of a file is not text"))?;
            let (kind, name) = (entry.file_type()?, format!("{prefix}{name}"));
            if kind.is_dir() {
                directories.push((entry.path(), format!("{name}/")));
            } else if kind.is_file() {
                files.push(name);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Returns whether readers identify a container by this file.
fn is_metadata(name: &str) -> bool {
    let (parent, name) = name.rsplit_once('/').unwrap_or(("", name));
    let names = ["zarr.json", "__rootdirs__", "__attrs__", bloscpack_format::frame::sframe::INDEX_FILE];
    names.contains(&name) || name.starts_with(".z") || parent == "meta" || parent.ends_with("/meta")
}
