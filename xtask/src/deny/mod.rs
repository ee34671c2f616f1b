//! `cargo xtask deny`: checks dependencies against the rules of `deny.toml`.
//!
//! `cargo deny` reads the same file, and runs too where it is installed. Building it takes minutes, so CI relies on
//! this check of licences, bans, sources and duplicates, which needs neither cargo-deny nor a network.

mod config;
mod spdx;

pub(crate) use config::Config;

use crate::{metadata, release, sh};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;

/// Prefix of registry sources in `Cargo.lock`. All packages must come from the same registry.
const REGISTRY: &str = "registry+";

/// One `[[package]]` of `Cargo.lock`.
struct Locked {
    name: String,
    version: String,
    /// `None` for a member of the workspace.
    source: Option<String>,
}

/// Checks all dependencies and reports every violation.
pub(crate) fn run() -> Result<()> {
    let config = Config::read()?;
    let lock = std::fs::read_to_string(sh::root().join("Cargo.lock")).context("Cargo.lock")?;
    let locked = packages(&lock)?;
    let compiled = metadata::compiled_anywhere()?;
    let mut problems = check_features(&config, &metadata::testable_features()?);
    problems.extend(check_lock(&locked, |name, version| is_compiled(name, version, &compiled)));
    problems.extend(check_bans(&config, metadata::compiled_without_c()?.iter().map(|package| package.name.as_str())));
    // The extension module may have several versions of a crate: the arrow crates bring some.
    let python = metadata::compiled_for_python()?;
    problems.extend(check_bans(&config, python.iter().map(|package| package.name.as_str())));
    let web = metadata::compiled_for_web()?;
    let count = locked.len() + python.len() + web.len();
    let main = metadata::resolved(&release::host()?)?;
    let main = main.iter().map(|package| (&package.name, &package.version, &package.licence));
    let others = python.iter().chain(&web);
    let licences = main.chain(others.map(|package| (&package.name, &package.version, &package.licence)));
    for (name, version, licence) in licences {
        if !spdx::is_allowed(licence, &config.licences) {
            problems.push(format!("{name} {version}: licence '{licence}' is not allowed"));
        }
    }
    ensure!(problems.is_empty(), "deny.toml forbids:\n  {}", problems.join("\n  "));
    println!("deny: {count} packages keep the rules of deny.toml");
    if sh::find_program(&format!("cargo-deny{}", std::env::consts::EXE_SUFFIX)).is_some() {
        sh::run(&mut sh::cargo(["deny", "--offline", "check", "licenses", "bans", "sources"]))?;
    } else {
        println!("deny: cargo-deny is not installed; advisories are not checked");
    }
    Ok(())
}

/// Checks that deny.toml lists all features but those that compile C.
fn check_features(config: &Config, all: &str) -> Vec<String> {
    let missing = all.split(',').filter(|feature| !config.features.iter().any(|listed| listed == feature));
    let unknown = config.features.iter().filter(|listed| !all.split(',').any(|feature| feature == listed.as_str()));
    let missing = missing.map(|feature| format!("{feature}: is missing in graph.features"));
    missing.chain(unknown.map(|feature| format!("{feature}: in graph.features is no feature, or compiles C"))).collect()
}

/// Checks the dependencies that these features have on any target.
fn check_bans<'a>(config: &Config, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    names
        .filter(|name| config.banned.iter().any(|banned| banned == name))
        .map(|name| format!("{name}: is banned; `cargo tree --target all -i {name}` shows what needs it"))
        .collect()
}

fn is_compiled(name: &str, version: &str, compiled: &[metadata::Compiled]) -> bool {
    compiled.iter().any(|package| package.name == name && package.version == version)
}

/// Checks sources and duplicates for all features and targets: `Cargo.lock` has packages that `cargo metadata` may lack.
/// Two versions count only if both are compiled for some target.
fn check_lock(locked: &[Locked], is_compiled: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let mut problems = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let sources = || locked.iter().filter_map(|package| package.source.as_deref());
    let registry = sources().find(|source| source.starts_with(REGISTRY));
    for Locked { name, version, source } in locked {
        if is_compiled(name, version) {
            versions.entry(name).or_default().push(version);
        }
        if let Some(source) = source.as_deref().filter(|source| Some(*source) != registry) {
            problems.push(format!("{name} {version}: comes from {source}"));
        }
    }
    for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
        problems.push(format!("{name}: {} versions: {}", versions.len(), versions.join(", ")));
    }
    problems
}

fn packages(lock: &str) -> Result<Vec<Locked>> {
    let field = |block: &str, name: &str| {
        let start = format!("{name} = \"");
        block.lines().find_map(|line| Some(line.strip_prefix(&start)?.strip_suffix('"')?.to_owned()))
    };
    let package = |block: &str| -> Result<Locked> {
        Ok(Locked {
            name: field(block, "name").context("Cargo.lock: a package without a name")?,
            version: field(block, "version").context("Cargo.lock: a package without a version")?,
            source: field(block, "source"),
        })
    };
    lock.split("[[package]]").skip(1).map(package).collect()
}

#[cfg(test)]
mod tests {
    use super::{Config, check_bans, check_features, check_lock, packages};

    #[test]
    fn banned_crates_are_found() {
        let config = Config::read().unwrap();
        let check = |names: &[&str]| check_bans(&config, names.iter().copied());
        assert!(check(&["libc", "zstd"]).is_empty());
        assert!(check(&["libc", "cc"])[0].contains("cc: is banned"));
    }

    #[test]
    fn listed_features_are_all_that_compile_no_c() {
        let config = Config::read().unwrap();
        let all = config.features.join(",");
        assert!(check_features(&config, &all).is_empty());
        assert_eq!(check_features(&config, &format!("{all},a/b")), ["a/b: is missing in graph.features"]);
        assert!(check_features(&config, &config.features[1..].join(","))[0].ends_with("no feature, or compiles C"));
    }

    #[test]
    fn sources_and_duplicates_are_found() {
        let own = "[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n";
        let package = |name: &str, version: &str, source: &str| {
            format!("\n[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"{source}\"\n")
        };
        let check =
            |more: &str| check_lock(&packages(&format!("{own}{more}")).unwrap(), |_, version| version != "9.0.0");
        let registry = "registry+https://example.org/index";
        assert!(check(&package("libc", "1.0.0", registry)).is_empty());
        assert!(check(&package("a", "1.0.0", "git+https://example.org/a"))[0].contains("comes from git+"));
        let other = package("a", "1.0.0", registry) + &package("b", "1.0.0", "registry+https://example.com/other");
        assert_eq!(check(&other), ["b 1.0.0: comes from registry+https://example.com/other"]);
        let twice = package("a", "1.0.0", registry) + &package("a", "2.0.0", registry);
        assert_eq!(check(&twice), ["a: 2 versions: 1.0.0, 2.0.0"]);
        let unused = package("a", "1.0.0", registry) + &package("a", "9.0.0", registry);
        assert!(check(&unused).is_empty());
    }
}
