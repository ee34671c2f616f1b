//! Licence texts of everything linked into `blpk`, as one file.

use super::build;
use super::input::read;
use crate::{metadata, sh};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// Name prefixes of licence files in packages.
const NAMES: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];

/// Paths of the GNU C library's licence on Linux distributions: Debian's family, Fedora's family.
const GLIBC_TERMS: [&str; 2] = ["/usr/share/common-licenses/LGPL-2.1", "/usr/share/licenses/glibc/COPYING.LIB"];

/// A linked package and the numbers of its licence texts.
struct Part {
    name: String,
    terms: String,
    texts: Vec<usize>,
}

/// Distinct texts, numbered from 1 in order of appearance.
#[derive(Default)]
struct Texts {
    numbers: BTreeMap<String, usize>,
    ordered: Vec<String>,
}

/// Returns a list of the packages, followed by the texts.
///
/// # Errors
/// If a package has no licence text, and its terms are not those of Apache-2.0 either.
pub(super) fn collect() -> Result<String> {
    let linked = linked()?;
    let mut texts = Texts::default();
    let mut parts = Vec::new();
    for package in metadata::resolved(&build::host()?)? {
        if !package.is_member && linked.contains(&(package.name.clone(), package.version.clone())) {
            let name = format!("{} {}", package.name, package.version);
            let found = of_package(&package.folder, &mut texts)?;
            if found.is_empty() && !allows_apache(&package.licence) {
                bail!("{} has no licence text; ask its authors, or replace it", package.folder.display());
            }
            parts.push(Part { texts: found, name, terms: package.licence });
        }
    }
    // The manifest of a package without a text states its terms. The text of Apache-2.0 is the same for all authors.
    let apache = texts.apache();
    for part in parts.iter_mut().filter(|part| part.texts.is_empty()) {
        part.texts.push(apache.with_context(|| format!("no package has the text of Apache-2.0 for {}", part.name))?);
    }
    ensure!(parts.len() > 20, "only {} packages seem to be linked", parts.len());
    // The libc crate is by the same authors under the same terms.
    let library = parts.iter().find(|part| part.name.starts_with("libc ")).context("libc is not linked")?;
    let library = library.texts.clone();
    parts.push(Part { name: "Rust standard library".into(), terms: "MIT OR Apache-2.0".into(), texts: library });
    if build::links_glibc() {
        let path = GLIBC_TERMS.into_iter().map(Path::new).find(|path| path.is_file());
        let path = path.with_context(|| format!("none of {GLIBC_TERMS:?} holds the licence of the GNU C library"))?;
        let number = texts.number(&String::from_utf8_lossy(&read(path)?));
        parts.push(Part { name: "GNU C library".into(), terms: "LGPL-2.1-or-later".into(), texts: vec![number] });
    }
    Ok(render(&parts, &texts))
}

/// Returns names and versions of the packages linked into `blpk`, without procedural macros and build scripts.
fn linked() -> Result<BTreeSet<(String, String)>> {
    let tree = ["tree", "--locked", "--package", "blpk-cli", "--edges", "normal,no-proc-macro", "--prefix", "none"];
    let tree = sh::capture(&mut sh::cargo(tree.into_iter().chain(["--format", "{p}"])))?;
    Ok(tree
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            Some((words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
        })
        .collect())
}

/// Returns whether an expression of SPDX lets a user choose Apache-2.0.
fn allows_apache(terms: &str) -> bool {
    terms.split(" OR ").any(|choice| choice == "Apache-2.0")
}

/// Returns the licence texts in a package, which may have none.
fn of_package(folder: &Path, texts: &mut Texts) -> Result<Vec<usize>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if NAMES.iter().any(|start| name.to_lowercase().starts_with(start)) && folder.join(&name).is_file() {
            names.push(name);
        }
    }
    names.sort();
    let number = |name: &String| -> Result<usize> {
        Ok(texts.number(&String::from_utf8_lossy(&read(&folder.join(name))?).replace("\r\n", "\n")))
    };
    names.iter().map(number).collect()
}

impl Texts {
    /// Returns the number of the text of Apache-2.0.
    fn apache(&self) -> Option<usize> {
        let is_apache = |text: &String| {
            let start: Vec<&str> = text.split_whitespace().take(5).collect();
            start == ["Apache", "License", "Version", "2.0,", "January"]
        };
        self.ordered.iter().position(is_apache).map(|at| at + 1)
    }

    fn number(&mut self, text: &str) -> usize {
        let text = text.trim_matches('\n').to_owned();
        if let Some(&number) = self.numbers.get(&text) {
            return number;
        }
        self.ordered.push(text.clone());
        self.numbers.insert(text, self.ordered.len());
        self.ordered.len()
    }
}

fn render(parts: &[Part], texts: &Texts) -> String {
    let mut all = String::from(
        "blpk contains code of the packages below. Numbers are those of the licence texts that follow the list.\n",
    );
    if build::links_glibc() {
        all.push_str(
            "The GNU C library is linked statically. To use another version of it, build blpk from its sources with\n\
             'cargo build --release --package blpk-cli'.\n",
        );
    }
    all.push('\n');
    for Part { name, terms, texts } in parts {
        let numbers: Vec<String> = texts.iter().map(|number| format!("[{number}]")).collect();
        let _ = writeln!(all, "{name:32}{terms:52}{}", numbers.join(" ")); // writing to a String cannot fail
    }
    for (number, text) in (1..).zip(&texts.ordered) {
        let _ = write!(all, "\n{}\n[{number}]\n\n{text}\n", "=".repeat(80));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Texts, allows_apache, of_package};

    #[test]
    fn equal_texts_count_once() {
        let folder = std::env::temp_dir().join(format!("xtask-licences-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut texts = Texts::default();
        assert_eq!(of_package(&folder, &mut texts).unwrap(), [0; 0]);
        std::fs::write(folder.join("LICENSE-MIT"), "mit\r\n").unwrap();
        std::fs::write(folder.join("Copying"), "\nmit").unwrap();
        std::fs::write(folder.join("NOTICE"), "notice").unwrap();
        assert_eq!(of_package(&folder, &mut texts).unwrap(), [1, 1, 2]);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn packages_without_a_text_may_have_terms_that_are_known() {
        assert!(allows_apache("Apache-2.0 OR ISC OR MIT-0") && allows_apache("MIT OR Apache-2.0"));
        assert!(!allows_apache("MIT") && !allows_apache("MIT AND Apache-2.0") && !allows_apache(""));
        let mut texts = Texts::default();
        texts.number("notice");
        assert_eq!(texts.apache(), None);
        texts.number("      Apache License\n  Version 2.0, January 2004\n");
        assert_eq!(texts.apache(), Some(2));
    }
}
