//! The columns of a ctable that is being changed: their names, their order, and their common number of rows.

use std::sync::Arc;

use bloscpack_format::FormatError;
use bloscpack_format::bcolz::{JournalStep, ROOTDIRS_FILE, RootDirs, staged_name};

use super::column::Column;
use super::flush::Prepared;
use super::new::start;
use super::params::CarrayParams;
use super::staging::{Change, Staging};
use super::subdirectory::Subdirectory;
use crate::Error;
use crate::formats::bcolz::metadata_budget::MetadataBudget;
use crate::formats::bcolz::store::{Directory, read_meta};

/// The reason why the last column cannot be removed.
const NO_COLUMNS: &str = "bcolz does not open a table without columns";

/// The columns of a ctable, in the order in which `__rootdirs__` lists them.
pub(super) struct Columns<D: Directory> {
    root: Arc<Staging<D>>,
    names: Vec<String>,
    columns: Vec<Column<D>>,
}

impl<D: Directory> Columns<D> {
    /// Creates a table of columns that exist in `root`. Their list need not be written yet.
    pub(super) fn new(root: Arc<Staging<D>>, names: Vec<String>, columns: Vec<Column<D>>) -> Self {
        Columns { root, names, columns }
    }

    /// Opens the columns of the ctable in `root`. The next flush shortens columns that are longer than the first.
    pub(super) fn open(root: Arc<Staging<D>>) -> Result<Self, Error> {
        let names = read_meta(&root.dir, ROOTDIRS_FILE, (&root.limits, 1), RootDirs::parse)?.names;
        let mut columns: Vec<Column<D>> = Vec::new();
        let mut budget = MetadataBudget::new(root.limits);
        for name in &names {
            let mut column = Column::open(root.clone(), name, &mut budget)?;
            let (found, expected) = (column.len(), columns.first().map_or(column.len(), Column::len));
            if found < expected {
                return Err(Error::ColumnLength { column: root.dir.name(name), found, expected });
            }
            column.resize(expected)?;
            columns.push(column);
        }
        Ok(Columns::new(root, names, columns))
    }

    /// Creates columns without rows in a directory without a carray or ctable. Their list is not written yet.
    pub(super) fn create(dir: D, columns: &[(&str, CarrayParams)]) -> Result<Self, Error> {
        let names: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        RootDirs { names: names.clone() }.check().map_err(FormatError::from)?;
        if names.is_empty() {
            return Err(Error::NotWritable { directory: dir.name(""), what: NO_COLUMNS });
        }
        let root = start(dir)?;
        let mut created = Vec::new();
        for (name, params) in columns {
            created.push(Column::create(root.clone(), name, params)?);
        }
        Ok(Columns::new(root, names, created))
    }

    /// Returns the root, in which all files are staged.
    pub(super) fn root(&self) -> &Arc<Staging<D>> {
        &self.root
    }

    /// Returns the directory of the table.
    pub(super) fn dir(&self) -> Subdirectory<D> {
        Subdirectory::new(self.root.clone(), "")
    }

    /// Returns the names in their order.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the number of columns.
    pub(super) fn count(&self) -> usize {
        self.columns.len()
    }

    /// Returns the number of rows after the next flush.
    pub(super) fn len(&self) -> u64 {
        self.columns.first().map_or(0, Column::len)
    }

    /// Returns the column of this name.
    pub(super) fn get(&mut self, name: &str) -> Result<&mut Column<D>, Error> {
        let at = self.names.iter().position(|found| found == name);
        let column = at.and_then(|at| self.columns.get_mut(at));
        column.ok_or_else(|| Error::NoSuchColumn { column: name.into(), columns: self.names.clone() })
    }

    /// Returns all columns in their order.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Column<D>> {
        self.columns.iter_mut()
    }

    /// Writes the new files of all columns, and returns the steps that commit them.
    pub(super) fn prepare(&mut self) -> Result<Vec<Prepared>, Error> {
        self.columns.iter_mut().map(Column::prepare).collect()
    }

    /// Notes that the prepared changes were committed.
    pub(super) fn committed(&mut self) {
        self.columns.iter_mut().for_each(Column::committed);
    }

    /// Returns the names with a new one at position `at`, or at the end.
    pub(super) fn names_with(&self, name: &str, at: Option<usize>) -> Result<Vec<String>, Error> {
        let mut names = self.names.clone();
        names.insert(at.unwrap_or(names.len()).min(names.len()), name.into());
        self.check_new(name, &names)?;
        Ok(names)
    }

    /// Returns the names with `to` in place of `from`.
    pub(super) fn names_renamed(&self, from: &str, to: &str) -> Result<Vec<String>, Error> {
        let names: Vec<String> = self.names.iter().map(|name| if name == from { to } else { name }.into()).collect();
        self.check_new(to, &names)?;
        Ok(names)
    }

    /// Refuses to remove the only column.
    pub(super) fn check_removal(&self) -> Result<(), Error> {
        match self.names.len() {
            1 => Err(Error::NotWritable { directory: self.root.dir.name(""), what: NO_COLUMNS }),
            _ => Ok(()),
        }
    }

    /// Adds a column and commits that. `names` is the new list. `fill` appends its rows and returns their number.
    pub(super) fn add(
        &mut self,
        names: Vec<String>,
        name: &str,
        params: &CarrayParams,
        fill: impl FnOnce(&mut Column<D>) -> Result<u64, Error>,
    ) -> Result<(), Error> {
        let number = self.root.number()?;
        let mut column = Column::create(self.root.clone(), &staged_name(number), params)?;
        let (found, atomsize) = (fill(&mut column)?, column.meta().rows().atomsize());
        if !self.columns.is_empty() && found != self.len() {
            return Err(Error::NotRows { found: found * atomsize, atomsize, rows: Some(self.len()) });
        }
        column.flush()?;
        let at = names.iter().position(|found| found == name).unwrap_or(self.columns.len());
        self.restructure(names, vec![JournalStep::Move { from: number, to: name.into() }])?;
        column.moved_to(name)?;
        self.columns.insert(at.min(self.columns.len()), column);
        Ok(())
    }

    /// Removes a column and commits that. With `keep`, its directory stays as a carray of its own.
    pub(super) fn remove(&mut self, name: &str, keep: bool) -> Result<(), Error> {
        // Drop the column first, because its lock is in the directory.
        let mut names = self.names.iter();
        self.columns.retain(|_| names.next().is_some_and(|found| found != name));
        let names = self.names.iter().filter(|found| *found != name).cloned().collect();
        let remove = JournalStep::RemoveColumn { name: name.into() };
        self.restructure(names, (!keep).then_some(remove).into_iter().collect())
    }

    /// Renames a column and its directory, and commits that. `names` is the new list.
    pub(super) fn rename(&mut self, names: Vec<String>, from: &str, to: &str) -> Result<(), Error> {
        self.get(from)?.unlock();
        self.restructure(names, vec![JournalStep::RenameColumn { from: from.into(), to: to.into() }])?;
        self.get(to)?.moved_to(to)
    }

    /// Stages the list of the columns.
    pub(super) fn stage_names(&self) -> Result<JournalStep, Error> {
        self.stage_list(self.names.clone())
    }

    fn stage_list(&self, names: Vec<String>) -> Result<JournalStep, Error> {
        Ok(JournalStep::Move { from: self.root.stage(&RootDirs { names }.to_bytes())?, to: ROOTDIRS_FILE.into() })
    }

    /// Refuses a list that is not valid, and a new name that a file or directory has already.
    fn check_new(&self, name: &str, names: &[String]) -> Result<(), Error> {
        RootDirs { names: names.to_vec() }.check().map_err(FormatError::from)?;
        let taken = self.root.dir.list(name).is_ok() || self.root.dir.open(name).is_ok();
        match taken {
            true => Err(Error::NotWritable { directory: self.root.dir.name(name), what: "it already exists" }),
            false => Ok(()),
        }
    }

    /// Commits these steps together with a new list of columns.
    fn restructure(&mut self, names: Vec<String>, mut steps: Vec<JournalStep>) -> Result<(), Error> {
        let list = self.stage_list(names.clone())?;
        // A directory must exist as long as the list contains its name.
        let at = steps.iter().filter(|step| !matches!(step, JournalStep::RemoveColumn { .. })).count();
        steps.insert(at, list);
        self.root.commit(Change { visible: steps.len(), steps, sizes: Vec::new() })?;
        self.names = names;
        Ok(())
    }
}
