//! The page in Chromium and in Firefox.

use super::built::Built;
use super::npm;
use crate::sh;
use anyhow::{Result, anyhow};
use std::path::Path;

/// The names of the programs.
const CHROMIUM: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const FIREFOX: [&str; 2] = ["firefox-esr", "firefox"];

/// Scripts that run at the same time. Most of the time the browsers wait for each other.
const LANES: [&[&str]; 2] = [
    &["page.mjs", "inputs.mjs", "use.mjs", "tables.mjs", "access.mjs"],
    &["hostile.mjs", "failures.mjs", "stalls.mjs", "pictures.mjs"],
];

/// Opens golden files of every format on the page, compares what it shows with the recorded values, uses it as people do,
/// opens malformed files, and measures how long the page's thread is blocked.
pub(crate) fn test(built: &Built) -> Result<sh::Count> {
    std::thread::scope(|scope| {
        let lanes = LANES.map(|lane| scope.spawn(|| scripts(built, lane)));
        lanes.into_iter().try_fold(sh::Count::default(), |mut count, lane| {
            count += lane.join().map_err(|_| anyhow!("the thread that runs a browser panicked"))??;
            Ok(count)
        })
    })
}

/// Runs scripts in Chromium, one after the other.
fn scripts(built: &Built, names: &[&str]) -> Result<sh::Count> {
    names.iter().try_fold(sh::Count::default(), |mut count, name| {
        count += script(built, &CHROMIUM, name, None)?;
        Ok(count)
    })
}

/// Opens a file of each format in Firefox.
pub(crate) fn firefox(built: &Built) -> Result<sh::Count> {
    script(built, &FIREFOX, "firefox.mjs", None)
}

/// Writes the pictures of the documentation.
pub(crate) fn pictures(built: &Built) -> Result<sh::Count> {
    script(built, &CHROMIUM, "pictures.mjs", Some(Path::new("docs")))
}

/// Races the package against numcodecs in the browser.
pub(crate) fn bench(built: &Built) -> Result<sh::Count> {
    script(built, &CHROMIUM, "bench.mjs", Some(Path::new("docs/bench/web.tsv")))
}

/// Runs a script with the first of the browsers that is on this machine.
fn script(built: &Built, browsers: &[&str], name: &str, output: Option<&Path>) -> Result<sh::Count> {
    let Some(browser) = browsers.iter().find_map(|name| sh::find_program(name)) else {
        println!("web: SKIPPED: {name}: found none of {}", browsers.join(", "));
        return Ok(sh::Count { ignored: 1, ..sh::Count::default() });
    };
    let mut node = npm::command("node");
    node.arg(format!("browser/{name}")).arg(browser).arg(&built.page);
    sh::run_counting(node.args(output.map(|file| sh::root().join(file))))
}
