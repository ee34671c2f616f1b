//! The kinds of outputs of a conversion.

use std::path::Path;

/// The kind of output of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// A bloscpack file, `.blp`.
    Bloscpack,
    /// A contiguous frame, `.b2frame`.
    Frame,
    /// An array in a contiguous frame, `.b2nd`.
    Array,
    /// A NumPy file, `.npy`.
    Npy,
    /// A directory of bcolz, `.bcolz`: a carray, or of a table another one.
    Bcolz,
}

impl Target {
    /// The kind of output that a file name stands for; `None` for other names.
    #[must_use]
    pub fn of_name(path: impl AsRef<Path>) -> Option<Target> {
        fn inner(path: &Path) -> Option<Target> {
            match path.extension()?.to_str()? {
                "blp" => Some(Target::Bloscpack),
                "b2frame" | "b2f" | "b2" => Some(Target::Frame),
                "b2nd" => Some(Target::Array),
                "npy" => Some(Target::Npy),
                "bcolz" => Some(Target::Bcolz),
                _ => None,
            }
        }
        inner(path.as_ref())
    }
}
