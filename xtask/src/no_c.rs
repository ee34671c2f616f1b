//! `cargo xtask no-c`: checks that the default `blpk` builds with `cargo` alone.
//!
//! Checks the names of all dependencies. The CI step `package` builds with every other compiler shadowed
//! ([`Guards`](crate::guards::Guards)), and so does this command.

use crate::deny::Config;
use crate::{package, sh};
use anyhow::{Result, bail};

/// `-sys` crates that contain only declarations and build nothing.
const PURE_SYS: &str = "core-foundation-sys js-sys linux-raw-sys web-sys windows-sys";

/// Checks the names and builds the packages.
pub(crate) fn run() -> Result<()> {
    names()?;
    package::run()
}

/// The CI step: checks the names.
pub(crate) fn names() -> Result<()> {
    let packages = dependencies()?;
    check_names(&packages, &Config::read()?.banned)?;
    println!("no-c: {} packages in the default tree, none of them builds C", packages.len());
    Ok(())
}

/// Returns the packages in the tree of `blpk-cli` with default features: normal and build dependencies for this target.
fn dependencies() -> Result<Vec<String>> {
    let tree = sh::capture(&mut sh::cargo([
        "tree",
        "--locked",
        "--package",
        "blpk-cli",
        "--edges",
        "normal,build",
        "--prefix",
        "none",
        "--format",
        "{p}",
    ]))?;
    let mut names: Vec<String> = tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names.retain(|name| !name.is_empty());
    Ok(names)
}

/// Rejects crates banned by deny.toml, and `-sys` crates that compile something.
fn check_names(packages: &[String], builders: &[String]) -> Result<()> {
    if !packages.iter().any(|name| name == "blosc-core") {
        bail!("no-c: cargo tree does not even list blosc-core: {packages:?}");
    }
    let is_pure = |name: &str| PURE_SYS.split(' ').any(|entry| entry == name);
    let forbidden = |name: &&String| builders.contains(name) || (name.ends_with("-sys") && !is_pure(name));
    let found: Vec<&String> = packages.iter().filter(forbidden).collect();
    if let Some(name) = found.first() {
        bail!(
            "no-c: the default tree of blpk-cli holds {found:?}, which build code that is not Rust.\n\
             `cargo tree -p blpk-cli -e normal,build -i {name}` shows who brings it; make that optional and off by default.\n\
             A -sys crate that only declares belongs in PURE_SYS of xtask/src/no_c.rs."
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_names;
    use crate::deny::Config;

    fn tree(extra: &str) -> Vec<String> {
        ["blosc-core", "linux-raw-sys", "libc", extra].map(String::from).to_vec()
    }

    #[test]
    fn builders_of_c_are_refused_and_declarations_are_not() {
        let builders = Config::read().unwrap().banned;
        assert!(check_names(&tree("rayon"), &builders).is_ok());
        for name in ["cc", "cmake", "zstd-sys", "libz-sys", "bindgen", "nasm-rs", "pkg-config"] {
            assert!(check_names(&tree(name), &builders).is_err(), "{name}");
        }
    }
}
