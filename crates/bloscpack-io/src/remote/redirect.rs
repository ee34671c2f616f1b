//! Checks of redirects.
//!
//! A redirect stays with `http` and `https`, never goes from `https` to `http`, and never from another host to an
//! address of this machine or of a private network.

use std::io::{self, ErrorKind};
use std::net::IpAddr;

use ureq::Body;
use ureq::http::{Response, Uri};

use super::url::shown;

/// Returns the URI that a response redirects to.
pub(super) fn next_hop(from: &Uri, response: &Response<Body>) -> io::Result<Uri> {
    let refuse = |text: String| io::Error::new(ErrorKind::InvalidData, text);
    let location = response.headers().get("location").and_then(|value| value.to_str().ok());
    let location = location.ok_or_else(|| refuse("a redirect names no location".into()))?;
    let to = joined(from, location).ok_or_else(|| refuse("a redirect leads to an invalid URL".into()))?;
    let denied = |text: &str| {
        io::Error::new(ErrorKind::PermissionDenied, format!("a redirect to '{}' is refused: {text}", shown(&to)))
    };
    match (from.scheme_str(), to.scheme_str()) {
        (Some("https"), Some("http")) => return Err(denied("it leads from https to http")),
        (_, Some("http" | "https")) => {}
        _ => return Err(denied("its scheme is not http or https")),
    }
    if is_inside(&to) && !is_inside(from) {
        return Err(denied("it leads to an address inside a private network"));
    }
    Ok(to)
}

/// Resolves a location against the URI that gave it. A user in it is dropped.
fn joined(from: &Uri, location: &str) -> Option<Uri> {
    let location = location.split('#').next().unwrap_or_default();
    let scheme = from.scheme_str()?;
    let authority = from.authority()?;
    let directory = from.path().rsplit_once('/').map_or("", |(directory, _)| directory);
    let text = if location.contains("://") {
        location.to_owned()
    } else if location.starts_with("//") {
        format!("{scheme}:{location}")
    } else if location.starts_with('/') {
        format!("{scheme}://{authority}{location}")
    } else if location.starts_with('?') {
        format!("{scheme}://{authority}{}{location}", from.path())
    } else {
        format!("{scheme}://{authority}{directory}/{location}")
    };
    let uri: Uri = text.parse().ok()?;
    let mut parts = uri.into_parts();
    let host = parts.authority.as_ref()?.as_str();
    if let Some((_, host)) = host.rsplit_once('@') {
        parts.authority = Some(host.parse().ok()?);
    }
    Uri::from_parts(parts).ok().filter(|uri| uri.host().is_some_and(|host| !host.is_empty()))
}

/// Returns whether a host is this machine, or has an address of a private network. Names are not looked up.
fn is_inside(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(&host);
    if bare == "localhost" || bare.ends_with(".localhost") {
        return true;
    }
    match bare.parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(IpAddr::V4(v4)) => v4.is_loopback() || v4.is_private() || v4.is_link_local() || v4.is_unspecified(),
        Ok(IpAddr::V6(v6)) => {
            v6.is_loopback() || v6.is_unspecified() || v6.is_unique_local() || v6.is_unicast_link_local()
        }
        // Old resolvers read a number as an address: 2130706433 is 127.0.0.1.
        Err(_) => bare.split('.').all(|part| part.starts_with("0x") || part.bytes().all(|byte| byte.is_ascii_digit())),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn hop(from: &str, location: &str) -> io::Result<Uri> {
        let response = Response::builder().status(302).header("location", location);
        next_hop(&from.parse().unwrap(), &response.body(Body::builder().data("")).unwrap())
    }

    #[test]
    fn locations_are_resolved() {
        for (location, to) in [
            ("/x?y#z", "https://h:1/x?y"),
            ("x", "https://h:1/a/x"),
            ("?q", "https://h:1/a/b?q"),
            ("//g/x", "https://g/x"),
            ("https://u:p@g/x", "https://g/x"),
        ] {
            assert_eq!(hop("https://h:1/a/b", location).unwrap(), to);
        }
    }

    #[test]
    fn dangerous_locations_are_refused() {
        for (from, location) in [
            ("https://h/", "http://h/"),
            ("http://h/", "ftp://h/x"),
            ("http://h/", "file:///etc/passwd"),
            ("http://h/", "http://169.254.169.254/latest/meta-data"),
            ("http://h/", "http://127.0.0.1/"),
            ("http://h/", "http://[::1]/"),
            ("http://h/", "http://[::ffff:10.0.0.1]/"),
            ("http://h/", "http://localhost./"),
            ("http://h/", "http://2130706433/"),
            ("http://h/", "http://0x7f.1/"),
            ("http://h/", "http://"),
        ] {
            assert!(hop(from, location).is_err(), "{location}");
        }
        assert!(hop("http://127.0.0.1/", "http://127.0.0.2/").is_ok());
    }
}
