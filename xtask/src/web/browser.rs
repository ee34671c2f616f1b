//! The page in Chromium.

use super::built::Built;
use super::{modules, npm};
use crate::sh;
use anyhow::Result;
use std::path::PathBuf;

/// The names of the program.
const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

fn program() -> Option<PathBuf> {
    let found = PROGRAMS.iter().find_map(|name| sh::find_program(name));
    if found.is_none() {
        println!("web: SKIPPED: Chromium was not found");
    }
    found
}

/// Opens golden files of every format on the page, compares what it shows with the recorded values, and takes pictures.
pub(crate) fn test(built: &Built) -> Result<sh::Count> {
    script(built, "page.mjs", None)
}

/// Writes the sizes of the modules, and races the package against numcodecs in the browser.
pub(crate) fn bench(built: &Built) -> Result<sh::Count> {
    modules::sizes(built, &sh::root().join("docs/bench/web_sizes.tsv"))?;
    script(built, "bench.mjs", Some("docs/bench/web.tsv"))
}

fn script(built: &Built, name: &str, output: Option<&str>) -> Result<sh::Count> {
    let Some(chromium) = program() else { return Ok(sh::Count { ignored: 1, ..sh::Count::default() }) };
    let mut node = npm::command("node");
    node.arg(format!("browser/{name}")).arg(chromium).arg(&built.page);
    sh::run_counting(node.args(output.map(|file| sh::root().join(file))))
}
