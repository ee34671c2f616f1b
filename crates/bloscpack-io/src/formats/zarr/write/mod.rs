//! Writes Zarr arrays and groups: chunks in any order, then the metadata.
//!
//! | file | content |
//! |---|---|
//! | `store` | [`KeyStore`]: the store that values are put into, and the local directory as one |
//! | `contents` | whether an old directory may be replaced |
//! | `remote` | the objects below a URL as a store |
//! | `params` | [`ZarrParams`]: version, chunks and compression of a new array |
//! | `array` | [`ArrayWriter`]: the keys and values of one array |
//! | `items` | the chunks of an array, assembled from its items and compressed in parallel |
//! | `positions` | the positions of chunks on the grid |
//! | `padding` | a chunk at the edge of the array, filled up to its full shape |
//! | `node` | the metadata of an array or of a group |

mod array;
mod contents;
mod items;
mod node;
mod padding;
mod params;
mod positions;
#[cfg(feature = "remote")]
mod remote;
mod store;

pub(crate) use array::ArrayWriter;
pub(crate) use items::Run;
pub(crate) use node::{array_files, group_files};
pub(crate) use params::{ZarrParams, is_known};
#[cfg(feature = "remote")]
pub(crate) use remote::RemoteStore;
pub(crate) use store::{KeyStore, NewStore};
