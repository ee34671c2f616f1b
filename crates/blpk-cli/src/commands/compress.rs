//! `blpk compress`: files or a pipe into bloscpack files.

use super::settings::{Settings, describe_plan, in_range};
use crate::args::CompressArgs;
use crate::batch;
use crate::describe::{block, boolean};
use crate::inputs::{self, Item};
use crate::kind::{Kind, is_container, kind_of};
use crate::outputs::Outputs;
use crate::report::{Level, Report};
use crate::session::Session;
use crate::size::double_pretty_size;
use crate::streams::{Input, Output, Place};
use crate::{events, files};
use anyhow::{Context as _, Result, bail};
use blosc_core::CParams;
use bloscpack_format::Json;
use bloscpack_format::bloscpack::{
    ChunkPlan, DEFAULT_CHUNK_SIZE, MAX_CHUNK_SIZE, MaxAppChunks, MetadataArgs, Prealloc,
};
use bloscpack_format::checksum::Checksum;
use bloscpack_format::python_str_repr;
use bloscpack_io::{Cancel, PackOptions, PackReport, Target, pack_file, pack_stream};
use std::path::Path;

/// What was asked for, checked.
struct Job {
    settings: Settings,
    typesize: u8,
    chunk_size: u32,
    checksum: Checksum,
    offsets: bool,
    max_app_chunks: Option<u64>,
    metadata: Option<Json>,
    metadata_args: MetadataArgs,
    memory: Option<u64>,
}

pub(super) fn run(args: &CompressArgs, session: &Session) -> Result<()> {
    let report = &session.report;
    report.verbose("getting ready for compression");
    let (names, output) = args.many.split(&args.files);
    let mut outputs = Outputs::new(&args.many, output);
    // Beside what is compressed already nothing is to be put. In another directory everything is to be found again.
    let in_place = !outputs.have_directory();
    let items = inputs::items(names, args.many.recursive, |path| in_place && is_container(path));
    // As the original does it: a file is looked at before the settings are.
    let early = match items.as_slice() {
        [Ok(only)] if !only.walked => Some(ready(only, &outputs, session)?),
        _ => None,
    };
    let job = Job::new(args)?;
    let cancel = session.cancel()?;
    report.progress().begin(inputs::total(&items));
    batch::each(items, session, &cancel, |item| {
        report.progress().file(&item.place, item.size());
        if in_place && item.is_skipped(|path| !is_compressed(path)) {
            report.verbose(format!("skipping what is compressed already: '{}'", item.place));
            return Ok(());
        }
        let output = match &early {
            Some(output) => output.clone(),
            None => ready(&item, &outputs, session)?,
        };
        let packed = outputs.write(&item, &output, session, || job.run(&item.place, &output, session, &cancel));
        // Of several files it should be clear which one it was.
        packed.map_err(|error| match &early {
            Some(_) => error,
            None => batch::of_file(error, &item.place),
        })
    })
}

/// Where the output goes, if nothing stands in the way.
fn ready(item: &Item, outputs: &Outputs<'_>, session: &Session) -> Result<Place> {
    let output = outputs.place(item, files::with_extension)?;
    if let Place::File(path) = &output
        && matches!(Target::of_name(path), Some(Target::Frame | Target::Array))
    {
        bail!(
            "output file '{output}' has the name of a Blosc2 frame, but this would be a bloscpack file; 'blpk convert' \
             writes frames: of a .npy, or of what 'blpk compress' has packed, as in blpk c {} - | blpk convert - {output}",
            item.place
        );
    }
    files::check(&item.place, &output, session)?;
    Ok(output)
}

/// Whether there is nothing to be gained from a file, or a directory that is one thing.
fn is_compressed(path: &Path) -> bool {
    path.is_dir() || matches!(kind_of(path), Some(Kind::Bloscpack | Kind::Chunk | Kind::Frame))
}

impl Job {
    fn new(args: &CompressArgs) -> Result<Job> {
        let metadata = files::read_metadata(args.metadata.as_ref())?;
        let settings = Settings::new(&args.blosc)?.with_filters(&args.filters)?;
        let chunk_size = args.chunk_size.as_ref().map(|size| in_range("chunk_size", size, MAX_CHUNK_SIZE));
        let metadata_args = MetadataArgs::new();
        Ok(Job {
            typesize: settings.typesize.unwrap_or(8),
            settings,
            chunk_size: chunk_size.transpose()?.unwrap_or(DEFAULT_CHUNK_SIZE),
            checksum: args.checksum.unwrap_or(Checksum::Adler32),
            offsets: !args.no_offsets,
            max_app_chunks: args.max_app_chunks,
            metadata,
            metadata_args: if args.no_prealloc { metadata_args.max_meta_size(Prealloc::None) } else { metadata_args },
            memory: args.memory,
        })
    }

    fn run(&self, input: &Place, output: &Place, session: &Session, cancel: &Cancel) -> Result<()> {
        let report = &session.report;
        let source = Input::open(input, cancel)?;
        let size = source.known_size();
        if let Some(size) = size {
            report.verbose(format!("input file size: {}", double_pretty_size(size)));
            describe_plan(report, size, self.chunk_size.into())?;
        }
        self.describe(report);

        let chunk_size = match size {
            Some(size) => ChunkPlan::new(size, self.chunk_size.into())?.chunk_size,
            None => self.chunk_size,
        };
        let threads = session.threads_within(size.unwrap_or(u64::MAX), self.memory, chunk_size.into())?;
        let options = self.options().threads(threads).cancel(cancel.clone()).overwrite(session.force);
        let options = options.observe(events::packing(report, self.checksum, self.metadata_args));
        let packed = match (input, output) {
            (Place::File(input), Place::File(output)) if size.is_some() => pack_file(input, output, &options)?,
            _ => {
                let mut file = Output::create(output, session.force)?;
                let packed = pack_stream(source, size, &mut file, &options).with_context(|| output.to_string())?;
                file.commit()?;
                packed
            }
        };

        let PackReport { nbytes, cbytes, .. } = packed;
        if size.is_none() {
            report.verbose(format!("input file size: {}", double_pretty_size(nbytes)));
            describe_plan(report, nbytes, self.chunk_size.into())?;
        }
        report.verbose(format!("output file size: {}", double_pretty_size(cbytes)));
        report.verbose(format!("compression ratio: {:.6}", nbytes as f64 / cbytes as f64));
        report.verbose("done");
        Ok(())
    }

    fn options(&self) -> PackOptions {
        let Settings { codec, clevel, .. } = self.settings;
        let params = CParams::new().codec(codec).clevel(clevel).typesize(self.typesize.into());
        PackOptions::new()
            .params(params.filters(self.settings.filters()))
            .chunk_size(self.chunk_size.into())
            .checksum(self.checksum)
            .offsets(self.offsets)
            .max_app_chunks(self.max_app_chunks.map_or_else(MaxAppChunks::default, MaxAppChunks::Exact))
            .metadata(self.metadata.clone())
            .metadata_args(self.metadata_args)
    }

    /// The arguments as the original's objects show them, with `-d`.
    fn describe(&self, report: &Report) {
        if !report.prints(Level::Debug) {
            return;
        }
        report.debug(self.settings.block(self.typesize));
        let fields = [
            ("offsets", boolean(self.offsets)),
            ("checksum", python_str_repr(self.checksum.name())),
            ("max_app_chunks", self.max_app_chunks.map_or("10 * nchunks".into(), |number| number.to_string())),
        ];
        report.debug(block("BloscpackArgs", &fields));
        report.debug(match &self.metadata {
            Some(_) => metadata_block(&self.metadata_args),
            None => "metadata_args will be silently ignored".into(),
        });
        if !self.offsets {
            report.debug("max_app_chunks will be silently ignored");
        }
    }
}

fn metadata_block(args: &MetadataArgs) -> String {
    let is_default = *args == MetadataArgs::default();
    let fields = [
        ("magic_format", "b'JSON'".into()),
        ("meta_checksum", "'adler32'".into()),
        ("meta_codec", "'zlib'".into()),
        ("meta_level", "6".into()),
        ("max_meta_size", if is_default { "10 * meta_size" } else { "None" }.into()),
    ];
    block("MetadataArgs", &fields)
}
