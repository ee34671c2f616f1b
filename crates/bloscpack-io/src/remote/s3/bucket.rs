//! The host and path of an object.

use std::io;

use ureq::http::Uri;

use super::sign::Credentials;
use crate::source::percent::encode;

/// Settings of S3.
#[derive(Clone, Default)]
pub(in super::super) struct S3Options {
    /// Requests are not signed if `None`.
    pub(in super::super) credentials: Option<Credentials>,
    pub(in super::super) region: Option<String>,
    /// A server other than that of Amazon. Its buckets are in the path.
    pub(in super::super) endpoint: Option<String>,
}

const DEFAULT_REGION: &str = "us-east-1";

/// Returns the region that requests are signed for.
pub(in super::super) fn region(options: &S3Options) -> &str {
    options.region.as_deref().unwrap_or(DEFAULT_REGION)
}

/// Returns the URI of an object, or of its bucket for an empty key. Buckets of Amazon are part of the host, unless
/// their names have dots, which certificates do not cover.
pub(in super::super) fn object_uri(options: &S3Options, bucket: &str, key: &str, query: &str) -> io::Result<Uri> {
    let invalid = |text: &str| io::Error::new(io::ErrorKind::InvalidInput, text.to_owned());
    let region = region(options);
    let endpoint = match &options.endpoint {
        Some(endpoint) => format!("{}/{bucket}", endpoint.trim_end_matches('/')),
        None if bucket.contains(['.', '_']) => format!("https://s3.{region}.amazonaws.com/{bucket}"),
        None => format!("https://{bucket}.s3.{region}.amazonaws.com"),
    };
    let query = if query.is_empty() { String::new() } else { format!("?{query}") };
    let uri: Uri = format!("{endpoint}/{}{query}", encode(key, true))
        .parse()
        .map_err(|_| invalid("the endpoint or the region of S3 is not part of a valid URL"))?;
    match (uri.scheme_str(), uri.authority()) {
        (Some("http" | "https"), Some(host)) if !host.as_str().contains('@') => Ok(uri),
        _ => Err(invalid("the endpoint of S3 must be http://HOST or https://HOST, without a user")),
    }
}
