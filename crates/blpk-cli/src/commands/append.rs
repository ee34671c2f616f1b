//! `blpk append`: adds data, and with `-m` other metadata, to a bloscpack file; all or nothing.

use super::settings::{Settings, describe_plan};
use crate::args::AppendArgs;
use crate::column_advice::ColumnAdvice;
use crate::file_kind::{FileKind, kind_of};
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::size::double_pretty_size;
use crate::streams::{Input, refuse_same_file};
use crate::verbosity::Level;
use crate::{events, files, names};
use anyhow::{Context as _, Result, bail};
use bloscpack_format::Json;
use bloscpack_format::bloscpack::{Header, MetadataArgs};
use bloscpack_format::checksum::Checksum;
use bloscpack_io::{AppendOptions, Archive, Source, append};
use std::fs::File;
use std::path::{Path, PathBuf};

/// A run of `blpk append`.
pub(super) struct Plan {
    original: PathBuf,
    new: PathOrStdio,
    settings: Settings,
    /// Replaces the metadata of the file.
    metadata: Option<Json>,
}

impl Plan {
    pub(super) fn new(args: &AppendArgs, session: &Session) -> Result<Plan> {
        let report = &session.report;
        let original = &args.original_file;
        report.verbose("getting ready for append");
        files::not_url("original file", original)?;
        refuse_others(original)?;
        if !args.no_check_extension && !names::has_extension(original) {
            let advice = match kind_of(original) {
                Some(FileKind::Bloscpack) => ", but is a bloscpack file: rename it, or use -e",
                _ => "",
            };
            bail!("original file '{}' does not end with '{}'{advice}", original.display(), names::EXTENSION);
        }
        files::must_exist("original file", original, ColumnAdvice::ConvertFirst)?;
        let new = PathOrStdio::from(args.new_file.clone());
        files::operand_must_exist("new file", &new, ColumnAdvice::ConvertFirst)?;
        refuse_same_file(&new, &PathOrStdio::File(original.clone()))?;
        report.verbose(format!("original file is: '{}'", original.display()));
        report.verbose(format!("new file is: '{new}'"));
        let settings = Settings::new(&args.blosc)?;
        let metadata = files::read_metadata(args.metadata.as_ref())?;
        Ok(Plan { original: original.clone(), new, settings, metadata })
    }
}

pub(super) fn run(plan: Plan, session: &Session) -> Result<()> {
    let Plan { original, new, settings, metadata } = plan;
    let (report, original) = (&session.report, original.as_path());
    let cancel = session.cancel();
    let (size, input) = Input::open(&new, &cancel)?.into_opened();
    let before = original.metadata().map_or(0, |metadata| metadata.len());
    report.verbose(format!("orig file size before append: {}", double_pretty_size(before)));
    if let Some(size) = size {
        report.verbose(format!("new file size: {}", double_pretty_size(size)));
    }
    let header = describe_original(original, session)?;
    if report.prints(Level::Debug) {
        let of_file = header.map_or(0, |header| header.typesize);
        report.debug(settings.block(settings.typesize.unwrap_or(of_file)));
    }
    let options = AppendOptions::new()
        .codec(settings.codec)
        .clevel(settings.clevel)
        .filters(settings.filters)
        .typesize(settings.typesize.map(usize::from))
        .auto(settings.auto)
        .metadata(metadata)
        .threads(session.threads(size.unwrap_or(u64::MAX))?)
        .cancel(cancel)
        .observe(events::packing(
            report,
            header.map_or(Checksum::None, |header| header.checksum),
            MetadataArgs::default(),
        ));
    report.progress().begin(size);
    report.progress().file(&new, size);
    let appended =
        append(original, Source::reader(input).size(size), &options).with_context(|| original.display().to_string())?;

    if size.is_none() {
        report.verbose(format!("new file size: {}", double_pretty_size(appended.new_size)));
    }
    if let (Some(surplus), Some(chunk_size)) = (&appended.surplus, appended.header.chunk_size) {
        let size = (surplus.nchunks - 1) * u64::from(surplus.chunk_size) + u64::from(surplus.last_chunk);
        describe_plan(report, size, chunk_size.into())?;
    }
    report.verbose(format!("orig file size after append: {}", double_pretty_size(appended.after)));
    if appended.new_size > 0 {
        let ratio = (appended.after as f64 - appended.before as f64) / appended.new_size as f64;
        report.verbose(format!("Approximate compression ratio of appended data: {ratio:.6}"));
    }
    report.verbose("done");
    Ok(())
}

/// Refuses a file that can be read, but not appended to, with a message that names its kind.
fn refuse_others(original: &Path) -> Result<()> {
    let Some(
        what @ (FileKind::Frame
        | FileKind::Chunk
        | FileKind::Npy
        | FileKind::Carray
        | FileKind::Ctable
        | FileKind::Zarr
        | FileKind::ZarrGroup),
    ) = kind_of(original)
    else {
        return Ok(());
    };
    let name = original.display();
    bail!(
        "original file '{name}' is {what}, and data can be appended only to bloscpack files; 'blpk convert' converts it to one"
    )
}

/// Prints the file's current content with `-v` and `-d`. Returns its header.
fn describe_original(path: &Path, session: &Session) -> Result<Option<Header>> {
    let report = &session.report;
    if !report.prints(Level::Verbose) {
        return Ok(None);
    }
    let name = || path.display().to_string();
    let archive = Archive::open(File::open(path).with_context(name)?).with_context(name)?;
    let header = archive.header().copied();
    if let Some(header) = &header {
        events::header_read(report, header);
    }
    if let Some(header) = archive.metadata_header() {
        events::metadata_read(report, header);
    }
    Ok(header)
}
