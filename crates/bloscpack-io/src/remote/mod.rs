//! Files and directories at URLs: `http://`, `https://` and `s3://`.
//!
//! | file | content |
//! |---|---|
//! | `options`, `environment` | the settings of a client; those in the environment |
//! | `url` | URLs, and their names without secrets |
//! | `handle` | the client for users: it opens files, and counts |
//! | `client` | connections, settings and counters |
//! | `request`, `redirect`, `failure` | one request, checks of redirects, and which failures may pass |
//! | `response` | checks of what a server sends |
//! | `file`, `cache` | a file that is read in ranges, and the parts that were read |
//! | `plan` | the ranges that requests ask for |
//! | `spooled` | a file from a server without ranges |
//! | `reader` | a file read from start to end |
//! | `directory` | a directory of files |
//! | `s3` | the protocol of S3 |
//! | `objects` | operations on the objects of a store |
//! | `upload` | files and directories as outputs |
//! | `several` | the same work by several threads |
//! | `tls` | cryptography and certificates |
//!
//! `docs/remote.md` has the limits and what is requested when; `docs/decisions/025-network.md` has the design.

mod cache;
mod client;
mod directory;
mod environment;
mod failure;
mod file;
mod handle;
mod objects;
mod options;
mod plan;
mod reader;
mod redirect;
mod request;
mod response;
mod s3;
mod several;
mod spooled;
mod tls;
#[cfg(feature = "write")]
mod upload;
mod url;

pub use self::directory::RemoteDirectory;
pub use self::file::RemoteFile;
pub use self::handle::{Remote, Traffic};
pub use self::options::RemoteOptions;
pub use self::reader::RemoteReader;
pub use self::url::{InvalidUrl, RemoteUrl};
