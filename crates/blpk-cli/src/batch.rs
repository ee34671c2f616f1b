//! Work on many files: an error of one is reported, and the others are done all the same.

use crate::exit::{self, AlreadyReported};
use crate::file_message::FileMessage;
use crate::place::Place;
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

/// The error with the name of its file, if it does not say it. The name of the output tells the file, too, if it holds
/// that of the input.
pub(crate) fn of_file(error: anyhow::Error, place: &Place) -> anyhow::Error {
    let name = place.to_string();
    let is_named = match error.downcast_ref::<FileMessage>() {
        Some(message) => message.file().contains(&name),
        None => {
            let file = error.chain().find_map(|cause| cause.downcast_ref::<Error>()?.location().file);
            file.is_some_and(|file| Place::File(file).to_string().contains(&name))
        }
    };
    if is_named { error } else { error.context(name) }
}
