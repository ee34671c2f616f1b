//! `cargo xtask layers`: checks that every crate stays in its layer.
//!
//! Checks the directions of dependencies and imports, where `unsafe` is allowed, which crates do no I/O, and the tables of
//! files in module docs.
//!
//! | file | checks |
//! |---|---|
//! | `mod` | dependencies between the crates, and the words of their sources |
//! | `circles` | modules of one crate that import each other |
//! | `imports` | parses the imports of one file |
//! | `tables` | tables of the files of a folder, such as this one |

mod circles;
mod imports;
mod tables;

use crate::{metadata, sh, source};
use anyhow::{Context, Result, bail};
use std::path::Path;

/// Each member, with the members that its normal and build dependencies may name. Tests may use any.
const ALLOWED: [(&str, &[&str]); 11] = [
    ("blosc-core", &[]),
    ("bloscpack-format", &["blosc-core"]),
    ("bloscpack-io", &["bloscpack-format", "blosc-core"]),
    ("blpk-cli", &["bloscpack-io", "bloscpack-format", "blosc-core"]),
    ("blosc-capi", &["bloscpack-io", "bloscpack-format", "blosc-core"]),
    ("blosc-hdf5", &["bloscpack-io", "bloscpack-format", "blosc-core"]),
    ("blpk-python", &["blpk-cli", "bloscpack-io", "bloscpack-format", "blosc-core"]),
    ("blpk-web", &["bloscpack-io", "bloscpack-format", "blosc-core"]),
    ("blpk-web-bindgen", &[]),
    ("testdata", &[]),
    ("xtask", &["testdata"]),
];

/// The only places with `unsafe`: the kernels, the boundaries to C, HDF5, Python and JavaScript, and the allocators for
/// tests. The invariants in docs/architecture.md list them too.
const UNSAFE_PLACES: [&str; 7] = [
    "crates/blosc-core/src/kernels/",
    "crates/blosc-capi/src/exports/",
    "crates/blosc-hdf5/src/exports/",
    "crates/blpk-python/src/buffer.rs",
    "crates/blpk-web/src/exports/",
    "crates/blpk-web/src/imports.rs",
    "testdata/src/alloc.rs",
];

/// The modules that may be declared with `allow(unsafe_code)`.
const UNSAFE_MODULES: [&str; 4] = ["kernels", "exports", "imports", "buffer"];

/// Members that cannot forbid `unsafe` entirely, because of [`UNSAFE_PLACES`]; they deny it instead.
const DENY_ONLY: [&str; 6] = ["blosc-core", "blosc-capi", "blosc-hdf5", "blpk-python", "blpk-web", "testdata"];

/// Members without I/O, and the modules of `std` that count as I/O.
const NO_IO: [&str; 2] = ["blosc-core", "bloscpack-format"];
const IO_MODULES: [&str; 3] = ["fs", "net", "process"];

/// Crates that must not print; only `blpk-cli` does.
const SILENT: [&str; 3] = ["blosc-core", "bloscpack-format", "bloscpack-io"];
const PRINTING: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];

pub(crate) fn run() -> Result<()> {
    let mut faults = Vec::new();
    let mut packages = metadata::packages()?;
    packages.extend(metadata::packages_of(metadata::PYTHON)?);
    packages.extend(metadata::packages_of(metadata::WEB)?);
    for package in &packages {
        check_dependencies(package, &packages, &mut faults);
        check_sources(package, &mut faults)?;
        check_circles(package, &mut faults)?;
    }
    if faults.is_empty() {
        println!("layers: {} crates stay in their layers", packages.len());
        return Ok(());
    }
    bail!("layers:\n  {}", faults.join("\n  "))
}

fn check_dependencies(package: &metadata::Package, members: &[metadata::Package], faults: &mut Vec<String>) {
    let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == package.name) else {
        faults.push(format!("{} has no layer: add it to ALLOWED in xtask/src/layers/mod.rs", package.name));
        return;
    };
    for (dependency, kind) in &package.dependencies {
        let member = members.iter().any(|member| member.name == *dependency);
        if member && kind != "dev" && !allowed.contains(&dependency.as_str()) {
            faults.push(format!("{} may not depend on {dependency} ({kind} dependency)", package.name));
        }
    }
}

fn check_sources(package: &metadata::Package, faults: &mut Vec<String>) -> Result<()> {
    let name = package.name.as_str();
    for file in source::rust_files(&package.folder)? {
        let shown = file.strip_prefix(sh::root()).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let text = std::fs::read_to_string(&file).with_context(|| shown.clone())?;
        let tokens = source::tokens(&text);
        let mut fault = |what: &str| faults.push(format!("{shown}: {what}"));

        if shown.starts_with(UNSAFE_PLACES[0]) {
            for line in unsafe_without_safety(&text) {
                fault(&format!("line {line}: an unsafe fn without a `# Safety` section"));
            }
        }
        if !UNSAFE_PLACES.iter().any(|place| shown.starts_with(place)) {
            if tokens.iter().any(|token| token == "unsafe") {
                fault("unsafe code outside the places that docs/architecture.md lists (UNSAFE_PLACES)");
            }
            if allows_unsafe(&tokens) {
                fault("allows unsafe_code on something else than a module for it");
            }
        }
        if is_crate_root(&package.folder, &file) {
            let level = if DENY_ONLY.contains(&name) { "deny" } else { "forbid" };
            if !has_sequence(&tokens, &["#", "!", "[", level, "(", "unsafe_code"]) {
                fault(&format!("does not say #![{level}(unsafe_code)]"));
            }
        }
        if file.starts_with(package.folder.join("src")) {
            if tables::is_folder_file(&file) {
                tables::faults(&text, |name| file.with_file_name(name).exists()).iter().for_each(|what| fault(what));
            }
            let code = &source::without_unit_tests(&tokens);
            if NO_IO.contains(&name) {
                for module in IO_MODULES.iter().filter(|module| uses_std(code, module)) {
                    fault(&format!("uses std::{module}: {name} does no I/O"));
                }
            }
            if SILENT.contains(&name) {
                for printer in PRINTING.iter().filter(|printer| has_sequence(code, &[printer, "!"])) {
                    fault(&format!("uses {printer}!: only blpk-cli prints"));
                }
            }
        }
    }
    Ok(())
}

/// Rejects import cycles between files and folders of a crate.
fn check_circles(package: &metadata::Package, faults: &mut Vec<String>) -> Result<()> {
    let name = &package.name;
    let modules = circles::Modules::read(&package.folder)?;
    let (files, imports) = modules.counts();
    println!("layers: {name}: {files} files, {imports} imports between them");
    faults.extend(modules.circles().into_iter().map(|circle| {
        let (nodes, imports) = (circle.nodes.join(", "), circle.imports.join("\n      "));
        format!("{name}: {nodes} of {} import each other:\n      {imports}", circle.folder)
    }));
    Ok(())
}

/// Returns lines with an `unsafe fn` whose documentation has no `# Safety` section. Clippy checks public functions
/// only.
fn unsafe_without_safety(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_undocumented = |&at: &usize| {
        let mut above = lines[..at].iter().rev().take_while(|line| line.starts_with("///") || line.starts_with("#["));
        !lines[at].starts_with("//") && lines[at].contains("unsafe fn ") && !above.any(|line| *line == "/// # Safety")
    };
    (0..lines.len()).filter(is_undocumented).map(|at| at + 1).collect()
}

fn is_crate_root(folder: &Path, file: &Path) -> bool {
    ["src/lib.rs", "src/main.rs"].iter().any(|root| file == folder.join(root))
}

fn has_sequence(tokens: &[String], wanted: &[&str]) -> bool {
    tokens.windows(wanted.len()).any(|window| window == wanted)
}

/// Returns whether `unsafe_code` is allowed on anything but the declaration of the permitted folder.
fn allows_unsafe(tokens: &[String]) -> bool {
    tokens.windows(3).enumerate().any(|(at, window)| {
        let allows = matches!(window[0].as_str(), "allow" | "expect") && window[1..] == ["(", "unsafe_code"];
        let after = tokens[at..].iter().skip_while(|token| *token != "]").skip(1).filter(|token| *token != "pub");
        let names: Vec<&str> = after.take(2).map(String::as_str).collect();
        allows && !UNSAFE_MODULES.iter().any(|module| names == ["mod", module])
    })
}

/// Returns whether `tokens` name `std::module`: directly (`std::module…`), or inside a group (`std::{…, module…}`).
fn uses_std(tokens: &[String], module: &str) -> bool {
    if has_sequence(tokens, &["std", ":", ":", module]) {
        return true;
    }
    let group = ["std", ":", ":", "{"];
    let starts = (0..tokens.len()).filter(|&at| tokens[at..].iter().take(group.len()).eq(group.iter()));
    starts.into_iter().any(|start| names_in_group(&tokens[start + group.len()..]).any(|name| name == module))
}

/// Returns the first names of the members of a `use` group: `{a::b, c, d::{e}}` yields `a`, `c`, `d`. `tokens` start
/// after the opening brace.
fn names_in_group(tokens: &[String]) -> impl Iterator<Item = &str> {
    let (mut depth, mut first) = (1usize, true);
    tokens
        .iter()
        .map(String::as_str)
        .map_while(move |token| {
            let is_name = depth == 1 && first;
            first = false;
            match token {
                "{" => depth += 1,
                "}" => depth -= 1,
                "," if depth == 1 => first = true,
                _ => {}
            }
            (depth > 0).then_some(is_name.then_some(token))
        })
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::{allows_unsafe, unsafe_without_safety, uses_std};
    use crate::source::tokens;

    #[test]
    fn modules_of_std_are_found_in_every_form() {
        assert!(uses_std(&tokens("let f = std::fs::File::open(p);"), "fs"));
        assert!(uses_std(&tokens("use std::{io::{self, Read}, fs, path::Path};"), "fs"));
        assert!(!uses_std(&tokens("use std::{io::{self, fs}, path::Path};"), "fs"));
        assert!(!uses_std(&tokens("use std::io; // std::fs"), "fs"));
    }

    #[test]
    fn unsafe_is_allowed_on_the_kernels_only() {
        assert!(!allows_unsafe(&tokens(
            "#![deny(unsafe_code)] #[allow(unsafe_code, reason = \"x\")] pub mod kernels;"
        )));
        assert!(allows_unsafe(&tokens("#[allow(unsafe_code)] mod codec; mod kernels;")));
        assert!(allows_unsafe(&tokens("#![allow(unsafe_code)] fn f() {}")));
    }

    #[test]
    fn unsafe_functions_say_what_makes_them_safe() {
        assert_eq!(unsafe_without_safety("/// A.\n#[inline]\nunsafe fn f() {}\n// unsafe fn g()\n"), [3]);
        assert_eq!(unsafe_without_safety("/// # Safety\n///\n/// B.\n#[inline]\npub unsafe fn f() {}"), [0; 0]);
    }
}
