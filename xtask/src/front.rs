//! Does the front door open? What README tells a newcomer to type, and the packages that a registry would be given.

use crate::sh;
use anyhow::{Context, Result, bail};

/// Runs the first command below README's first heading, word by word, and checks that it wrote what it names last.
pub(crate) fn readme() -> Result<()> {
    let readme = std::fs::read_to_string(sh::root().join("README.md")).context("README.md")?;
    let section = readme.split_once("## Try it").context("README has no section `Try it`")?.1;
    let block = section.split_once("```sh\n").and_then(|(_, rest)| rest.split_once("```"));
    let command = block.context("`Try it` has no block of shell commands")?.0.trim();
    let words: Vec<&str> = command.split_whitespace().collect();
    let [program, arguments @ .., output] = words.as_slice() else { bail!("`{command}` is no command") };
    let output_path = sh::root().join(output);
    match std::fs::remove_file(&output_path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| output.to_string());
        }
        _ => {}
    }
    sh::run(sh::command(program).args(arguments).arg(output))?;
    if !output_path.is_file() {
        bail!("`{command}` wrote no {output}");
    }
    Ok(())
}

/// Packs every crate that is published, builds each from its package alone, and stops before uploading.
pub(crate) fn package() -> Result<()> {
    sh::run(&mut sh::cargo(["publish", "--workspace", "--dry-run", "--locked", "--allow-dirty"]))
}
