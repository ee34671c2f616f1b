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
    let mut problems = check_lock(&config, &locked);
    let resolved = metadata::resolved(&release::host()?)?;
    for package in resolved {
        if !spdx::is_allowed(&package.licence, &config.licences) {
            let licence = &package.licence;
            problems.push(format!("{} {}: licence '{licence}' is not allowed", package.name, package.version));
        }
    }
    ensure!(problems.is_empty(), "deny.toml forbids:\n  {}", problems.join("\n  "));
    println!("deny: {} packages keep the rules of deny.toml", locked.len());
    if sh::find_program(&format!("cargo-deny{}", std::env::consts::EXE_SUFFIX)).is_some() {
        sh::run(&mut sh::cargo(["deny", "--offline", "check", "licenses", "bans", "sources"]))?;
    } else {
        println!("deny: cargo-deny is not installed; advisories are not checked");
    }
    Ok(())
}

/// Checks bans, sources and duplicates for all targets: `Cargo.lock` has packages that `cargo metadata` may lack.
fn check_lock(config: &Config, locked: &[Locked]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let sources = || locked.iter().filter_map(|package| package.source.as_deref());
    let registry = sources().find(|source| source.starts_with(REGISTRY));
    for Locked { name, version, source } in locked {
        versions.entry(name).or_default().push(version);
        if config.banned.contains(name) {
            problems
                .push(format!("{name} {version}: is banned; `cargo tree --target all -i {name}` shows what needs it"));
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
    use super::{Config, check_lock, packages};

    #[test]
    fn bans_sources_and_duplicates_are_found() {
        let config = Config::read().unwrap();
        let own = "[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n";
        let package = |name: &str, version: &str, source: &str| {
            format!("\n[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"{source}\"\n")
        };
        let check = |more: &str| check_lock(&config, &packages(&format!("{own}{more}")).unwrap());
        let registry = "registry+https://example.org/index";
        assert!(check(&package("libc", "1.0.0", registry)).is_empty());
        assert!(check(&package("cc", "1.0.0", registry))[0].contains("cc 1.0.0: is banned"));
        assert!(check(&package("a", "1.0.0", "git+https://example.org/a"))[0].contains("comes from git+"));
        let other = package("a", "1.0.0", registry) + &package("b", "1.0.0", "registry+https://example.com/other");
        assert_eq!(check(&other), ["b 1.0.0: comes from registry+https://example.com/other"]);
        let twice = package("a", "1.0.0", registry) + &package("a", "2.0.0", registry);
        assert_eq!(check(&twice), ["a: 2 versions: 1.0.0, 2.0.0"]);
    }
}
