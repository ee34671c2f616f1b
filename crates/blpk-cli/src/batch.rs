//! What if one of many files fails? It is told, and the others are done all the same.

use crate::exit::{self, AlreadyReported};
use crate::session::Session;
use anyhow::Result;
use bloscpack_io::{Cancel, Error};

/// Works on each item. Fails if one of them did, at the end; at once if there is no sense in going on.
pub(crate) fn each<T>(
    items: impl IntoIterator<Item = Result<T>>,
    session: &Session,
    cancel: &Cancel,
    mut work: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let mut failed = false;
    for item in items {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled.into());
        }
        match item.and_then(&mut work) {
            Ok(()) => {}
            Err(error) if exit::ends_all(&error) => return Err(error),
            Err(error) => {
                failed = true;
                session.report.error(&exit::one_line(&error));
            }
        }
    }
    if failed { Err(AlreadyReported.into()) } else { Ok(()) }
}
