//! The plain bytes of an input in a temporary file, for outputs that read them in another order.

use super::observed::Observed;
use crate::fs::spool::{self, Spool};
use crate::{Archive, ConvertOptions, Error};

/// Decodes the plain bytes to a temporary file. Its progress is half of that of the conversion.
pub(super) fn spooled(archive: &Archive<'_>, options: &ConvertOptions) -> Result<Spool, Error> {
    let mut spool = spool::create("creating a temporary file")?;
    let output = Observed::half(&mut spool, &options.observer);
    archive.unpack(output, &options.unpack_options())?;
    Ok(spool)
}
