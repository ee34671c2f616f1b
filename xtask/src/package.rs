//! CI step `package`: builds the published packages without any C compiler and checks that they are complete.

use crate::guards::Guards;
use crate::{metadata, sh};
use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::io::Read as _;
use tar::Archive;

/// Files in every published package. The second item is the repository file that it must be a copy of, if any.
const PACKAGED: [(&str, Option<&str>); 2] = [("README.md", None), ("LICENSE", Some("LICENSE"))];

/// Packages every published crate, builds each from its package alone with [`Guards`], and stops before uploading.
///
/// Cargo unpacks the packages into its home directory, under a name that depends on the path of the target directory and
/// on the crates' versions, and keeps what an earlier run unpacked there. So every run has a target directory of its own.
pub(crate) fn run() -> Result<()> {
    let target = tempfile::Builder::new().prefix("package-").tempdir_in(metadata::target_directory()?)?;
    let mut publish = sh::cargo(["publish", "--workspace", "--dry-run", "--locked", "--allow-dirty", "--target-dir"]);
    publish.arg(target.path()).args(["--config", "profile.dev.debug=false"]);
    if cfg!(unix) {
        Guards::write(target.path().join("guards"))?.run(&mut publish)?;
        let blpk = target.path().join("debug/blpk");
        let version = sh::capture(sh::command(&blpk).arg("--version")).context("the built blpk does not start")?;
        println!("package: built without any compiler but rustc: {}", version.trim());
    } else {
        sh::run(&mut publish)?;
        println!("package: SKIPPED the guards against compilers: they need a Unix shell");
    }
    let published: Vec<_> = metadata::packages()?.into_iter().filter(|package| package.is_published).collect();
    ensure!(published.len() >= 4, "only {} crates would be published", published.len());
    // Some versions of cargo put dry-run packages into a separate folder.
    let folders = ["package/tmp-crate", "package"].map(|folder| target.path().join(folder));
    for package in &published {
        let name = format!("{}-{}.crate", package.name, package.version);
        let path = folders.iter().map(|folder| folder.join(&name)).find(|path| path.is_file());
        let bytes = std::fs::read(path.with_context(|| format!("cargo made no {name}"))?)?;
        check_package(&files(&bytes)?).with_context(|| name)?;
    }
    println!("package: {} packages, each with README and licence", published.len());
    Ok(())
}

/// Returns the files in a `.crate`: paths relative to its top folder, and contents.
fn files(package: &[u8]) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for entry in Archive::new(GzDecoder::new(package)).entries()? {
        let mut entry = entry?;
        let path = entry.path()?.to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        let path = path.split_once('/').map_or(path.as_str(), |(_, path)| path);
        files.insert(path.to_owned(), String::from_utf8_lossy(&bytes).into_owned());
    }
    Ok(files)
}

/// Rejects a package that lacks one of [`PACKAGED`], or holds the text of a symbolic link instead of the linked file.
fn check_package(files: &BTreeMap<String, String>) -> Result<()> {
    for (name, source) in PACKAGED {
        let found = files.get(name).with_context(|| format!("the package has no {name}"))?;
        ensure!(found.len() > 100, "{name} of the package is only {found:?}");
        if let Some(source) = source {
            let expected = std::fs::read_to_string(sh::root().join(source))?;
            ensure!(*found == expected, "{name} of the package differs from {source}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{BTreeMap, check_package};
    use crate::sh;

    fn text(name: &str) -> String {
        std::fs::read_to_string(sh::root().join(name)).unwrap()
    }

    #[test]
    fn packages_without_texts_are_refused() {
        let full = BTreeMap::from([("README.md", text("README.md")), ("LICENSE", text("LICENSE"))]);
        let full: BTreeMap<String, String> = full.into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
        check_package(&full).unwrap();
        let with = |name: &str, text: &str| {
            let mut files = full.clone();
            files.insert(name.to_owned(), text.to_owned());
            files
        };
        assert!(check_package(&with("LICENSE", "../../LICENSE")).is_err());
        assert!(check_package(&with("README.md", "")).is_err());
        assert!(check_package(&BTreeMap::new()).is_err());
    }
}
