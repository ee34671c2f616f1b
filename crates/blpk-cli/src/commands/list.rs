//! `blpk list`: many files in a table, described by their headers.

use super::chunk;
use super::info::{bcolz_directory, is_ours, member_object, of_bcolz, of_source, open, with_sizes, worded, zarr_store};
use crate::args::ListArgs;
use crate::batch;
use crate::file_kind::{FileKind, is_container};
use crate::files;
use crate::inputs::{self, InputFile};
use crate::json::Object;
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::size::pretty_size;
use anyhow::{Context as _, Result};
use bloscpack_format::Json;
use bloscpack_format::detect::PREFIX_LEN;
use bloscpack_io::peek::prefix;
use bloscpack_io::{Cancel, Error};

/// The columns, and whether they are aligned right, as numbers are.
const COLUMNS: [(&str, bool); 7] = [
    ("format", false),
    ("nbytes", true),
    ("cbytes", true),
    ("ratio", true),
    ("chunks", true),
    ("type", false),
    ("name", false),
];

type Row = [String; COLUMNS.len()];

/// A run of `blpk list`.
pub(super) struct Plan {
    items: Vec<Result<InputFile>>,
    as_json: bool,
}

impl Plan {
    pub(super) fn new(args: &ListArgs) -> Plan {
        Plan { items: inputs::items(&args.files, args.recursive, is_container), as_json: args.json }
    }
}

pub(super) fn run(plan: Plan, session: &Session) -> Result<()> {
    let Plan { items, as_json } = plan;
    // There are no outputs to remove, so a signal may end the run at once.
    let cancel = Cancel::new();
    let (mut rows, mut sum) = (Vec::new(), Sum::default());
    let listed = batch::each(items, session, &cancel, |item| {
        if item.is_skipped(is_ours) {
            return Ok(());
        }
        for (object, member) in all_described(&item.operand, &cancel)? {
            let named =
                |name: &str| member.as_ref().map_or_else(|| name.to_owned(), |member| format!("{name}/{member}"));
            match as_json {
                true => session.report.raw(&object.with_name(Some(&named(&item.operand.name()))).line()?),
                false => rows.push(row(&object, named(&item.operand.to_string()), &mut sum)),
            }
        }
        Ok(())
    });
    if !rows.is_empty() {
        rows.push(sum.row());
        session.report.raw(&table(&rows));
    }
    listed
}

/// Describes a file, or all arrays of a Zarr group, each with its path in the group.
fn all_described(operand: &PathOrStdio, cancel: &Cancel) -> Result<Vec<(Object, Option<String>)>> {
    let Some((store, is_group)) = zarr_store(operand)? else {
        return Ok(vec![(described(operand, cancel)?, None)]);
    };
    let members = if is_group { files::arrays_of(&store)?.into_iter().map(Some).collect() } else { vec![None] };
    let described = members.into_iter().map(|member| {
        let object = member_object(&store, member.as_deref()).with_context(|| operand.to_string())?;
        Ok((object, member))
    });
    described.collect()
}

fn described(operand: &PathOrStdio, cancel: &Cancel) -> Result<Object> {
    if let Some(directory) = bcolz_directory(operand)? {
        return of_bcolz(directory).map(|object| with_sizes(object, operand));
    }
    let (source, kind) = open(operand, cancel)?;
    let unknown = || {
        let found = prefix(source.bytes(), PREFIX_LEN).unwrap_or_default();
        anyhow::Error::from(Error::Unrecognised { found }).context(operand.to_string())
    };
    let kind = kind.ok_or_else(unknown)?;
    let object = match kind {
        FileKind::Chunk => chunk::header_json(source.bytes()),
        kind => of_source(source, kind).map(|object| with_sizes(object, operand)),
    };
    object.map_err(|error| worded(error, operand))
}

#[derive(Debug, Default)]
struct Sum {
    files: u64,
    nbytes: u64,
    cbytes: u64,
    chunks: u64,
}

impl Sum {
    fn row(&self) -> Row {
        let files = if self.files == 1 { "1 file".into() } else { format!("{} files", self.files) };
        [
            "total".into(),
            pretty_size(self.nbytes),
            pretty_size(self.cbytes),
            ratio(self.nbytes, self.cbytes),
            self.chunks.to_string(),
            String::new(),
            files,
        ]
    }
}

fn row(object: &Object, name: String, sum: &mut Sum) -> Row {
    let known = |name: &str| match object.get(name) {
        Some(Json::Int(number)) => u64::try_from(*number).ok(),
        _ => None,
    };
    let number = |name: &str| known(name).unwrap_or(0);
    // These sizes can be added up: the bytes that `decompress` writes, and the bytes on disk. Headers count other
    // bytes.
    let nbytes = known("plain_nbytes").unwrap_or(number("nbytes"));
    let (cbytes, chunks) = (known("stored_nbytes").unwrap_or(number("cbytes")), number("nchunks"));
    sum.files += 1;
    sum.nbytes = sum.nbytes.saturating_add(nbytes);
    sum.cbytes = sum.cbytes.saturating_add(cbytes);
    sum.chunks = sum.chunks.saturating_add(chunks);
    let text = |name: &str| match object.get(name) {
        Some(Json::String(text)) => Some(text.to_string()),
        _ => None,
    };
    let kind = match object.get("columns").or(object.get("shape")) {
        Some(Json::Array(columns)) if object.get("rows").is_some() => {
            format!("{} rows, {} columns", number("rows"), columns.len())
        }
        Some(Json::Array(shape)) => {
            let axes: Vec<_> = shape.iter().map(Json::dumps).collect();
            let dtype = text("dtype").unwrap_or_else(|| format!("{} bytes", number("typesize")));
            format!("{dtype} [{}]", axes.join(","))
        }
        _ => number("typesize").to_string(),
    };
    let format = text("format").unwrap_or_default();
    [format, pretty_size(nbytes), pretty_size(cbytes), ratio(nbytes, cbytes), chunks.to_string(), kind, name]
        // Each file takes one line, whatever its name and dtype hold.
        .map(|cell| cell.replace(char::is_control, "?"))
}

fn ratio(nbytes: u64, cbytes: u64) -> String {
    if cbytes == 0 { "-".into() } else { format!("{:.2}", nbytes as f64 / cbytes as f64) }
}

fn table(rows: &[Row]) -> String {
    let title = COLUMNS.map(|(name, _)| name.to_owned());
    let rows: Vec<&Row> = std::iter::once(&title).chain(rows).collect();
    let widths: [usize; COLUMNS.len()] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(COLUMNS).zip(widths).map(|((cell, (_, right)), width)| match right {
            true => format!("{cell:>width$}"),
            false => format!("{cell:width$}"),
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}
