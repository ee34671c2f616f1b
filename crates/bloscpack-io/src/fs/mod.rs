//! Files and directories of the file system.
//!
//! | file | content |
//! |---|---|
//! | `atomic` | a file that appears whole or not at all |
//! | `new_directory` | the same for a directory |
//! | `contents` | whether a directory may be replaced |
//! | `temporary` | temporary files, and the removal of stale ones |
//! | `lock` | one writer at a time |
//! | `spool` | an unnamed temporary file for bytes that are read later, or memory |
//! | `path` | the directory that an output is in, and temporary names |
//! | `files` | checks before a file is read or written; regular files that are not links |

#[cfg(feature = "write")]
pub(crate) mod atomic;
#[cfg(feature = "write")]
pub(crate) mod contents;
pub(crate) mod files;
pub(crate) mod lock;
#[cfg(feature = "write")]
pub(crate) mod new_directory;
pub(crate) mod path;
pub(crate) mod spool;
#[cfg(feature = "write")]
pub(crate) mod temporary;
