//! The URL of an input.

use std::path::{Component, Path};

use crate::error::{Error, ReferenceRefusal};

/// Returns the URL at which readers of references find an input.
///
/// With `base`, it is the path below this URL. The path must then be relative, as seen from the folder whose content is
/// at the URL. Otherwise it is the absolute path on this machine. A path that is already a URL stays as it is.
///
/// ```
/// use bloscpack_io::reference_url;
/// assert_eq!(reference_url("day1/a.b2nd", Some("s3://bucket/data"))?, "s3://bucket/data/day1/a.b2nd");
/// assert!(reference_url("../a.b2nd", Some("s3://bucket/data")).is_err());
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
///
/// # Errors
/// [`Error::Reference`] for a path that is not UTF-8 or not below `base`; [`Error::File`] if the current directory is
/// unknown.
pub fn reference_url(path: impl AsRef<Path>, base: Option<&str>) -> Result<String, Error> {
    of_path(path.as_ref(), base)
}

fn of_path(path: &Path, base: Option<&str>) -> Result<String, Error> {
    let refuse = || Error::reference(&path.display().to_string(), ReferenceRefusal::Url);
    let text = path.to_str().ok_or_else(refuse)?;
    if is_url(text) {
        return Ok(text.trim_end_matches('/').to_owned());
    }
    let Some(base) = base else {
        let absolute = std::path::absolute(path).map_err(|error| Error::file("resolving", path, error))?;
        let text = absolute.to_str().ok_or_else(refuse)?.replace('\\', "/");
        let root = if text.starts_with('/') { "" } else { "/" };
        return Ok(format!("file://{root}{}", text.trim_end_matches('/')));
    };
    let mut url = base.trim_end_matches('/').to_owned();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => {
                url.push('/');
                url.push_str(name.to_str().ok_or_else(refuse)?);
            }
            _ => return Err(refuse()),
        }
    }
    Ok(url)
}

/// Returns whether a text is a URL: a scheme of two letters or more, and `://`. A single letter is a Windows drive.
fn is_url(text: &str) -> bool {
    let is_scheme = |scheme: &str| scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    text.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        assert_eq!(of_path(Path::new("https://h/a.b2nd"), Some("s3://b")).unwrap(), "https://h/a.b2nd");
        assert_eq!(of_path(Path::new("./x/a b.bcolz/"), Some("s3://b/p/")).unwrap(), "s3://b/p/x/a b.bcolz");
        assert!(
            of_path(Path::new("/x"), Some("s3://b")).is_err() && of_path(Path::new("x/../y"), Some("s3://b")).is_err()
        );
        let absolute = of_path(Path::new("x/a.b2nd"), None).unwrap();
        assert!(absolute.starts_with("file:///") && absolute.ends_with("/x/a.b2nd"), "{absolute}");
    }
}
