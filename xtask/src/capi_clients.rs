//! `cargo xtask capi --clients`: Python packages that use C-Blosc2, unmodified, on our library.
//!
//! | client | how it gets our library |
//! |---|---|
//! | python-blosc2 | its extension is built from the source distribution, and linked with the library |
//! | PyTables | the library replaces the one in the wheel, which has the structures of C-Blosc2 2.23 |

use crate::capi_library::{self, Abi, Build};
use crate::venv::{self, Venv};
use crate::{metadata, sh};
use anyhow::{Result, ensure};

/// A package, the script that compares it, the structures that it expects, and the fewest comparisons that must be equal.
struct Client {
    name: &'static str,
    script: &'static str,
    abi: Abi,
    least: u64,
}

const CLIENTS: [Client; 2] = [
    Client { name: "blosc2", script: "client_blosc2.py", abi: Abi::Nine, least: 12_000 },
    Client { name: "tables", script: "client_tables.py", abi: Abi::Seven, least: 6_800 },
];

/// Runs the clients with these names, or all.
pub(crate) fn run(names: &[&str]) -> Result<()> {
    for name in names {
        ensure!(CLIENTS.iter().any(|client| client.name == *name), "there is no client {name:?}");
    }
    let folder = metadata::target_directory()?.join("capi-clients");
    let python = match venv::pinned(&folder.join("venv"), "xtask/capi/clients.txt")? {
        Venv::Ready(python) => python,
        Venv::Impossible(why) => {
            println!("capi: SKIPPED the clients: {why}");
            return Ok(());
        }
    };
    for client in CLIENTS.iter().filter(|client| names.is_empty() || names.contains(&client.name)) {
        let Client { name, script, abi, least } = *client;
        let prefix = folder.join(name);
        capi_library::install(&prefix, Build::User, abi)?;
        let script = sh::root().join("xtask/capi").join(script);
        let count = sh::run_counting(sh::command(&python).arg(script).arg(&prefix))?;
        println!("capi: {name}: {} passed, {} failed", count.passed, count.failed);
        let (passed, failed) = (count.passed, count.failed);
        ensure!(passed >= least && failed == 0, "capi: {name}: {passed} comparisons are equal, {failed} are not");
    }
    Ok(())
}
