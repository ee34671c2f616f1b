//! `cargo xtask api`: keeps a listing of each library's public interface, so that changes show up in review.
//!
//! The listings are `docs/api/<crate>.txt`: one line per public item, sorted by path. They come from rustdoc's JSON
//! output, which a stable compiler writes only with `RUSTC_BOOTSTRAP` set.

use crate::{metadata, sh};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::PathBuf;

/// Published crates with a library.
const CRATES: [&str; 3] = ["blosc-core", "bloscpack-format", "bloscpack-io"];

/// A feature for the project's own tests. The items it exposes are not part of the stable interface.
const INTERNALS: &str = "internals";

/// Compares the listings with the current interfaces; with `--write`, updates the listings.
pub(crate) fn run(args: &[&str]) -> Result<()> {
    let write = match args {
        [] => false,
        ["--write"] => true,
        _ => bail!("usage: cargo xtask api [--write]"),
    };
    let mut changed = Vec::new();
    for name in CRATES {
        let listing = listing(name)?;
        let path = sh::root().join(format!("docs/api/{name}.txt"));
        let old = fs::read_to_string(&path).unwrap_or_default();
        println!("api: {name}: {} public items", listing.lines().count());
        if old == listing {
            continue;
        }
        if write {
            fs::create_dir_all(sh::root().join("docs/api"))?;
            fs::write(&path, &listing).with_context(|| path.display().to_string())?;
        } else {
            show(&old, &listing);
            changed.push(name);
        }
    }
    if !changed.is_empty() {
        bail!("the public interface of {} changed; if it should, `cargo xtask api --write`", changed.join(", "));
    }
    Ok(())
}

/// Returns one line per public item of a crate built with all its features except [`INTERNALS`].
fn listing(name: &str) -> Result<String> {
    let json = rustdoc_json(name)?;
    let api = public_api::Builder::from_rustdoc_json(&json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .build()
        .with_context(|| format!("{}: written by another version of rustdoc than expected", json.display()))?;
    Ok(api.items().map(|item| format!("{item}\n")).collect())
}

/// Writes the documentation of a crate as JSON and returns its path.
fn rustdoc_json(name: &str) -> Result<PathBuf> {
    let packages = metadata::packages()?;
    let package = packages.iter().find(|package| package.name == name);
    let features = &package.with_context(|| format!("no package is called {name}"))?.features;
    let features = features.iter().map(String::as_str).filter(|feature| *feature != INTERNALS);
    let features = features.collect::<Vec<_>>().join(",");
    // A separate folder: the JSON must not replace the HTML documentation.
    let target = metadata::target_directory()?.join("api");
    let mut rustdoc = sh::cargo(["rustdoc", "--quiet", "--lib", "--locked", "-p", name, "--features", &features]);
    rustdoc.arg("--target-dir").arg(&target);
    rustdoc.args(["--", "-Zunstable-options", "--output-format", "json"]);
    sh::run(rustdoc.env("RUSTC_BOOTSTRAP", "1"))?;
    Ok(target.join("doc").join(format!("{}.json", name.replace('-', "_"))))
}

/// Prints the lines that occur in only one of the two listings.
fn show(old: &str, new: &str) {
    let only_in = |one: &str, other: &str, sign: char| {
        let others: std::collections::HashSet<&str> = other.lines().collect();
        one.lines().filter(|line| !others.contains(line)).for_each(|line| println!("{sign} {line}"));
    };
    only_in(old, new, '-');
    only_in(new, old, '+');
}
