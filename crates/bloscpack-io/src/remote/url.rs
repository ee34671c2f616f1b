//! URLs of sources and sinks, and their names without secrets.

use std::fmt;
use std::str::FromStr;

use ureq::http::Uri;

use crate::source::percent::{decode, encode};

/// The URL of a file or directory: `http://`, `https://` or `s3://bucket/key`.
///
/// It displays without secrets: without user and password, and without the values of query parameters.
///
/// ```
/// use bloscpack_io::RemoteUrl;
/// let url: RemoteUrl = "https://me:secret@example.org/x.b2nd?X-Amz-Signature=42&part=1".parse()?;
/// assert_eq!(url.to_string(), "https://example.org/x.b2nd?X-Amz-Signature=…&part=…");
/// # Ok::<(), bloscpack_io::InvalidUrl>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RemoteUrl(pub(super) Kind);

/// The schemes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Http {
        uri: Uri,
        /// `user:password`, decoded.
        user: Option<String>,
    },
    S3 {
        bucket: String,
        key: String,
    },
}

/// A name that is not a URL of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidUrl(&'static str);

impl RemoteUrl {
    /// Returns whether a name starts with a scheme of these URLs.
    #[must_use]
    pub fn is_url(name: &str) -> bool {
        ["http://", "https://", "s3://"].iter().any(|scheme| has_scheme(name, scheme))
    }

    /// Returns whether the URL has the scheme `s3`, whose objects can be written.
    #[must_use]
    pub fn is_s3(&self) -> bool {
        matches!(self.0, Kind::S3 { .. })
    }

    /// Returns the path, or the key of an object, decoded as far as it is text. A query is not part of it.
    #[must_use]
    pub fn path(&self) -> String {
        match &self.0 {
            Kind::Http { uri, .. } => decode(uri.path(), false),
            Kind::S3 { key, .. } => key.clone(),
        }
    }

    /// Returns the last name in the path.
    #[must_use]
    pub fn file_name(&self) -> String {
        self.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned()
    }

    /// Returns whether the path ends with `/`, as those of directories do.
    #[must_use]
    pub fn is_directory_name(&self) -> bool {
        let path = self.path();
        path.is_empty() || path.ends_with('/')
    }

    /// Returns the URL of a file below this one. The query stays.
    pub(crate) fn below(&self, path: &str) -> RemoteUrl {
        let joined = |base: &str, path: &str| match base.trim_end_matches('/') {
            "" if path.is_empty() => base.to_owned(),
            base if path.is_empty() => base.to_owned(),
            base => format!("{base}/{path}"),
        };
        RemoteUrl(match &self.0 {
            Kind::S3 { bucket, key } => {
                let key = joined(key, path);
                Kind::S3 { bucket: bucket.clone(), key: key.strip_prefix('/').map(str::to_owned).unwrap_or(key) }
            }
            Kind::Http { uri, user } => {
                let path = joined(uri.path(), &encode(path, true));
                let query = uri.query().map_or(String::new(), |query| format!("?{query}"));
                let mut parts = uri.clone().into_parts();
                parts.path_and_query = format!("{path}{query}").parse().ok().or(parts.path_and_query);
                Kind::Http { uri: Uri::from_parts(parts).unwrap_or_else(|_| uri.clone()), user: user.clone() }
            }
        })
    }
}

impl FromStr for RemoteUrl {
    type Err = InvalidUrl;

    fn from_str(name: &str) -> Result<Self, InvalidUrl> {
        if has_scheme(name, "s3://") {
            return s3(name.get(5..).unwrap_or_default());
        }
        if !RemoteUrl::is_url(name) {
            return Err(InvalidUrl("expected http://, https:// or s3://"));
        }
        // A fragment never leaves the client.
        let name = name.split('#').next().unwrap_or_default();
        let uri: Uri = name.parse().map_err(|_| InvalidUrl("it has characters that must be percent-encoded"))?;
        let authority = uri.authority().ok_or(InvalidUrl("it has no host"))?;
        if uri.host().is_none_or(str::is_empty) {
            return Err(InvalidUrl("it has no host"));
        }
        let (user, host) = match authority.as_str().rsplit_once('@') {
            Some((user, host)) => (Some(decode(user, false)), host.to_owned()),
            None => (None, authority.as_str().to_owned()),
        };
        let mut parts = uri.clone().into_parts();
        parts.authority = Some(host.parse().map_err(|_| InvalidUrl("its host is invalid"))?);
        let uri = Uri::from_parts(parts).map_err(|_| InvalidUrl("it has no path"))?;
        Ok(RemoteUrl(Kind::Http { uri, user }))
    }
}

fn s3(name: &str) -> Result<RemoteUrl, InvalidUrl> {
    let (bucket, key) = name.split_once('/').unwrap_or((name, ""));
    let is_name = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    if bucket.is_empty() || !bucket.chars().all(is_name) || bucket.starts_with('.') {
        return Err(InvalidUrl("expected s3://bucket/key"));
    }
    // The path of a URL cannot hold these: a client or a server removes them.
    if key.split('/').any(|name| matches!(name, "." | "..")) {
        return Err(InvalidUrl("a key cannot have '.' or '..' as a name"));
    }
    Ok(RemoteUrl(Kind::S3 { bucket: bucket.into(), key: key.into() }))
}

fn has_scheme(name: &str, scheme: &str) -> bool {
    name.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
}

/// A URI without the values in its query, which may be secrets.
pub(super) fn shown(uri: &Uri) -> String {
    let names = uri.query().map(|query| {
        let names = query.split('&').map(|pair| match pair.split_once('=') {
            Some((name, _)) => format!("{name}=…"),
            None => "…".into(),
        });
        format!("?{}", names.collect::<Vec<_>>().join("&"))
    });
    let authority = uri.authority().map_or("", |found| found.as_str());
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{}://{host}{}{}", uri.scheme_str().unwrap_or_default(), uri.path(), names.unwrap_or_default())
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Http { uri, .. } => f.write_str(&shown(uri)),
            Kind::S3 { bucket, key } => write!(f, "s3://{bucket}/{}", crate::source::shown(key)),
        }
    }
}

/// Without secrets, like `Display`.
impl fmt::Debug for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for InvalidUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid URL: {}", self.0)
    }
}

impl std::error::Error for InvalidUrl {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn url(text: &str) -> RemoteUrl {
        text.parse().unwrap()
    }

    #[test]
    fn secrets_are_not_shown() {
        let found = url("https://u:p%40@h:81/a%20b?X-Amz-Signature=s&x#f");
        assert_eq!(found.to_string(), "https://h:81/a%20b?X-Amz-Signature=…&…");
        assert_eq!(format!("{found:?}"), found.to_string());
        assert!(matches!(&found.0, Kind::Http { user: Some(user), .. } if user == "u:p@"));
        assert_eq!((found.path(), found.file_name()), ("/a b".into(), "a b".into()));
    }

    #[test]
    fn files_below_keep_the_query() {
        assert_eq!(url("http://h/d/?t=1").below("meta/a b?"), url("http://h/d/meta/a%20b%3F?t=1"));
        assert_eq!(url("http://h").below("x"), url("http://h/x"));
        assert_eq!(url("s3://b/d/").below("x"), url("s3://b/d/x"));
        assert_eq!(url("s3://b").below("x"), url("s3://b/x"));
    }

    #[test]
    fn invalid_urls_are_refused() {
        for text in
            ["ftp://h/x", "http://", "http:///x", "https://h/a b", "s3://", "s3:///k", "s3://b@h/k", "s3://b/../k", "x"]
        {
            assert!(text.parse::<RemoteUrl>().is_err(), "{text}");
        }
    }
}
