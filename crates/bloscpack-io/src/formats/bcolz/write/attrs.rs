//! The attributes of a carray or ctable that is being changed.

use bloscpack_format::Json;
use bloscpack_format::bcolz::{ATTRS_FILE, Attrs, JournalStep, MAX_ATTRS_LEN};

use super::staging::Staging;
use super::subdirectory::Subdirectory;
use crate::Error;
use crate::formats::bcolz::store::{Directory, read_attrs};

/// Attributes with the changes since the last flush. Their file is read when they are first needed.
#[derive(Debug, Default)]
pub(super) struct AttrsEdit {
    attrs: Option<Attrs>,
    /// Whether they differ from those in the file.
    is_changed: bool,
}

impl AttrsEdit {
    /// Returns the attributes as the next flush will write them.
    pub(super) fn get<D: Directory>(&mut self, dir: &Subdirectory<D>) -> Result<&Attrs, Error> {
        Ok(self.load(dir)?)
    }

    /// Sets an attribute, or removes it if `value` is `None`. Returns the old value.
    pub(super) fn set<D: Directory>(
        &mut self,
        dir: &Subdirectory<D>,
        name: &str,
        value: Option<Json>,
    ) -> Result<Option<Json>, Error> {
        let attrs = self.load(dir)?;
        match value {
            Some(value) => {
                let old = attrs.set(name, value)?;
                self.is_changed = true;
                Ok(old)
            }
            None => {
                let old = attrs.remove(name);
                self.is_changed |= old.is_some();
                Ok(old)
            }
        }
    }

    /// Replaces all attributes. The old ones need not be readable.
    pub(super) fn replace(&mut self, attrs: Attrs) {
        (self.attrs, self.is_changed) = (Some(attrs), true);
    }

    /// Stages the attributes if they were changed. Returns the step that puts them in place.
    pub(super) fn stage<D: Directory>(&self, dir: &Subdirectory<D>) -> Result<Option<JournalStep>, Error> {
        let changed = self.attrs.as_ref().filter(|_| self.is_changed);
        changed.map(|attrs| stage_attrs(dir.root(), attrs, dir.path(ATTRS_FILE))).transpose()
    }

    /// Notes that the staged attributes were committed.
    pub(super) fn committed(&mut self) {
        self.is_changed = false;
    }

    fn load<D: Directory>(&mut self, dir: &Subdirectory<D>) -> Result<&mut Attrs, Error> {
        match self.attrs {
            Some(ref mut attrs) => Ok(attrs),
            None => Ok(self.attrs.insert(dir.read(|found| read_attrs(found, &dir.root().limits))?)),
        }
    }
}

/// Stages attributes. Returns the step that moves them to `path`.
pub(super) fn stage_attrs<D: Directory>(root: &Staging<D>, attrs: &Attrs, path: String) -> Result<JournalStep, Error> {
    let bytes = attrs.to_bytes()?;
    if bytes.len() as u64 > MAX_ATTRS_LEN {
        let what = "more than 64 MiB of attributes could not be read again";
        return Err(Error::NotWritable { directory: root.dir.name(&path), what });
    }
    Ok(JournalStep::Move { from: root.stage(&bytes)?, to: path })
}
