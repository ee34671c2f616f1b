//! The attributes of a ctable that is being written, and of its columns.

use bloscpack_format::Json;
use bloscpack_format::bcolz::Attrs;

use super::ctable::CtableWriter;
use crate::Error;
use crate::formats::bcolz::store::Directory;
use crate::formats::bcolz::store::read_attrs;

impl<D: Directory> CtableWriter<D> {
    /// The attributes of the table as they are going to be.
    ///
    /// # Errors
    /// [`Error::InFile`] if their file is damaged.
    pub fn attrs(&mut self) -> Result<&Attrs, Error> {
        Ok(self.attrs_mut()?)
    }

    /// Sets an attribute of the table. Returns the old one.
    ///
    /// # Errors
    /// [`Error::InFile`] if their file is damaged.
    pub fn set_attr(&mut self, name: &str, value: Json) -> Result<Option<Json>, Error> {
        let old = self.attrs_mut()?.set(name, value)?;
        self.attrs_are_new = true;
        Ok(old)
    }

    /// Lets these be the attributes of the table.
    pub fn set_attrs(&mut self, attrs: Attrs) {
        self.attrs = Some(attrs);
        self.attrs_are_new = true;
    }

    /// The attributes of a column as they are going to be.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`]; [`Error::InFile`] if their file is damaged.
    pub fn column_attrs(&mut self, column: &str) -> Result<&Attrs, Error> {
        Ok(self.column(column)?.attrs()?)
    }

    /// Lets these be the attributes of a column.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`].
    pub fn set_column_attrs(&mut self, column: &str, attrs: Attrs) -> Result<(), Error> {
        self.column(column)?.set_attrs(attrs);
        Ok(())
    }

    /// Removes an attribute of the table, and returns it.
    ///
    /// # Errors
    /// [`Error::InFile`] if their file is damaged.
    pub fn remove_attr(&mut self, name: &str) -> Result<Option<Json>, Error> {
        let old = self.attrs_mut()?.remove(name);
        self.attrs_are_new |= old.is_some();
        Ok(old)
    }

    /// Sets an attribute of a column, or removes it. Returns the old one.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`]; [`Error::InFile`] if their file is damaged.
    pub fn set_column_attr(&mut self, column: &str, name: &str, value: Option<Json>) -> Result<Option<Json>, Error> {
        let column = self.column(column)?;
        match value {
            Some(value) => column.set_attr(name, value),
            None => column.remove_attr(name),
        }
    }

    fn attrs_mut(&mut self) -> Result<&mut Attrs, Error> {
        match self.attrs {
            Some(ref mut attrs) => Ok(attrs),
            None => Ok(self.attrs.insert(read_attrs(&self.root.dir, &self.root.limits)?)),
        }
    }
}
