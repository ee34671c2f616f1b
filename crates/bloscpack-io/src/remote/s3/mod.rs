//! The protocol of S3.
//!
//! | file | content |
//! |---|---|
//! | `bucket` | the host and path of an object, by the settings |
//! | `sign` | signatures of requests, version 4 |
//! | `time` | dates in signatures |
//! | `xml` | the few values that responses have in XML |
//! | `list` | the names below a prefix |
//! | `upload` | objects written in parts, which appear when they are complete |

mod bucket;
mod list;
mod sign;
mod time;
mod upload;
mod xml;

pub(super) use self::bucket::{object_uri, region};
pub(super) use self::list::{Names, list};
pub(super) use self::sign::Credentials;
pub(super) use self::sign::{Signed, sign};
pub(super) use self::upload::{exists, put, put_file};
pub(super) use self::xml::text_of;
