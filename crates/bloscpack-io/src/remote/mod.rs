//! Files and directories behind URLs: `http://`, `https://` and `s3://`.
//!
//! | file | content |
//! |---|---|
//! | `options`, `environment` | the settings of a client; those in the environment |
//! | `url` | URLs, and their names without secrets |
//! | `client` | the client: connections, counters, open files |
//! | `request`, `redirect`, `failure` | one request, where redirects may lead, and which failures may pass |
//! | `response` | checks of what a server sends |
//! | `file`, `cache` | a file that is read in ranges, and the parts that were read |
//! | `spooled` | a file from a server without ranges |
//! | `reader` | a file read from start to end |
//! | `directory` | a directory of files |
//! | `s3` | the protocol of S3 |
//! | `upload` | files and directories as outputs |
//! | `tls` | cryptography and certificates |
//!
//! `docs/remote.md` has the limits and what is requested when; `docs/decisions/025-network.md` has the design.

mod cache;
mod client;
mod directory;
mod environment;
mod failure;
mod file;
mod options;
mod reader;
mod redirect;
mod request;
mod response;
mod s3;
mod spooled;
mod tls;
#[cfg(feature = "write")]
mod upload;
mod url;

pub use self::client::{Remote, Traffic};
pub use self::directory::RemoteDirectory;
pub use self::file::RemoteFile;
pub use self::options::RemoteOptions;
pub use self::reader::RemoteReader;
pub use self::url::{InvalidUrl, RemoteUrl};
