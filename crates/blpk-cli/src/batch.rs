//! Batches of files: an error in one file is reported, and the remaining files are still processed.

use crate::exit::{self, AlreadyReported};
use crate::file_message::FileMessage;
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use anyhow::Result;
use bloscpack_io::{Cancel, Error};

/// Processes each item and reports errors as they occur. Fails at the end if any item failed. Cancellation and errors
/// that end the run are returned at once.
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

/// Adds the file's name to an error that does not contain it yet. An output's name that contains the input's name is
/// enough.
pub(crate) fn of_file(error: anyhow::Error, operand: &PathOrStdio) -> anyhow::Error {
    let name = operand.to_string();
    let is_named = match error.downcast_ref::<FileMessage>() {
        Some(message) => message.file().contains(&name),
        None => {
            let file = error.chain().find_map(|cause| cause.downcast_ref::<Error>()?.location().file);
            file.is_some_and(|file| PathOrStdio::File(file).to_string().contains(&name))
        }
    };
    if is_named { error } else { error.context(name) }
}
