//! Lists the chunks that are stored, in stores that can list.

use std::io;

use blosc_core::{Limits, memory};
use bloscpack_format::zarr::KeyScheme;

use super::array::OpenZarr;
use crate::Error;

/// A key that is stored, and its position on the grid.
pub(super) struct StoredKey {
    pub(super) key: String,
    pub(super) position: Vec<u64>,
    /// The number of stored bytes, if the list of the store has it.
    pub(super) len: Option<u64>,
}

impl OpenZarr<'_> {
    /// Lists the stored chunks or shards of the array, sorted by position. `None` if the store cannot list.
    pub(super) fn stored_keys(&self, limits: &Limits) -> Result<Option<Vec<StoredKey>>, Error> {
        let shards = self.geometry.shards();
        let keys = self.meta.keys;
        let mut found = Vec::new();
        let listed = match (keys.scheme, shards.as_slice(), keys.separator) {
            // The only chunk of an array without axes.
            (_, [], _) => {
                let key = keys.key(&[]);
                match self.dir.open(&key) {
                    Ok(file) => {
                        let len = file.len().ok();
                        memory::push(&mut found, StoredKey { key, position: Vec::new(), len })?;
                    }
                    Err(error) if super::node::is_absent(&error) => {}
                    Err(error) => return Err(Error::io("opening")(error).in_file(self.dir.name(&key))),
                }
                Ok(())
            }
            (KeyScheme::Default, _, '/') => self.walk("c", &mut Vec::new(), &shards, limits, &mut found),
            (KeyScheme::V2, _, '/') => self.walk("", &mut Vec::new(), &shards, limits, &mut found),
            (scheme, ..) => self.flat(scheme == KeyScheme::Default, &shards, limits, &mut found),
        };
        match listed {
            Ok(()) => {}
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::Unsupported => return Ok(None),
            Err(error) => return Err(error.in_file(self.dir.name(""))),
        }
        found.sort_unstable_by(|a, b| a.position.cmp(&b.position));
        Ok(Some(found))
    }

    fn names(&self, path: &str) -> Result<Vec<(String, Option<u64>)>, Error> {
        match self.dir.list_sizes(path) {
            Ok(names) => Ok(names),
            Err(error) if super::node::is_absent(&error) => Ok(Vec::new()),
            Err(error) => Err(Error::io("listing")(error)),
        }
    }

    /// Lists keys with a directory for each axis but the last.
    fn walk(
        &self,
        path: &str,
        position: &mut Vec<u64>,
        shards: &[u64],
        limits: &Limits,
        found: &mut Vec<StoredKey>,
    ) -> Result<(), Error> {
        let Some((len, inner)) = shards.split_first() else { return Ok(()) };
        for (name, nbytes) in self.names(path)? {
            let Some(number) = number_of(&name, *len) else { continue };
            let key = super::node::below(path, &name);
            position.push(number);
            if inner.is_empty() {
                limits.check_chunks(found.len() as u64 + 1)?;
                memory::push(found, StoredKey { key, position: position.clone(), len: nbytes })?;
            } else {
                self.walk(&key, position, inner, limits, found)?;
            }
            position.pop();
        }
        Ok(())
    }

    /// Lists keys that are all in one directory.
    fn flat(&self, has_prefix: bool, shards: &[u64], limits: &Limits, found: &mut Vec<StoredKey>) -> Result<(), Error> {
        for (key, len) in self.names("")? {
            let numbers = if has_prefix { key.strip_prefix("c.") } else { Some(key.as_str()) };
            let Some(numbers) = numbers else { continue };
            let mut axes = shards.iter();
            let position: Option<Vec<u64>> =
                numbers.split('.').map(|number| number_of(number, *axes.next()?)).collect();
            if let Some(position) = position.filter(|position| position.len() == shards.len()) {
                limits.check_chunks(found.len() as u64 + 1)?;
                memory::push(found, StoredKey { key, position, len })?;
            }
        }
        Ok(())
    }
}

/// Reads a number below `len` as it is written in keys.
fn number_of(text: &str, len: u64) -> Option<u64> {
    let is_canonical = text == "0" || !text.starts_with(['0', '+']);
    text.parse().ok().filter(|number| is_canonical && *number < len)
}
