//! `blpk compress`: a file or a pipe into a bloscpack file.

use super::settings::{Settings, describe_plan, in_range};
use crate::args::CompressArgs;
use crate::describe::{block, boolean};
use crate::report::{Level, Report};
use crate::session::Session;
use crate::size::double_pretty_size;
use crate::streams::{Input, Output, Place};
use crate::{events, files};
use anyhow::Result;
use blosc_core::CParams;
use bloscpack_format::Json;
use bloscpack_format::bloscpack::{DEFAULT_CHUNK_SIZE, MAX_CHUNK_SIZE};
use bloscpack_format::checksum::Checksum;
use bloscpack_format::python_str_repr;
use bloscpack_io::{PackOptions, PackReport, pack_file, pack_stream};

/// What was asked for, checked.
struct Job {
    input: Place,
    output: Place,
    settings: Settings,
    typesize: u8,
    chunk_size: u32,
    checksum: Checksum,
    offsets: bool,
    metadata: Option<Json>,
}

pub(super) fn run(args: &CompressArgs, session: &Session) -> Result<()> {
    let report = &session.report;
    report.verbose("getting ready for compression");
    let job = Job::new(args, session)?;
    let cancel = session.cancel()?;
    let input = Input::open(&job.input, &cancel)?;
    let size = input.known_size();
    if let Some(size) = size {
        report.verbose(format!("input file size: {}", double_pretty_size(size)));
        describe_plan(report, size, job.chunk_size.into())?;
    }
    job.describe(report);

    let options = job.options().threads(session.threads(size.unwrap_or(u64::MAX))?).cancel(cancel);
    let options = options.overwrite(session.force).observe(events::packing(report, job.checksum));
    let packed = match (&job.input, &job.output) {
        (Place::File(input), Place::File(output)) if size.is_some() => pack_file(input, output, &options)?,
        _ => {
            let mut output = Output::create(&job.output, session.force)?;
            let packed = pack_stream(input, size, &mut output, &options)?;
            output.commit()?;
            packed
        }
    };

    let PackReport { nbytes, cbytes, .. } = packed;
    if size.is_none() {
        report.verbose(format!("input file size: {}", double_pretty_size(nbytes)));
        describe_plan(report, nbytes, job.chunk_size.into())?;
    }
    report.verbose(format!("output file size: {}", double_pretty_size(cbytes)));
    report.verbose(format!("compression ratio: {:.6}", nbytes as f64 / cbytes as f64));
    report.verbose("done");
    Ok(())
}

impl Job {
    fn new(args: &CompressArgs, session: &Session) -> Result<Job> {
        let input = Place::from(args.in_file.clone());
        let output = match (&args.out_file, &input) {
            (Some(path), _) => Place::from(path.clone()),
            (None, Place::File(path)) => Place::File(files::with_extension(path)),
            (None, Place::Standard) => Place::Standard,
        };
        files::check(&input, &output, session)?;
        let metadata = files::read_metadata(args.metadata.as_ref())?;
        let settings = Settings::new(&args.blosc)?;
        let chunk_size = args.chunk_size.as_ref().map(|size| in_range("chunk_size", size, MAX_CHUNK_SIZE));
        Ok(Job {
            input,
            output,
            typesize: settings.typesize.unwrap_or(8),
            settings,
            chunk_size: chunk_size.transpose()?.unwrap_or(DEFAULT_CHUNK_SIZE),
            checksum: args.checksum.unwrap_or(Checksum::Adler32),
            offsets: !args.no_offsets,
            metadata,
        })
    }

    fn options(&self) -> PackOptions {
        let Settings { codec, clevel, .. } = self.settings;
        let params = CParams::new().codec(codec).clevel(clevel).typesize(self.typesize.into());
        PackOptions::new()
            .params(params.filters(self.settings.filters()))
            .chunk_size(self.chunk_size.into())
            .checksum(self.checksum)
            .offsets(self.offsets)
            .metadata(self.metadata.clone())
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
            ("max_app_chunks", "10 * nchunks".into()),
        ];
        report.debug(block("BloscpackArgs", &fields));
        report.debug(match &self.metadata {
            Some(_) => metadata_block(),
            None => "metadata_args will be silently ignored".into(),
        });
        if !self.offsets {
            report.debug("max_app_chunks will be silently ignored");
        }
    }
}

fn metadata_block() -> String {
    // The defaults of `MetadataArgs`, which nothing on the command line changes.
    let fields = [
        ("magic_format", "b'JSON'".into()),
        ("meta_checksum", "'adler32'".into()),
        ("meta_codec", "'zlib'".into()),
        ("meta_level", "6".into()),
        ("max_meta_size", "10 * meta_size".into()),
    ];
    block("MetadataArgs", &fields)
}
