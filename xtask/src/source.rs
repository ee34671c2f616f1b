//! What does a Rust source file really say? Its text without comments, strings and white space, so that a search finds
//! code only.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Every `.rs` file under `folder`, sorted.
pub(crate) fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Identifiers and punctuation of `source`, in order: no comments, no string or character contents.
pub(crate) fn tokens(source: &str) -> Vec<String> {
    let text: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&first) = text.get(at) {
        at = match first {
            '/' if text.get(at + 1) == Some(&'/') => until(&text, at, |c| c == '\n'),
            '/' if text.get(at + 1) == Some(&'*') => after_block_comment(&text, at),
            '"' => after_string(&text, at),
            '\'' => after_quote(&text, at),
            _ if is_word(first) => {
                let end = until(&text, at, |c| !is_word(c));
                match raw_string(&text, at, end) {
                    Some(after) => after,
                    None => {
                        tokens.push(text[at..end].iter().collect());
                        end
                    }
                }
            }
            _ => {
                if !first.is_whitespace() {
                    tokens.push(first.to_string());
                }
                at + 1
            }
        };
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn until(text: &[char], from: usize, stop: impl Fn(char) -> bool) -> usize {
    text[from..].iter().position(|&c| stop(c)).map_or(text.len(), |length| from + length)
}

/// Block comments nest in Rust.
fn after_block_comment(text: &[char], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0usize);
    while at + 1 < text.len() {
        match (text[at], text[at + 1]) {
            ('/', '*') => (depth, at) = (depth + 1, at + 2),
            ('*', '/') if depth == 1 => return at + 2,
            ('*', '/') => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    text.len()
}

fn after_string(text: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&c) = text.get(at) {
        match c {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// A character literal ends with a quote one (possibly escaped) character later; anything else is a lifetime.
fn after_quote(text: &[char], start: usize) -> usize {
    match text.get(start + 1) {
        Some('\\') => until(text, start + 3, |c| c == '\'') + 1,
        Some(_) if text.get(start + 2) == Some(&'\'') => start + 3,
        _ => start + 1,
    }
}

/// If the word `text[start..end]` is the prefix of a string (`b"…"`, `r"…"`, `br#"…"#`), where that string ends.
fn raw_string(text: &[char], start: usize, end: usize) -> Option<usize> {
    let prefix: String = text[start..end].iter().collect();
    if matches!(prefix.as_str(), "b" | "c") && text.get(end) == Some(&'"') {
        return Some(after_string(text, end));
    }
    if !matches!(prefix.as_str(), "r" | "br" | "cr") {
        return None;
    }
    let quote = until(text, end, |c| c != '#');
    if text.get(quote) != Some(&'"') {
        return None; // r#keyword
    }
    let hashes = quote - end;
    let closes =
        |at: usize| text[at] == '"' && text[at + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes;
    (quote + 1..text.len()).find(|&at| closes(at)).map(|at| at + 1 + hashes)
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn code_stays_and_text_goes() {
        let source = r####"
            /// unsafe in a comment /* not open
            fn f<'a>(x: &'a str) -> char { /* unsafe /* nested */ unsafe */ let q = '"'; let e = '\''; '\u{41}' }
            const A: &str = "unsafe \" unsafe"; const B: &[u8] = br##"unsafe "# unsafe"##; unsafe { g() }
        "####;
        let tokens = tokens(source);
        assert_eq!(tokens.iter().filter(|token| *token == "unsafe").count(), 1);
        assert!(tokens.ends_with(&["unsafe", "{", "g", "(", ")", "}"].map(String::from)));
        assert!(tokens.contains(&"char".to_owned()));
    }
}
