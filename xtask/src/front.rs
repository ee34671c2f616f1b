//! CI step `readme`: runs the commands in README and checks the sizes that it states.

use crate::{metadata, release, sh};
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;

/// The folder that README's commands write to.
const FOLDER: &str = "target/try";

/// Runs all shell blocks of README as one script, in order, and checks the sizes README states.
pub(crate) fn readme() -> Result<()> {
    let readme = std::fs::read_to_string(sh::root().join("README.md")).context("README.md")?;
    let Some(bash) = sh::find_program("bash") else {
        println!("readme: skipped: there is no bash");
        return Ok(());
    };
    let folder = sh::root().join(FOLDER);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    let script = blocks(&readme, "sh").concat();
    ensure!(script.lines().count() > 10, "README has only {} commands", script.lines().count());
    // README's second block assumes that `blpk` is installed.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let installed = metadata::target_directory()?.join("release");
    let path = std::env::join_paths(std::iter::once(installed).chain(std::env::split_paths(&path)))?;
    let mut run = sh::command(bash);
    run.args(["-e", "-u", "-x", "-o", "pipefail", "-c", &script]).env("PATH", path);
    release::set_flags(&mut run)?; // the flags of every other release build, so that cargo compiles nothing twice
    sh::run(&mut run)?;
    let checked = check_ratios(&readme, &folder)?;
    println!("readme: {} commands, {checked} ratios", script.lines().count());
    Ok(())
}

/// Returns the contents of all code blocks in `language`.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let blocks = text.split("```").skip(1).step_by(2);
    blocks.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n')).collect()
}

/// Compares table rows such as ``| `sun.b2frame`, … | 370,727 | 53.9 |`` with the actual files. The last bit of a sine
/// differs between systems, so sizes may be off by 1 %.
fn check_ratios(readme: &str, folder: &Path) -> Result<u32> {
    let mut checked = 0;
    let mut plain = None;
    for row in readme.lines() {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let ["", name, stated, ratio, ""] = cells.as_slice() else { continue };
        let Some(file) = name.split('`').nth(1).map(|file| folder.join(file)).filter(|file| file.is_file()) else {
            continue;
        };
        let (Ok(stated), Ok(ratio)) = (stated.replace(',', "").parse::<f64>(), ratio.parse::<f64>()) else {
            bail!("README: no size and ratio in {row}");
        };
        let size = std::fs::metadata(&file)?.len() as f64;
        let plain = *plain.get_or_insert(size);
        ensure!((size / stated - 1.0).abs() < 0.01, "README says {stated} bytes for {name}; it has {size}");
        ensure!((plain / size / ratio - 1.0).abs() < 0.01, "README says {ratio} for {name}; it is {}", plain / size);
        checked += 1;
    }
    ensure!(checked >= 3, "README has only {checked} rows with a size and a ratio");
    Ok(checked)
}

#[cfg(test)]
mod tests {
    use super::{blocks, check_ratios};
    use crate::sh;

    fn text(name: &str) -> String {
        std::fs::read_to_string(sh::root().join(name)).unwrap()
    }

    #[test]
    fn blocks_of_a_language_are_found_in_order() {
        let text = "```sh\na\nb\n```\ntext ```sh``` \n```rust\nc\n```\n```sh\nd\n```\n";
        assert_eq!(blocks(text, "sh"), ["a\nb\n", "d\n"]);
        assert_eq!(blocks(text, "rust"), ["c\n"]);
    }

    /// README cannot be a doc test itself; the copy in bloscpack-io is one.
    #[test]
    fn the_example_of_readme_is_that_of_bloscpack_io() {
        let tested = text("crates/bloscpack-io/README.md");
        assert_eq!(blocks(&text("README.md"), "rust"), blocks(&tested, "rust"));
    }

    #[test]
    fn ratios_that_are_not_true_are_found() {
        let folder = std::env::temp_dir().join(format!("xtask-ratios-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, size) in [("a", 10_000), ("b", 1000), ("c", 100)] {
            std::fs::write(folder.join(name), vec![0; size]).unwrap();
        }
        let table =
            "| `a` | 10,000 | 1.0 |\n| `gzip` | 7 | 9 |\n| `b`, small | 1,000 | 10.0 |\n| `c` | 100 | 100.0 |\n";
        assert_eq!(check_ratios(table, &folder).unwrap(), 3);
        assert!(check_ratios(&table.replace("10.0", "11.0"), &folder).is_err());
        assert!(check_ratios(&table.replace("| 100 |", "| 90 |"), &folder).is_err());
        assert!(check_ratios("", &folder).is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
