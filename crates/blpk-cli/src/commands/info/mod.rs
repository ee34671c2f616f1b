//! `blpk info`: the kind and the content of a file, as text like the original's or as JSON.
//!
//! | file | contents |
//! |---|---|
//! | `opened` | which files are described, and how they are opened |
//! | `object` | the metadata of a file of any kind as a JSON object |
//! | `bloscpack`, `frame`, `npy`, `bcolz`, `zarr` | the metadata of one kind of file |

mod bcolz;
mod bloscpack;
mod frame;
mod npy;
mod object;
mod opened;
mod zarr;

pub(super) use object::{of_bcolz, of_source, with_sizes};
pub(super) use opened::{bcolz_directory, is_ours, open, worded, zarr_store};
pub(super) use zarr::member_object;

use super::{chunk, wording};
use crate::args::InfoArgs;
use crate::batch;
use crate::file_kind::{FileKind, is_container};
use crate::inputs::{self, InputFile};
use crate::json::Object;
use crate::path_or_stdio::PathOrStdio;
use crate::report::Report;
use crate::session::Session;
use anyhow::{Result, anyhow};
use bloscpack_io::{Archive, Cancel};

/// A run of `blpk info`.
pub(super) struct Plan {
    items: Vec<Result<InputFile>>,
    /// Whether there may be several files. If so, each is described with its name.
    are_many: bool,
    as_json: bool,
}

impl Plan {
    pub(super) fn new(args: &InfoArgs) -> Plan {
        let items = inputs::items(&args.files, args.recursive, is_container);
        Plan { are_many: items.len() > 1 || args.recursive, items, as_json: args.json }
    }
}

pub(super) fn run(plan: Plan, session: &Session) -> Result<()> {
    let Plan { items, are_many, as_json } = plan;
    let report = &session.report;
    // There are no outputs to remove, so a signal may end the run at once.
    let cancel = Cancel::new();
    batch::each(items, session, &cancel, |item| {
        if item.is_skipped(is_ours) {
            return Ok(());
        }
        one(&item.operand, as_json, are_many, report, &cancel)?;
        report.verbose("done");
        Ok(())
    })
}

/// Describes a file, with its name if there are others.
fn one(operand: &PathOrStdio, json: bool, many: bool, report: &Report, cancel: &Cancel) -> Result<()> {
    let name = many.then(|| operand.name());
    let title = || {
        if many && !json {
            report.normal(format!("{operand}:"));
        }
    };
    let print = |object: Object| -> Result<()> {
        report.raw(&with_sizes(object, operand).with_name(name.as_deref()).line()?);
        Ok(())
    };
    if let Some(directory) = bcolz_directory(operand)? {
        if json {
            return of_bcolz(directory).and_then(print);
        }
        title();
        return bcolz::print(directory, report);
    }
    if let Some((store, is_group)) = zarr_store(operand)? {
        if json {
            let object = if is_group { zarr::group_object(&store) } else { member_object(&store, None) };
            return object.and_then(print).map_err(|error| error.context(operand.to_string()));
        }
        title();
        let printed = if is_group { zarr::print_group(&store, report) } else { zarr::print(&store, None, report) };
        return printed.map_err(|error| error.context(operand.to_string()));
    }
    let (source, kind) = open(operand, cancel)?;
    let kind = kind.ok_or_else(|| anyhow!("{}", wording::not_bloscpack(source.bytes(), operand)))?;
    title();
    let described = match kind {
        FileKind::Chunk => chunk::info(source.bytes(), json, name.as_deref(), report),
        kind if json => of_source(source, kind).and_then(print),
        FileKind::Frame => Archive::open(source).map_err(Into::into).and_then(|archive| frame::print(&archive, report)),
        FileKind::Npy => npy::print(source, report),
        _ => bloscpack::print(&source, report),
    };
    described.map_err(|error| worded(error, operand))
}
