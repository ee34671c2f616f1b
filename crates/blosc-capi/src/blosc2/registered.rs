//! Tables of codecs, filters and tuners that the program registered, by id.

use std::ffi::CStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of entries of a table.
const MAX_ENTRIES: usize = 255;

/// The library codes of registered codecs.
pub(crate) static CODECS: Table<u8> = Table::new();

/// Names of entries. They stay valid, because programs keep pointers to them.
static NAMES: Mutex<Vec<&'static CStr>> = Mutex::new(Vec::new());

/// An entry of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<T> {
    pub(crate) id: i32,
    pub(crate) name: &'static CStr,
    pub(crate) value: T,
}

/// Why an entry was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Another entry with the same id has another name.
    Taken,
    Full,
}

/// Entries in the order in which they were registered.
pub(crate) struct Table<T>(Mutex<Vec<Entry<T>>>);

impl<T: Copy> Table<T> {
    pub(crate) const fn new() -> Self {
        Table(Mutex::new(Vec::new()))
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets all entries.
    pub(crate) fn clear(&self) {
        self.entries().clear();
    }

    /// Adds an entry, unless there is one with the same id and name.
    pub(crate) fn register(&self, id: i32, name: &CStr, value: T) -> Result<(), Refused> {
        let mut entries = self.entries();
        match entries.iter().find(|entry| entry.id == id) {
            Some(found) if found.name == name => Ok(()),
            Some(_) => Err(Refused::Taken),
            None if entries.len() >= MAX_ENTRIES => Err(Refused::Full),
            None => {
                entries.push(Entry { id, name: lasting(name), value });
                Ok(())
            }
        }
    }

    /// Returns the first entry for which `is_wanted` is true.
    pub(crate) fn find(&self, is_wanted: impl Fn(&Entry<T>) -> bool) -> Option<Entry<T>> {
        self.entries().iter().find(|entry| is_wanted(entry)).copied()
    }

    /// Returns the entry with an id.
    pub(crate) fn get(&self, id: i32) -> Option<Entry<T>> {
        self.find(|entry| entry.id == id)
    }
}

/// Returns a copy of a name that is never released. Equal names share it.
fn lasting(name: &CStr) -> &'static CStr {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.iter().find(|known| **known == name) {
        Some(known) => known,
        None => {
            let name: &'static CStr = Box::leak(name.into());
            names.push(name);
            name
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_keeps_its_name() {
        let table = Table::new();
        assert_eq!(table.register(160, c"first", 1), Ok(()));
        assert_eq!(table.register(160, c"first", 2), Ok(()));
        assert_eq!(table.register(160, c"second", 3), Err(Refused::Taken));
        assert_eq!(table.get(160).map(|entry| (entry.name, entry.value)), Some((c"first", 1)));
        assert!(table.get(161).is_none());
    }
}
