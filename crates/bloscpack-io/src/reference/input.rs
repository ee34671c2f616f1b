//! The arrays of an input: one, or one for each column of a table, or for each array of a Zarr group.

use std::sync::Arc;

use bloscpack_format::Attrs;

use super::layout::{Layout, NoLayout};
use super::options::ReferenceOptions;
use super::values::ReferenceInput;
use crate::formats::bcolz::replayed::Moves;
use crate::formats::bcolz::{Below, Ctable, column_directory, column_names};
use crate::formats::zarr::Group;
use crate::source::{AnyDirectory, Input};
use crate::{Archive, Attributes, Error, OpenOptions};

/// An array of an input.
pub(super) struct Member {
    /// The name of the column, or of the array in its group.
    pub(super) name: Option<String>,
    pub(super) url: String,
    pub(super) archive: Archive<'static>,
    pub(super) layout: Layout,
}

/// An opened input.
pub(super) struct Members {
    pub(super) members: Vec<Member>,
    /// The attributes of a table or group.
    pub(super) attributes: Option<Attrs>,
}

impl Members {
    /// Opens the arrays of an input.
    pub(super) fn open(input: ReferenceInput, options: &ReferenceOptions) -> Result<Members, Error> {
        let ReferenceInput { source, url } = input;
        let open = OpenOptions::new().limits(options.limits).cancel(options.cancel.clone());
        if let Some((store, true)) = source.zarr(&open).map_err(|error| named(error, &url))? {
            return Members::of_group(&store, source.is_directory(), &url, &open);
        }
        let Some(table) = source.table() else {
            return Ok(Members { members: vec![Member::open(None, url, source.into(), &open)?], attributes: None });
        };
        Moves::read(&table, &options.limits)?.expect_none(&table)?;
        let names = column_names(&table, &open)?;
        let attributes = Ctable::open_with(&table, &open)?.attrs()?.try_clone()?;
        let column = |name: String| {
            let column = column_directory(table.clone(), &name, &options.limits)?;
            Member::open(Some(name.clone()), format!("{url}/{name}"), Input::directory(column), &open)
        };
        Ok(Members { members: names.into_iter().map(column).collect::<Result<_, _>>()?, attributes: Some(attributes) })
    }

    /// Opens the arrays of a Zarr group, in a directory or in a zip archive.
    fn of_group(store: &AnyDirectory, is_directory: bool, url: &str, open: &OpenOptions) -> Result<Members, Error> {
        let group = Group::open_with(store, open)?;
        let array = |name: String| {
            let url = if is_directory { format!("{url}/{name}") } else { url.to_owned() };
            let input = Input::directory(Below::new(Arc::clone(store), &name));
            Member::open(Some(name), url, input, open)
        };
        let members = group.arrays_in_order()?.into_iter().map(array).collect::<Result<_, _>>()?;
        Ok(Members { members, attributes: Some(group.meta().attributes.try_clone()?) })
    }
}

impl Member {
    fn open(name: Option<String>, url: String, input: Input<'static>, options: &OpenOptions) -> Result<Member, Error> {
        // Errors in files of a directory name them.
        let archive = Archive::open_with(input, options).map_err(|error| named(error, &url))?;
        let layout = Layout::of(&archive).map_err(|error| match error {
            NoLayout::Refused(refusal) => Error::reference(&url, refusal),
            NoLayout::Failed(error) => named(error, &url),
        })?;
        Ok(Member { name, url, archive, layout })
    }

    /// Returns the attributes of the array.
    pub(super) fn attributes(&self) -> Result<Attrs, Error> {
        Ok(Attributes::of(&self.archive)?.values)
    }
}

/// Adds the name of the input to an error, unless the error names a file.
pub(super) fn named(error: Error, url: &str) -> Error {
    match error {
        error @ (Error::InFile { .. } | Error::Pending { .. } | Error::File { .. } | Error::Reference { .. }) => error,
        error => error.in_file(url.to_owned()),
    }
}
