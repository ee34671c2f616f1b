//! The protocol of S3. Nothing here sends or receives.
//!
//! | file | content |
//! |---|---|
//! | `bucket` | the host and path of an object, by the settings |
//! | `sign` | signatures of requests, version 4 |
//! | `time` | dates in signatures |
//! | `xml` | the few values that responses have in XML |

mod bucket;
mod sign;
mod time;
mod xml;

pub(super) use self::bucket::{S3Options, object_uri, region};
pub(super) use self::sign::{Credentials, Signed, sign};
pub(super) use self::xml::{Token, decoded, text_of, tokens};
