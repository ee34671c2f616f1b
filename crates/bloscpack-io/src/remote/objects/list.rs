//! The names below a prefix.

use std::io::{self, ErrorKind};

use crate::remote::RemoteUrl;
use crate::remote::client::Client;
use crate::remote::failure::Failure;
use crate::remote::request::{Request, Resolved};
use crate::remote::response::{read_up_to, reader_of};
use crate::remote::s3::{Token, decoded, tokens};
use crate::remote::url::Kind;
use crate::source::percent::{decode, encode};

/// Maximum number of names, of pages, and of bytes of one page.
const MAX_NAMES: usize = 10_000_000;
const MAX_PAGES: usize = 20_000;
const MAX_PAGE: usize = 16 << 20;

/// The names directly below a prefix: objects, and prefixes of objects.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Names {
    /// The names of objects, with their sizes.
    pub(in super::super) files: Vec<(String, Option<u64>)>,
    pub(in super::super) directories: Vec<String>,
    /// The token of the next page.
    next: Option<String>,
}

/// Lists the names directly below the key of `url`, which counts as a directory.
pub(in super::super) fn list(client: &Client, url: &RemoteUrl) -> io::Result<Names> {
    let Kind::S3 { key, .. } = &url.0 else { return Err(ErrorKind::Unsupported.into()) };
    let prefix = match key.trim_end_matches('/') {
        "" => String::new(),
        key => format!("{key}/"),
    };
    let (mut all, mut token) = (Names::default(), None::<String>);
    for _ in 0..MAX_PAGES {
        let after =
            token.as_ref().map_or(String::new(), |token| format!("&continuation-token={}", encode(token, false)));
        // The signature needs the names in their order.
        let query = format!(
            "{}&delimiter=%2F&encoding-type=url&list-type=2&prefix={}",
            after.trim_start_matches('&'),
            encode(&prefix, false)
        );
        let query = query.trim_start_matches('&');
        let page = client.attempts(|| {
            let request = Request { query, ..Request::get(url, &[]) };
            let response = client.send(&request, &Resolved::default())?;
            let xml = read_up_to(client, &mut reader_of(response), MAX_PAGE + 1)?;
            if xml.len() > MAX_PAGE {
                return Err(Failure::wrong(format!("the list of objects has more than {MAX_PAGE} bytes")));
            }
            String::from_utf8(xml)
                .ok()
                .and_then(|xml| parse(&xml, &prefix))
                .ok_or_else(|| Failure::wrong("the list of objects is damaged".into()))
        })?;
        let Names { files, directories, next } = page;
        if all.files.len() + all.directories.len() + files.len() + directories.len() > MAX_NAMES {
            return Err(io::Error::other(format!("there are more than {MAX_NAMES} objects")));
        }
        all.files.extend(files);
        all.directories.extend(directories);
        match next {
            None => return Ok(all),
            // A server that repeats itself would never end.
            Some(next) if token.as_ref() == Some(&next) => break,
            Some(next) => token = Some(next),
        }
    }
    Err(io::Error::new(ErrorKind::InvalidData, "the list of objects does not end"))
}

/// Parses a page. Names that are not directly below the prefix are dropped.
fn parse(xml: &str, prefix: &str) -> Option<Names> {
    let (mut names, mut path, mut text) = (Names::default(), Vec::new(), String::new());
    let (mut is_encoded, mut is_truncated, mut is_list) = (false, false, false);
    let (mut key, mut size) = (None, None);
    for token in tokens(xml) {
        match token? {
            Token::Open(name) => {
                path.push(name);
                text.clear();
                if path.len() > 8 {
                    return None;
                }
            }
            Token::Text(found) => text.push_str(found),
            Token::Close(name) => {
                if path.last() != Some(&name) {
                    return None;
                }
                match path.as_slice() {
                    ["ListBucketResult"] => is_list = true,
                    [_, "EncodingType"] => is_encoded = text.trim() == "url",
                    [_, "IsTruncated"] => is_truncated = text.trim() == "true",
                    [_, "NextContinuationToken"] => names.next = Some(decoded(&text)),
                    [_, "Contents", "Key"] => key = Some(decoded(&text)),
                    [_, "Contents", "Size"] => size = text.trim().parse().ok(),
                    [_, "Contents"] => names.files.extend(key.take().map(|key| (key, size.take()))),
                    [_, "CommonPrefixes", "Prefix"] => names.directories.push(decoded(&text)),
                    _ => {}
                }
                path.pop();
                text.clear();
            }
        }
    }
    if !path.is_empty() || !is_list || is_truncated && names.next.is_none() {
        return None;
    }
    names.next = names.next.filter(|next| is_truncated && !next.is_empty());
    let below = |name: String| {
        let key = if is_encoded { decode(&name, true) } else { name };
        let name = key.strip_prefix(prefix)?.trim_end_matches('/');
        (!name.is_empty() && !name.contains('/')).then(|| name.to_owned())
    };
    Some(Names {
        files: names.files.into_iter().filter_map(|(name, size)| Some((below(name)?, size))).collect(),
        directories: names.directories.into_iter().filter_map(below).collect(),
        next: names.next,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const PAGE: &str = "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"x\"><EncodingType>url</EncodingType>\
        <IsTruncated>true</IsTruncated><NextContinuationToken>a&amp;b</NextContinuationToken>\
        <Contents><Size>12</Size><Key>d/a+b%2B</Key><Owner><Key>no</Key></Owner></Contents>\
        <Contents><Key>d/</Key><Size>0</Size></Contents><Contents><Key>d/c</Key></Contents>\
        <Contents><Key>e/x</Key></Contents><Contents><Key>d/x/y</Key></Contents>\
        <CommonPrefixes><Prefix>d/sub/</Prefix></CommonPrefixes></ListBucketResult>";

    #[test]
    fn pages_are_parsed() {
        let names = parse(PAGE, "d/").unwrap();
        let files = vec![("a b+".to_owned(), Some(12)), ("c".to_owned(), None)];
        assert_eq!((names.files, names.directories), (files, vec!["sub".to_owned()]));
        assert_eq!(names.next.as_deref(), Some("a&b"));
    }

    /// Whatever is cut off or changed, there is no panic, and no page without its end.
    #[test]
    fn damaged_pages_are_refused() {
        for end in 0..PAGE.len() {
            assert_eq!(PAGE.get(..end).and_then(|page| parse(page, "d/")), None, "{end}");
        }
        for at in 0..PAGE.len() {
            for byte in [b'<', b'>', b'/', b'&', b'a'] {
                let mut page = PAGE.as_bytes().to_vec();
                page[at] = byte;
                let _ = String::from_utf8(page).map(|page| parse(&page, "d/"));
            }
        }
        assert_eq!(parse("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", ""), None);
        assert_eq!(parse(&"<a>".repeat(1 << 20), ""), None);
        assert_eq!(parse("<html></html>", ""), None);
    }
}
