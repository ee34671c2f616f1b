//! Columns of a ctable: added, removed, renamed. Each is a change of its own, with what was changed before it.

use std::io::Read;

use bloscpack_format::FormatError;
use bloscpack_format::bcolz::{PendingStep, ROOTDIRS_FILE, RootDirs, staged_name};

use super::column::Column;
use super::ctable::{CtableWriter, NO_COLUMNS};
use super::params::CarrayParams;
use super::staging::{Change, lock};
use crate::formats::bcolz::store::Directory;
use crate::{Cancel, Error, Threads};

impl<D: Directory> CtableWriter<D> {
    /// Adds a column, at this place among the others or at the end, with the rows that `input` gives: as many as the others
    /// have, if there are others. A directory of that name that belongs to no column is left alone.
    ///
    /// # Errors
    /// [`Error::Format`] if the name cannot be; [`Error::NotWritable`] if it is taken; [`Error::NotRows`]; else as
    /// [`CarrayWriter::append_stream`](super::CarrayWriter::append_stream).
    pub fn add_column(
        &mut self,
        name: &str,
        at: Option<usize>,
        params: &CarrayParams,
        input: impl Read,
        threads: &Threads,
        cancel: &Cancel,
    ) -> Result<(), Error> {
        params.meta()?;
        let mut names = self.names.clone();
        let at = at.unwrap_or(names.len()).min(names.len());
        names.insert(at, name.into());
        self.check_new(name, &names)?;
        self.edit(|table| {
            table.flush_all()?;
            let number = table.root.number()?;
            let mut column = Column::create(table.root.clone(), &staged_name(number), params)?;
            let (found, atomsize) = (column.append_stream(input, threads, cancel)?, column.meta.rows.atomsize());
            if !table.columns.is_empty() && found != table.len() {
                return Err(Error::NotRows { found: found * atomsize, atomsize, rows: Some(table.len()) });
            }
            column.flush()?;
            table.restructure(names, vec![PendingStep::Move { from: number, to: name.into() }])?;
            column.at = format!("{name}/");
            column.lock = Some(lock(&table.root.dir, name)?);
            table.columns.insert(at, column);
            Ok(())
        })
    }

    /// Removes a column: from the table, and if it is not to be kept as an array of its own, its directory.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`]; [`Error::NotWritable`] if it is the only one; [`Error::InFile`].
    pub fn delete_column(&mut self, name: &str, keep: bool) -> Result<(), Error> {
        self.column(name)?;
        if self.names.len() == 1 {
            return Err(Error::NotWritable { directory: self.root.dir.name(""), what: NO_COLUMNS });
        }
        self.edit(|table| {
            table.flush_all()?;
            let (names, columns) = (std::mem::take(&mut table.names), std::mem::take(&mut table.columns));
            let mut kept = Vec::new();
            for (found, column) in names.iter().zip(columns) {
                if found != name {
                    kept.push(column);
                }
            }
            table.columns = kept;
            let names = names.into_iter().filter(|found| found != name).collect();
            let remove = PendingStep::RemoveColumn { name: name.into() };
            table.restructure(names, (!keep).then_some(remove).into_iter().collect())
        })
    }

    /// Gives a column another name, and its directory with it.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`]; [`Error::Format`] if the name cannot be; [`Error::NotWritable`] if it is taken;
    /// [`Error::InFile`].
    pub fn rename_column(&mut self, from: &str, to: &str) -> Result<(), Error> {
        self.column(from)?;
        if from == to {
            return Ok(());
        }
        let names: Vec<String> = self.names.iter().map(|name| if name == from { to } else { name }.into()).collect();
        self.check_new(to, &names)?;
        self.edit(|table| {
            table.flush_all()?;
            // Its file goes with the directory.
            table.column(from)?.lock = None;
            table.restructure(names, vec![PendingStep::RenameColumn { from: from.into(), to: to.into() }])?;
            let lock = lock(&table.root.dir, to)?;
            let column = table.column(to)?;
            column.lock = Some(lock);
            column.at = format!("{to}/");
            Ok(())
        })
    }

    /// Refuses a name for a column that none can have, or that something in the directory has.
    fn check_new(&self, name: &str, names: &[String]) -> Result<(), Error> {
        RootDirs { names: names.to_vec() }.check().map_err(FormatError::from)?;
        let taken = self.root.dir.list(name).is_ok() || self.root.dir.open(name).is_ok();
        match taken {
            true => Err(Error::NotWritable { directory: self.root.dir.name(name), what: "it is there already" }),
            false => Ok(()),
        }
    }

    /// Does these steps, and lets the columns be these.
    fn restructure(&mut self, names: Vec<String>, mut steps: Vec<PendingStep>) -> Result<(), Error> {
        let bytes = RootDirs { names: names.clone() }.to_bytes();
        let names_file = PendingStep::Move { from: self.root.stage(&bytes)?, to: ROOTDIRS_FILE.into() };
        // A column is there before it is listed, and until it is no more.
        let at = steps.iter().filter(|step| !matches!(step, PendingStep::RemoveColumn { .. })).count();
        steps.insert(at, names_file);
        self.root.commit(Change { visible: steps.len(), steps, sizes: Vec::new() })?;
        self.names = names;
        Ok(())
    }
}
