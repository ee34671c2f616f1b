//! `cargo xtask web`: builds the JavaScript package and the page, and tests them in Node, Chromium and Firefox.
//!
//! | file | content |
//! |---|---|
//! | `mod` | the parts |
//! | `compiler` | a compiler with a standard library for WebAssembly |
//! | `modules` | the WebAssembly modules, and the JavaScript that calls them |
//! | `npm` | Node, the tools from npm, the package |
//! | `browser` | the page in Chromium and Firefox |
//! | `place`, `built` | where everything is, and the results of a build |

mod browser;
mod built;
mod compiler;
mod modules;
mod npm;
mod place;

use crate::sh;
use anyhow::{Context, Result, bail};
use built::Built;
use std::time::Instant;

/// A part of the work.
struct Part {
    name: &'static str,
    /// Whether it runs where no part is named.
    is_default: bool,
    run: fn(&Built) -> Result<sh::Count>,
}

const PARTS: [Part; 9] = [
    Part { name: "lint", is_default: true, run: modules::lint },
    Part { name: "node", is_default: true, run: npm::test },
    Part { name: "info", is_default: true, run: npm::info },
    Part { name: "pack", is_default: true, run: npm::pack },
    Part { name: "page", is_default: true, run: browser::test },
    Part { name: "firefox", is_default: true, run: browser::firefox },
    Part { name: "pictures", is_default: false, run: browser::pictures },
    Part { name: "sizes", is_default: false, run: modules::sizes },
    Part { name: "bench", is_default: false, run: browser::bench },
];

/// `cargo xtask web [build | PART...]`: builds, then runs the named parts, or all that take no more than minutes.
pub(crate) fn run(names: &[&str]) -> Result<()> {
    let is_known = |name: &str| name == "build" || PARTS.iter().any(|part| part.name == name);
    if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
        let parts: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        bail!("no part is called {unknown}; there are build {}", parts.join(" "));
    }
    let start = Instant::now();
    let Some(built) = build()? else { return Ok(()) };
    println!("web: the build took {:.0?}", start.elapsed());
    let mut total = sh::Count::default();
    let is_wanted = |part: &&Part| if names.is_empty() { part.is_default } else { names.contains(&part.name) };
    for part in PARTS.iter().filter(is_wanted) {
        println!("\n-- web {}", part.name);
        let start = Instant::now();
        total += (part.run)(&built).with_context(|| format!("`cargo xtask web {}` runs it alone", part.name))?;
        println!("web: {} took {:.0?}", part.name, start.elapsed());
    }
    println!("web: {} passed, {} failed, {} skipped", total.passed, total.failed, total.ignored);
    Ok(())
}

/// Builds the modules, the package and the page. `None` where that is impossible on this machine.
fn build() -> Result<Option<Built>> {
    if !npm::is_here()? {
        return Ok(None);
    }
    let Some(compiler) = compiler::find()? else {
        println!("web: SKIPPED: there is no standard library for {}", compiler::TARGET);
        return Ok(None);
    };
    modules::build(&compiler)?;
    let page = place::target()?.join("page");
    if !npm::build(&page)? {
        return Ok(None);
    }
    println!("web: the page is the folder {}", page.display());
    Ok(Some(Built { compiler, page }))
}
