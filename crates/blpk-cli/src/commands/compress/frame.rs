//! Compression to a contiguous Blosc2 frame of plain bytes.

use super::describe::{describe_input, describe_output};
use super::detect::{Head, item_size};
use crate::args::CompressArgs;
use crate::commands::digest;
use crate::commands::filters::pipeline;
use crate::commands::settings::{Settings, default_chunk_size, in_range};
use crate::events;
use crate::file_message::FileMessage;
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::streams::Input;
use anyhow::{Context as _, Result, anyhow, bail};
use blosc_core::{Auto, ChunkFormat, Codec};
use bloscpack_format::bloscpack::MAX_CHUNK_SIZE;
use bloscpack_format::checksum::Checksum;
use bloscpack_format::frame::FrameType;
use bloscpack_io::frame::{FrameParams, FrameWriter};
use bloscpack_io::{Cancel, Digesting};

/// The requested settings, checked.
pub(super) struct FrameSettings {
    params: FrameParams,
    /// As typed.
    typesize: Option<u8>,
    /// The settings to choose instead: with `--auto`, and without any setting.
    auto: Option<Auto>,
    chunk_size: u32,
    verify: bool,
    digest: Option<Checksum>,
    memory: Option<u64>,
}

impl FrameSettings {
    pub(super) fn new(args: &CompressArgs) -> Result<FrameSettings> {
        let bloscpack_only = [
            ("-k/--checksum", args.checksum.is_some()),
            ("-o/--no-offsets", args.no_offsets),
            ("-m/--metadata", args.metadata.is_some()),
            ("--max-app-chunks", args.max_app_chunks.is_some()),
            ("--no-prealloc", args.no_prealloc),
        ];
        if let Some((option, _)) = bloscpack_only.iter().find(|(_, given)| *given) {
            bail!(
                "{option} is for bloscpack files; a Blosc2 frame has no such thing: leave it out, or compress to a .blp"
            );
        }
        let settings = Settings::new(&args.blosc)?.with_filters(pipeline(&args.filters, ChunkFormat::Blosc2, "")?);
        if settings.codec == Codec::Snappy {
            bail!("Blosc2 does not support the codec snappy; use another one, or compress to a .blp");
        }
        let chunk_size = args.chunk_size.as_ref().map(|size| in_range("chunk_size", size, MAX_CHUNK_SIZE));
        // No script of the original depends on frames, so that their defaults may suit the data.
        let auto = settings.auto.or_else(|| args.has_default_settings().then(Auto::default));
        Ok(FrameSettings {
            params: FrameParams::new(8).codec(settings.codec).clevel(settings.clevel).filters(settings.filters),
            typesize: settings.typesize,
            auto: auto.map(|auto| auto.format(ChunkFormat::Blosc2)),
            chunk_size: chunk_size.transpose()?.unwrap_or_else(|| default_chunk_size(auto)),
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
        let PathOrStdio::File(path) = output else {
            bail!("a Blosc2 frame cannot be written to a pipe, because its length is in its header; name a file");
        };
        let report = &session.report;
        let source = Input::open(input, cancel)?;
        let size = source.known_size();
        if let Some(size) = size {
            describe_input(report, size, self.chunk_size)?;
        }
        let threads = session.threads_within(size.unwrap_or(u64::MAX), self.memory, self.chunk_size.into())?;
        let mut source = Head::new(source);
        let mut typesize = self.typesize.map(usize::from);
        if let Some(auto) = self.auto {
            // All chunks of a frame have the typesize of its header.
            typesize = typesize.or_else(|| item_size(input));
            typesize = Some(typesize.map_or_else(|| source.typesize(auto, input, self.chunk_size), Ok)?);
        }
        let params = self.params.typesize(typesize.unwrap_or(8) as u32); // at most 255
        let writer = FrameWriter::create(path, FrameType::Contiguous, session.force, params)?;
        let mut writer = writer.auto(self.auto).observe(events::choosing(report));
        let checksum = self.digest.unwrap_or(if self.verify { Checksum::Sha256 } else { Checksum::None });
        let mut plain = Digesting::new(report.progress().count(source), checksum);
        let nbytes = writer.append_stream(&mut plain, Some(self.chunk_size), &threads, cancel)?;
        if let Some(size) = size.filter(|size| *size != nbytes) {
            let message =
                format!("input file '{input}' changed from {size} to {nbytes} bytes while it was read; try again");
            return Err(anyhow!(FileMessage::new(input, message)));
        }
        let found = plain.finish();
        match self.verify {
            true => writer.finish_verified(checksum, &found, &threads, cancel)?,
            false => writer.finish()?,
        }
        if self.digest.is_some() {
            digest::print(&found, input, report);
        }

        if size.is_none() {
            describe_input(report, nbytes, self.chunk_size)?;
        }
        let cbytes = path.metadata().with_context(|| FileMessage::new(output, format!("looking at '{output}'")))?.len();
        describe_output(report, nbytes, cbytes);
        Ok(())
    }
}
