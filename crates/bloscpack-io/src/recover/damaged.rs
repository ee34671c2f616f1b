//! Detects the format of a damaged container, which may have lost its identifying bytes.

use std::fs::{self, File};
use std::path::Path;

use bloscpack_format::Format;
use bloscpack_format::bcolz::{ATTRS_FILE, DATA_DIR, META_DIR};

use crate::Error;
use crate::peek::{format_at, prefix};
use crate::target::Target;

/// The start of a frame: MessagePack's markers of an array and a string, and the magic.
const FRAME_START: &[u8] = b"\x9e\xa8b2frame\0";

/// The kinds of containers that [`recover`](crate::recover) takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damaged {
    /// A bloscpack file.
    Bloscpack,
    /// A Blosc2 frame, contiguous or sparse.
    Frame,
    /// A carray or ctable of bcolz.
    Bcolz,
}

impl Damaged {
    /// Detects the kind by the content.
    ///
    /// A file of unrecognised format is a bloscpack file if its name ends with `.blp`. It is a frame if it ends before
    /// the header of a frame would. A directory without the files that identify a format is one of bcolz if it has
    /// other files of a carray.
    ///
    /// A file that cannot be read counts as a frame, or by its name as a bloscpack file: opening it gives the error.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for formats that cannot be salvaged; [`Error::Unrecognised`] for other files.
    pub fn of(path: impl AsRef<Path>) -> Result<Damaged, Error> {
        fn inner(path: &Path) -> Result<Damaged, Error> {
            // Opening the container gives the better error for an unreadable file.
            match format_at(path).ok().flatten() {
                Some(Format::Bloscpack { .. }) => Ok(Damaged::Bloscpack),
                Some(Format::Carray | Format::Ctable) => Ok(Damaged::Bcolz),
                Some(Format::Blosc2Frame | Format::SparseFrame) => frame_at(path),
                Some(format) => Err(Error::Unsupported { format }),
                None if looks_like_carray(path) => Ok(Damaged::Bcolz),
                None if has_name_of_bloscpack(path) => Ok(Damaged::Bloscpack),
                None => frame_at(path),
            }
        }
        inner(path.as_ref())
    }
}

/// Refuses a file that does not start like a frame. A file that ends within the header may have been a frame.
fn frame_at(path: &Path) -> Result<Damaged, Error> {
    let regular = fs::metadata(path).is_ok_and(|found| found.is_file());
    let start = || prefix(&File::open(path).ok()?, FRAME_START.len()).ok();
    match if regular { start() } else { None } {
        Some(found) if !FRAME_START.starts_with(&found) => Err(Error::Unrecognised { found }),
        _ => Ok(Damaged::Frame),
    }
}

fn looks_like_carray(path: &Path) -> bool {
    path.is_dir() && [ATTRS_FILE, DATA_DIR, META_DIR].iter().any(|name| path.join(name).exists())
}

/// The name `.blp` alone, which has no extension, counts too.
fn has_name_of_bloscpack(path: &Path) -> bool {
    let ending = format!(".{}", Target::Bloscpack.extension());
    path.as_os_str().as_encoded_bytes().ends_with(ending.as_bytes())
}
