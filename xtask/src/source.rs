//! Rust source as tokens without comments, strings and white space, so that searches match only code.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Returns every `.rs` file under `folder`, sorted.
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

/// Returns identifiers and punctuation of `source`, in order, without comments and the contents of literals.
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

/// Returns `tokens` without the items under `#[cfg(test)]` or `#[cfg(all(test, …))]`.
pub(crate) fn without_unit_tests(tokens: &[String]) -> Vec<String> {
    let starts = [&["#", "[", "cfg", "(", "test", ")", "]"][..], &["#", "[", "cfg", "(", "all", "(", "test", ","][..]];
    let mut kept = Vec::new();
    let mut rest = tokens;
    while let Some((first, after)) = rest.split_first() {
        if starts
            .iter()
            .any(|start| rest.len() >= start.len() && rest.iter().zip(*start).all(|(token, word)| token == word))
        {
            rest = after_item(rest);
        } else {
            kept.push(first.clone());
            rest = after;
        }
    }
    kept
}

/// Returns the tokens after the item at the start of `tokens`. An item ends with its `;` or with the `}` of its body.
fn after_item(tokens: &[String]) -> &[String] {
    let mut depth = 0usize;
    // The braces of a `use` group are not a body.
    let mut is_use = false;
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && !is_use {
                    return &tokens[at + 1..];
                }
            }
            ";" if depth == 0 => return &tokens[at + 1..],
            "use" if depth == 0 => is_use = true,
            _ => {}
        }
    }
    &[]
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn until(text: &[char], from: usize, stop: impl Fn(char) -> bool) -> usize {
    text[from..].iter().position(|&c| stop(c)).map_or(text.len(), |length| from + length)
}

/// Returns the position after a block comment. Block comments nest in Rust.
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

/// Returns the position after a character literal or the quote of a lifetime. In a literal the closing quote follows
/// one character, possibly escaped.
fn after_quote(text: &[char], start: usize) -> usize {
    match text.get(start + 1) {
        Some('\\') => until(text, start + 3, |c| c == '\'') + 1,
        Some(_) if text.get(start + 2) == Some(&'\'') => start + 3,
        _ => start + 1,
    }
}

/// If the word `text[start..end]` is a string prefix (`b"…"`, `r"…"`, `br#"…"#`), returns the end of the string.
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
    use super::{tokens, without_unit_tests};

    #[test]
    fn unit_tests_are_left_out_and_what_follows_them_stays() {
        let left = |text| without_unit_tests(&tokens(text)).join(" ");
        assert_eq!(left("a; #[cfg(test)] mod golden; b;"), "a ; b ;");
        assert_eq!(left("a; #[cfg(test)] mod tests { use c; fn d() {} } b;"), "a ; b ;");
        assert_eq!(left("#[cfg(all(test, unix))] #[allow(x)] mod tests { } #[cfg(test)] use c::{d, e}; b;"), "b ;");
        assert_eq!(left("#[cfg(unix)] mod a;"), "# [ cfg ( unix ) ] mod a ;");
    }

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
