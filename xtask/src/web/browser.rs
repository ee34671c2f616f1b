//! The page in Chromium and in Firefox.

use super::built::Built;
use super::{modules, npm};
use crate::sh;
use anyhow::{Result, anyhow};
use std::path::Path;

/// The names of the programs.
const CHROMIUM: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const FIREFOX: [&str; 2] = ["firefox-esr", "firefox"];

/// Opens golden files of every format on the page, compares what it shows with the recorded values, uses it as people do,
/// and opens malformed files. Most of the time the browsers wait for each other, so two run at the same time.
pub(crate) fn test(built: &Built) -> Result<sh::Count> {
    let (hostile, others) = std::thread::scope(|scope| {
        let hostile = scope.spawn(|| script(built, &CHROMIUM, "hostile.mjs", None));
        let mut others = sh::Count::default();
        let mut run = |name| script(built, &CHROMIUM, name, None).map(|count| others += count);
        let ran =
            ["page.mjs", "inputs.mjs", "use.mjs", "access.mjs", "pictures.mjs"].into_iter().try_for_each(&mut run);
        (hostile.join(), ran.map(|()| others))
    });
    let mut count = others?;
    count += hostile.map_err(|_| anyhow!("the thread that runs a browser panicked"))??;
    Ok(count)
}

/// Opens a file of each format in Firefox.
pub(crate) fn firefox(built: &Built) -> Result<sh::Count> {
    script(built, &FIREFOX, "firefox.mjs", None)
}

/// Writes the pictures of the documentation.
pub(crate) fn pictures(built: &Built) -> Result<sh::Count> {
    script(built, &CHROMIUM, "pictures.mjs", Some(Path::new("docs")))
}

/// Writes the sizes of the modules, and races the package against numcodecs in the browser.
pub(crate) fn bench(built: &Built) -> Result<sh::Count> {
    modules::sizes(built, &sh::root().join("docs/bench/web_sizes.tsv"))?;
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
