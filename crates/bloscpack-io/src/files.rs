//! Questions about files that are asked before anything is written, and removing one.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::Error;

/// Refuses `output` if it is the file that is being read: writing would destroy what is still to be read.
pub(crate) fn refuse_same_file(input: &File, output: &Path) -> Result<(), Error> {
    match is_same_file(input, output) {
        // A device gives and takes without mixing the two.
        Ok(true) if input.metadata().is_ok_and(|input| input.is_file()) => Err(Error::SameFile(output.to_owned())),
        // An output that does not exist yet, or cannot be looked at, is another one.
        _ => Ok(()),
    }
}

/// Refuses `output` if it is `input`, or in that, or that in the output: what is read would be lost.
pub(crate) fn refuse_within(input: &Path, output: &Path) -> Result<(), Error> {
    // An output that is a link counts as where it leads to, a new one as where it would be.
    let there = output.canonicalize();
    let is_there = there.is_ok();
    let place = there.or_else(|_| crate::atomic::directory(output).canonicalize());
    match (input.canonicalize(), place) {
        (Ok(input_at), Ok(place)) if place.starts_with(&input_at) || is_there && input_at.starts_with(&place) => {
            Err(Error::InputReplaced { input: input.to_owned(), output: output.to_owned() })
        }
        _ => Ok(()),
    }
}

/// By device and inode: whatever the names, links and paths are.
#[cfg(unix)]
pub(crate) fn is_same_file(input: &File, output: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    let (a, b) = (input.metadata()?, std::fs::metadata(output)?);
    Ok((a.dev(), a.ino()) == (b.dev(), b.ino()))
}

/// Elsewhere an open file has no identity that the standard library tells; two files of one length and one time of
/// change are taken for the same, which at worst refuses to overwrite a copy.
#[cfg(not(unix))]
pub(crate) fn is_same_file(input: &File, output: &Path) -> io::Result<bool> {
    let (a, b) = (input.metadata()?, std::fs::metadata(output)?);
    Ok(a.len() == b.len() && a.modified()? == b.modified()?)
}

/// The size of an input that is known beforehand: a regular file's, unless it is 0, which is also what the files of
/// `/proc` say that hold something.
pub(crate) fn known_size(input: &File) -> Option<u64> {
    let metadata = input.metadata().ok()?;
    (metadata.is_file() && metadata.len() > 0).then_some(metadata.len())
}

/// Removes a file. It is no error if there is none.
pub(crate) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
