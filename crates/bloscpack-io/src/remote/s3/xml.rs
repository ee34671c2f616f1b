//! Reads the few values that responses of S3 have in XML.
//!
//! No entities are defined, no document is nested deeper than the parser goes, and nothing is allocated but the values:
//! a document is a sequence of tags and texts here. Attributes, comments and declarations are skipped.

/// A tag or a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Token<'a> {
    Open(&'a str),
    Close(&'a str),
    Text(&'a str),
}

/// Returns the tags and texts of a document. `None` ends one that is damaged.
pub(in super::super) fn tokens(xml: &str) -> impl Iterator<Item = Option<Token<'_>>> {
    let (mut rest, mut closing) = (xml, None);
    std::iter::from_fn(move || {
        if let Some(name) = closing.take() {
            return Some(Some(Token::Close(name)));
        }
        loop {
            if rest.is_empty() {
                return None;
            }
            let Some(tag) = rest.strip_prefix('<') else {
                let (text, after) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
                rest = after;
                return Some(Some(Token::Text(text)));
            };
            let skipped = [("!--", "-->"), ("?", "?>"), ("!", ">")].into_iter();
            if let Some((_, end)) = skipped.clone().find(|(start, _)| tag.starts_with(start)) {
                let Some(at) = tag.find(end) else {
                    rest = "";
                    return Some(None);
                };
                rest = tag.get(at + end.len()..).unwrap_or_default();
                continue;
            }
            let Some((tag, after)) = tag.split_once('>') else {
                rest = "";
                return Some(None);
            };
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                return Some(Some(Token::Close(local(name.trim()))));
            }
            let name = local(tag.trim_end_matches('/').split_whitespace().next().unwrap_or_default());
            if tag.ends_with('/') {
                closing = Some(name);
            }
            return Some(Some(Token::Open(name)));
        }
    })
}

/// Returns a name without its namespace.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, name)| name)
}

/// Returns the text of the first element with this name.
pub(in super::super) fn text_of(xml: &str, name: &str) -> Option<String> {
    let mut found: Option<String> = None;
    for token in tokens(xml) {
        match (token?, &mut found) {
            (Token::Open(open), None) if open == name => found = Some(String::new()),
            (Token::Text(text), Some(found)) => found.push_str(&decoded(text)),
            (Token::Close(close), Some(_)) if close == name => return found,
            _ => {}
        }
    }
    None
}

/// Replaces the entities that every document has.
pub(in super::super) fn decoded(text: &str) -> String {
    let mut decoded = String::new();
    let mut parts = text.split('&');
    decoded.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let found = part.split_once(';').and_then(|(name, rest)| Some((entity(name)?, rest)));
        match found {
            Some((char, rest)) => {
                decoded.push(char);
                decoded.push_str(rest);
            }
            None => {
                decoded.push('&');
                decoded.push_str(part);
            }
        }
    }
    decoded
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found() {
        let xml = "<?xml version=\"1.0\"?><!-- <Key>no</Key> --><s3:R xmlns:s3=\"x\"><E/><Key a='1'>a&amp;b&#x41;</Key></s3:R>";
        assert_eq!(text_of(xml, "Key").as_deref(), Some("a&bA"));
        assert_eq!(text_of(xml, "E").as_deref(), Some(""));
        assert_eq!(text_of(xml, "Other"), None);
    }

    #[test]
    fn damage_ends_it() {
        for xml in ["<a", "<Key>x", "<!-- x", "<Key>&lol;</Key", "<Key>&#xD800;", "</", "<>", "&"] {
            assert_eq!(text_of(xml, "Key"), None, "{xml}");
        }
        // Entities that a document defines are not expanded.
        assert_eq!(text_of("<!DOCTYPE x [<!ENTITY a \"b\">]><Key>&a;</Key>", "Key").as_deref(), Some("&a;"));
        assert_eq!(text_of(&"<a>".repeat(100_000), "Key"), None);
    }
}
