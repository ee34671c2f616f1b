//! Workspace metadata from `cargo metadata`: packages, features, dependencies, target directory.

use crate::sh;
use anyhow::{Context, Result};
use std::path::PathBuf;
use testdata::serde_json::{self, Value};

/// The manifest of the extension module for Python, which has a workspace of its own.
pub(crate) const PYTHON: &str = "crates/blpk-python/Cargo.toml";

/// The manifest of the module for browsers, which has a workspace of its own.
pub(crate) const WEB: &str = "crates/blpk-web/Cargo.toml";

/// A member of the workspace.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) is_published: bool,
    pub(crate) folder: PathBuf,
    pub(crate) features: Vec<String>,
    /// Name and kind (`normal`, `build`, `dev`) of each dependency.
    pub(crate) dependencies: Vec<(String, String)>,
}

/// Returns the members of the workspace.
pub(crate) fn packages() -> Result<Vec<Package>> {
    packages_of("Cargo.toml")
}

/// Returns the members of the workspace with this manifest.
pub(crate) fn packages_of(manifest: &str) -> Result<Vec<Package>> {
    let metadata = read(manifest)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    packages.iter().map(package).collect()
}

/// Returns the minimum Rust version that the manifest of member `name` declares.
pub(crate) fn rust_version(name: &str) -> Result<String> {
    let metadata = read("Cargo.toml")?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let package = packages.iter().find(|package| package["name"] == name);
    let version = package.and_then(|package| package["rust_version"].as_str());
    Ok(version.with_context(|| format!("{name} has no rust-version"))?.to_owned())
}

/// Returns cargo's target directory, with configuration and environment variables applied.
pub(crate) fn target_directory() -> Result<PathBuf> {
    Ok(read("Cargo.toml")?["target_directory"].as_str().context("cargo metadata names no target directory")?.into())
}

/// Returns every feature of every member as `package/feature`, except those that compile C (named `…-c`) or change the
/// layout of structures (`…-abi…`). The workspace tests must run on a machine without a C compiler.
pub(crate) fn testable_features() -> Result<String> {
    let packages = packages()?;
    let features = packages.iter().flat_map(|package| {
        let wanted = package
            .features
            .iter()
            .filter(|name| *name != "default" && !name.ends_with("-c") && !name.contains("-abi"));
        wanted.map(|feature| format!("{}/{feature}", package.name))
    });
    Ok(features.collect::<Vec<_>>().join(","))
}

/// A package in cargo's resolved dependency graph: a member of the workspace or a dependency.
pub(crate) struct Resolved {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Its `license` field; empty without one.
    pub(crate) licence: String,
    pub(crate) folder: PathBuf,
    /// Whether it is a member of this workspace.
    pub(crate) is_member: bool,
}

/// Returns every package of the workspace and its dependencies on the target `host`, with all features, sorted by name
/// and version.
pub(crate) fn resolved(host: &str) -> Result<Vec<Resolved>> {
    graph(&["--all-features", "--filter-platform", host])
}

/// A package that is compiled.
pub(crate) struct Compiled {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: String,
}

/// Returns every package that is compiled for the extension module for Python. `cargo metadata` would also list what only
/// WebAssembly needs.
pub(crate) fn compiled_for_python() -> Result<Vec<Compiled>> {
    compiled(&["--manifest-path", PYTHON, "--all-features", "--edges", "normal,build"])
}

/// Returns every package that is compiled for browsers, with the tools that build it.
pub(crate) fn compiled_for_web() -> Result<Vec<Compiled>> {
    compiled(&["--manifest-path", WEB, "--workspace", "--all-features", "--target", "all", "--edges", "normal,build"])
}

/// Returns every package that is compiled for any target, with all features. `Cargo.lock` and `cargo metadata` also
/// list what a feature would need that no package turns on, such as `ring` for rustls.
pub(crate) fn compiled_anywhere() -> Result<Vec<Compiled>> {
    compiled(&["--workspace", "--target", "all", "--all-features"])
}

/// Returns the same without the features that compile C.
pub(crate) fn compiled_without_c() -> Result<Vec<Compiled>> {
    compiled(&["--workspace", "--target", "all", "--features", &testable_features()?])
}

fn compiled(options: &[&str]) -> Result<Vec<Compiled>> {
    let text = sh::capture(
        sh::cargo(["tree", "--locked", "--prefix", "none", "--no-dedupe", "--format", "{p}|{l}"]).args(options),
    )?;
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    lines.dedup();
    let package = |line: &str| {
        let (package, licence) = line.split_once('|').context("cargo tree")?;
        let mut words = package.split(' ');
        let (name, version) = words.next().zip(words.next()).context("cargo tree")?;
        Ok(Compiled { name: name.into(), version: version.trim_start_matches('v').into(), licence: licence.into() })
    };
    lines.into_iter().map(package).collect()
}

fn graph(options: &[&str]) -> Result<Vec<Resolved>> {
    let text = sh::capture(sh::cargo(["metadata", "--format-version", "1", "--locked"]).args(options))?;
    let metadata: Value = serde_json::from_str(&text).context("cargo metadata")?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let mut resolved = packages.iter().map(resolved_package).collect::<Result<Vec<_>>>()?;
    resolved.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(resolved)
}

fn resolved_package(value: &Value) -> Result<Resolved> {
    let text = |field: &str| value[field].as_str().map(str::to_owned);
    let manifest = PathBuf::from(text("manifest_path").context("manifest_path")?);
    Ok(Resolved {
        name: text("name").context("name")?,
        version: text("version").context("version")?,
        licence: text("license").unwrap_or_default(),
        folder: manifest.parent().context("manifest_path")?.to_path_buf(),
        is_member: value["source"].is_null(),
    })
}

fn read(manifest: &str) -> Result<Value> {
    let options = ["metadata", "--format-version", "1", "--no-deps", "--locked", "--manifest-path", manifest];
    let text = sh::capture(&mut sh::cargo(options))?;
    serde_json::from_str(&text).context("cargo metadata")
}

fn package(value: &Value) -> Result<Package> {
    let manifest = PathBuf::from(value["manifest_path"].as_str().context("manifest_path")?);
    let dependencies = value["dependencies"].as_array().context("dependencies")?;
    Ok(Package {
        name: value["name"].as_str().context("name")?.to_owned(),
        version: value["version"].as_str().context("version")?.to_owned(),
        // `publish = false` is an empty list of registries.
        is_published: value["publish"].is_null(),
        folder: manifest.parent().context("manifest_path")?.to_path_buf(),
        features: value["features"].as_object().context("features")?.keys().cloned().collect(),
        dependencies: dependencies
            .iter()
            .filter_map(|dependency| {
                Some((
                    dependency["name"].as_str()?.to_owned(),
                    dependency["kind"].as_str().unwrap_or("normal").to_owned(),
                ))
            })
            .collect(),
    })
}
