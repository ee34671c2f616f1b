//! Compression to a bloscpack file.

use super::describe::{describe_input, describe_output};
use super::detect::item_size;
use crate::args::CompressArgs;
use crate::commands::digest;
use crate::commands::filters::pipeline;
use crate::commands::settings::{Settings, default_chunk_size, in_range};
use crate::describe::{block, boolean};
use crate::file_message::FileMessage;
use crate::path_or_stdio::PathOrStdio;
use crate::report::Report;
use crate::session::Session;
use crate::streams::{Input, Output};
use crate::verbosity::Level;
use crate::{events, files};
use anyhow::{Context as _, Result};
use blosc_core::{Auto, CParams, ChunkFormat};
use bloscpack_format::Json;
use bloscpack_format::bloscpack::{ChunkPlan, MAX_CHUNK_SIZE, MaxAppChunks, MetadataArgs, Prealloc};
use bloscpack_format::checksum::Checksum;
use bloscpack_format::python_str_repr;
use bloscpack_io::{Cancel, PackOptions, PackReport, Sink, Source, pack};

/// The requested settings, checked.
pub(super) struct BloscpackSettings {
    settings: Settings,
    typesize: u8,
    chunk_size: u32,
    checksum: Checksum,
    offsets: bool,
    max_app_chunks: Option<u64>,
    metadata: Option<Json>,
    metadata_args: MetadataArgs,
    verify: bool,
    digest: Option<Checksum>,
    memory: Option<u64>,
}

impl BloscpackSettings {
    pub(super) fn new(args: &CompressArgs) -> Result<BloscpackSettings> {
        let metadata = files::read_metadata(args.metadata.as_ref())?;
        let filters = pipeline(&args.filters, ChunkFormat::Blosc1, "add --format b2frame");
        let settings = Settings::new(&args.blosc)?.with_filters(filters?);
        let chunk_size = args.chunk_size.as_ref().map(|size| in_range("chunk_size", size, MAX_CHUNK_SIZE));
        let metadata_args = MetadataArgs::new();
        Ok(BloscpackSettings {
            typesize: settings.typesize.unwrap_or(8),
            settings,
            chunk_size: chunk_size.transpose()?.unwrap_or_else(|| default_chunk_size(settings.auto)),
            checksum: args.checksum.unwrap_or(Checksum::Adler32),
            offsets: !args.no_offsets,
            max_app_chunks: args.max_app_chunks,
            metadata,
            metadata_args: if args.no_prealloc { metadata_args.max_meta_size(Prealloc::None) } else { metadata_args },
            verify: args.verify,
            digest: args.digest,
            memory: args.memory,
        })
    }

    pub(super) fn run(
        &self,
        input: &PathOrStdio,
        output: &PathOrStdio,
        session: &Session,
        cancel: &Cancel,
    ) -> Result<()> {
        let report = &session.report;
        let (size, source) = Input::open(input, cancel)?.into_opened();
        if let Some(size) = size {
            describe_input(report, size, self.chunk_size)?;
        }
        self.describe(report);

        let chunk_size = match size {
            Some(size) => ChunkPlan::new(size, self.chunk_size.into())?.chunk_size,
            None => self.chunk_size,
        };
        let threads = session.threads_within(size.unwrap_or(u64::MAX), self.memory, chunk_size.into())?;
        let options = self.options(input)?.threads(threads).cancel(cancel.clone()).overwrite(session.force);
        let options = options.observe(events::packing(report, self.checksum, self.metadata_args));
        let packed = match (input, output) {
            (PathOrStdio::File(input), PathOrStdio::File(output)) if size.is_some() => {
                pack(Source::file(input), Sink::file(output), &options)?
            }
            (_, PathOrStdio::File(output)) => pack(Source::reader(source).size(size), Sink::file(output), &options)
                .with_context(|| FileMessage::new(input, format!("compressing '{input}'")))?,
            (_, PathOrStdio::Standard | PathOrStdio::Url(_)) => {
                let mut stdout = Output::create(output, session.force)?;
                let packed = pack(Source::reader(source).size(size), Sink::writer(&mut stdout), &options)
                    .with_context(|| FileMessage::new(output, output.to_string()))?;
                stdout.commit()?;
                packed
            }
        };

        let PackReport { nbytes, cbytes, plain_digest, .. } = packed;
        if self.digest.is_some() {
            digest::print(&plain_digest, input, report);
        }
        if size.is_none() {
            describe_input(report, nbytes, self.chunk_size)?;
        }
        describe_output(report, nbytes, cbytes);
        Ok(())
    }

    fn options(&self, input: &PathOrStdio) -> Result<PackOptions> {
        let Settings { codec, clevel, .. } = self.settings;
        let params = CParams::new().codec(codec).clevel(clevel).typesize(self.typesize.into());
        Ok(PackOptions::new()
            .params(params.filters(self.settings.filters))
            .auto(self.auto(input))
            .chunk_size(self.chunk_size.into())
            .checksum(self.checksum)
            .offsets(self.offsets)
            .max_app_chunks(self.max_app_chunks.map_or_else(MaxAppChunks::default, MaxAppChunks::Exact))
            .metadata(self.metadata.as_ref().map(Json::try_clone).transpose()?)
            .metadata_args(self.metadata_args)
            .plain_checksum(self.digest.unwrap_or(Checksum::None))
            .verify(self.verify))
    }

    /// Returns what is chosen for an input with `--auto`.
    fn auto(&self, input: &PathOrStdio) -> Option<Auto> {
        let auto = self.settings.auto?;
        Some(auto.typesize(self.settings.typesize.map(usize::from).or_else(|| item_size(input))))
    }

    /// Prints the arguments in the form of the original's objects, with `-d`.
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
