//! A directory of files at a URL.

use std::io::{self, ErrorKind};

use super::{Remote, RemoteUrl, objects};
use crate::source::{ReadAt, ReadDirectory, shown};

/// A directory at a URL, from [`Remote::directory`]. S3 lists the objects below the URL; HTTP has no lists.
#[derive(Debug, Clone)]
pub struct RemoteDirectory {
    remote: Remote,
    url: RemoteUrl,
}

impl Remote {
    /// Returns a directory. Nothing is sent.
    #[must_use]
    pub fn directory(&self, url: &RemoteUrl) -> RemoteDirectory {
        RemoteDirectory { remote: self.clone(), url: url.clone() }
    }
}

impl RemoteDirectory {
    /// Returns the URL.
    #[must_use]
    pub fn url(&self) -> &RemoteUrl {
        &self.url
    }

    #[cfg(feature = "write")]
    pub(super) fn client(&self) -> &super::client::Client {
        &self.remote.client
    }

    /// Returns the URL of a file. Names come from files, so paths that lead elsewhere are refused.
    pub(crate) fn locate(&self, path: &str) -> io::Result<RemoteUrl> {
        let is_name = |name: &str| !matches!(name, "" | "." | "..") && !name.contains(['\\', '\0']);
        if !path.is_empty() && !path.split('/').all(is_name) {
            return Err(io::Error::new(ErrorKind::PermissionDenied, "the path leads out of the directory"));
        }
        Ok(self.url.below(path))
    }
}

impl ReadDirectory for RemoteDirectory {
    fn open(&self, path: &str) -> io::Result<Box<dyn ReadAt + '_>> {
        Ok(Box::new(self.remote.open(&self.locate(path)?)?))
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        Ok(self.list_sizes(path)?.into_iter().map(|(name, _)| name).collect())
    }

    fn list_sizes(&self, path: &str) -> io::Result<Vec<(String, Option<u64>)>> {
        if !self.url.is_s3() {
            return Err(io::Error::new(ErrorKind::Unsupported, "a directory cannot be listed over HTTP"));
        }
        let objects::Names { mut files, directories, .. } = objects::list(&self.remote.client, &self.locate(path)?)?;
        files.extend(directories.into_iter().map(|name| (name, None)));
        if files.is_empty() { Err(ErrorKind::NotFound.into()) } else { Ok(files) }
    }

    fn name(&self, path: &str) -> String {
        if path.is_empty() {
            self.url.to_string()
        } else {
            format!("{}/{}", self.url.to_string().trim_end_matches('/'), shown(path))
        }
    }

    fn request_cost(&self) -> Option<usize> {
        Some(self.remote.client.options.request_cost)
    }
}
