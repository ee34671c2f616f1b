//! Parses one file's tokens into its child modules, its `use` items, and the paths in its code.

use std::collections::HashSet;

/// The parts of a file that determine which modules it imports. Unit tests are removed beforehand.
#[derive(Debug, Default)]
pub(super) struct Imports {
    /// Names of `mod name;` declarations.
    pub(super) modules: Vec<String>,
    /// One entry for each name that a `use` item binds.
    pub(super) uses: Vec<Use>,
    /// Paths of two segments or more outside of `use` items, such as `super::table::Entry`.
    pub(super) paths: Vec<Vec<String>>,
    /// Identifiers outside of `use` items.
    pub(super) words: HashSet<String>,
}

/// One name that a `use` item binds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) path: Vec<String>,
    /// The name bound here: the last segment or what follows `as`. `*` for a glob.
    pub(super) name: String,
    /// Whether the item is `pub` in any form.
    pub(super) is_public: bool,
}

impl Imports {
    /// Parses `tokens`, which contain no unit tests.
    pub(super) fn of(tokens: &[String]) -> Imports {
        let mut imports = Imports::default();
        let token = |at: usize| tokens.get(at).map_or("", String::as_str);
        let mut at = 0;
        while at < tokens.len() {
            let before = if at == 0 { ";" } else { token(at - 1) };
            match token(at) {
                "use" if matches!(before, ";" | "}" | "{" | "]" | "pub" | ")") => {
                    let end = (at..tokens.len()).find(|&end| token(end) == ";").unwrap_or(tokens.len());
                    let is_public = matches!(before, "pub" | ")");
                    tree(&mut &tokens[at + 1..end], &[], &mut |path, name| {
                        imports.uses.push(Use { path, name, is_public });
                    });
                    at = end;
                }
                "mod" if token(at + 2) == ";" => {
                    imports.modules.push(token(at + 1).to_owned());
                    at += 3;
                }
                // `pub(in path)` is a visibility.
                "in" if before == "(" => at += 1 + path(&tokens[at + 1..]).1,
                word if is_name(word) => {
                    let (path, len) = path(&tokens[at..]);
                    imports.words.extend(path.iter().cloned());
                    // A dot precedes methods, and `>::` the functions of a generic type. Neither starts a path.
                    let follows = before == "." || before == ":" && at > 1 && token(at - 2) == ":";
                    if path.len() > 1 && !follows {
                        imports.paths.push(path);
                    }
                    at += len;
                }
                _ => at += 1,
            }
        }
        imports
    }
}

/// Returns the path at the start of `tokens` and its number of tokens.
fn path(tokens: &[String]) -> (Vec<String>, usize) {
    let mut path = vec![tokens[0].clone()];
    let mut len = 1;
    while let [first, second, name, ..] = &tokens[len..]
        && (first.as_str(), second.as_str()) == (":", ":")
        && is_name(name)
    {
        path.push(name.clone());
        len += 3;
    }
    (path, len)
}

/// Calls `each` with the path and the bound name of every leaf of the `use` tree at the start of `rest`.
fn tree(rest: &mut &[String], prefix: &[String], each: &mut impl FnMut(Vec<String>, String)) {
    let mut path = prefix.to_vec();
    let mut bound = None;
    while let Some((token, after)) = rest.split_first() {
        match token.as_str() {
            "," | "}" => break,
            "{" => {
                *rest = after;
                while rest.first().is_some_and(|token| token != "}") {
                    tree(rest, &path, each);
                    if rest.first().is_some_and(|token| token == ",") {
                        *rest = &rest[1..];
                    }
                }
                *rest = rest.get(1..).unwrap_or_default();
                return;
            }
            "as" => {
                bound = after.first().cloned();
                *rest = after.get(1..).unwrap_or_default();
                continue;
            }
            "*" => bound = Some(token.clone()),
            // Inside braces `self` stands for the prefix.
            "self" if !path.is_empty() => {}
            name if is_name(name) => path.push(token.clone()),
            _ => {}
        }
        *rest = after;
    }
    if let Some(name) = bound.or_else(|| path.last().cloned()) {
        each(path, name);
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::Imports;
    use crate::source;

    /// Returns every `use` of `text` as `path=name`, with a `+` for public ones.
    fn uses(text: &str) -> Vec<String> {
        let imports = Imports::of(&source::tokens(text));
        let shown = imports
            .uses
            .iter()
            .map(|item| format!("{}{}={}", if item.is_public { "+" } else { "" }, item.path.join("::"), item.name));
        shown.collect()
    }

    #[test]
    fn use_trees_are_flattened() {
        let text = "use crate::a::{self, b::{C, D as E}, f::*}; pub(in super::super) use g::h; pub use super::i as _;";
        let expected =
            ["crate::a=a", "crate::a::b::C=C", "crate::a::b::D=E", "crate::a::f=*", "+g::h=h", "+super::i=_"];
        assert_eq!(uses(text), expected);
        assert_eq!(uses("use self::x; fn f() -> impl Iterator + use<'_> { }"), ["self::x=x"]);
    }

    #[test]
    fn paths_are_found_in_code_but_not_in_visibilities() {
        let text = "mod a; mod b { } pub(in crate::c) fn f(x: a::T) { super::g(x.d::<u8>()); Vec::<e::F>::new() }";
        let imports = Imports::of(&source::tokens(text));
        assert_eq!(imports.modules, ["a"]);
        let paths: Vec<_> = imports.paths.iter().map(|path| path.join("::")).collect();
        assert_eq!(paths, ["a::T", "super::g", "e::F"]);
        assert!(imports.words.contains("T") && !imports.words.contains("c"));
    }
}
