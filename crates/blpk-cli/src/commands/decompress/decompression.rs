//! Decompression of one input of any kind.

use crate::args::DigestArg;
use crate::commands::digest::CheckedOutput;
use crate::commands::plain_size::{chunk_size, limits};
use crate::events;
use crate::file_kind::FileKind;
use crate::inputs::InputFile;
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::size::pretty_size;
use crate::streams::Input;
use crate::url;
use anyhow::{Context as _, Result};
use bloscpack_format::Json;
use bloscpack_io::{
    AnySource, Archive, Array, Cancel, LocalSource, OpenOptions, Sink, Source, UnpackOptions, UnpackReport,
};

/// One input, and the output for its uncompressed bytes.
pub(super) struct Decompression<'a> {
    pub(super) item: &'a InputFile,
    pub(super) kind: Option<FileKind>,
    pub(super) column: Option<&'a str>,
    pub(super) output: PathOrStdio,
    pub(super) session: &'a Session,
    pub(super) digest: Option<&'a DigestArg>,
    pub(super) memory: Option<u64>,
}

impl Decompression<'_> {
    /// Writes the uncompressed bytes. Returns the metadata, if there is any.
    pub(super) fn run(&self, cancel: &Cancel) -> Result<Option<Json>> {
        let input = &self.item.operand;
        let report = &self.session.report;
        match (self.kind, self.source()?) {
            (Some(FileKind::Npy), Some(source)) => return self.npy(source, cancel).map(|()| None),
            (_, Some(source)) => return self.archive(source, cancel).map(|()| None),
            _ => {}
        }
        let source = Input::open(input, cancel)?;
        let size = source.known_size();
        if let Some(size) = size {
            report.verbose(format!("input file size: {}", pretty_size(size)));
        }
        let chunk = if size.is_some() { chunk_size(input) } else { None };
        let options = self.options(size.unwrap_or(u64::MAX), chunk, cancel)?.observe(events::unpacking(report));
        let unpacked = self.unpack(source, size.is_some(), &options)?;
        let UnpackReport { nbytes, cbytes, metadata, .. } = unpacked;
        if size.is_none() {
            report.verbose(format!("input file size: {}", pretty_size(cbytes)));
        }
        self.describe(nbytes, cbytes);
        Ok(metadata)
    }

    /// Opens an input that is read at random. Others are read from start to end.
    fn source(&self) -> Result<Option<AnySource>> {
        let is_random = matches!(self.kind, Some(FileKind::Frame | FileKind::Carray | FileKind::Zarr | FileKind::Npy));
        if self.column.is_none() && !is_random {
            return Ok(None);
        }
        let options = OpenOptions::new().column(self.column);
        match &self.item.operand {
            PathOrStdio::Standard => Ok(None),
            PathOrStdio::File(path) if self.column.is_none() => {
                Ok(Some(LocalSource::open_with(path, &options)?.into()))
            }
            PathOrStdio::File(path) => {
                let source = LocalSource::open_with(path, &options).with_context(|| self.name())?;
                Ok(Some(source.into()))
            }
            PathOrStdio::Url(url) => url::open(url, self.column).map(Some),
        }
    }

    fn unpack(&self, source: Input, is_file: bool, options: &UnpackOptions) -> Result<UnpackReport> {
        if let (PathOrStdio::File(input), PathOrStdio::File(output), true) =
            (&self.item.operand, &self.output, is_file && self.digest.is_none())
        {
            return bloscpack_io::unpack(Source::file(input), Sink::file(output), options).with_context(|| self.name());
        }
        let mut output = self.create()?;
        let unpacked = bloscpack_io::unpack(Source::reader(source), Sink::writer(&mut output), options)
            .with_context(|| self.name())?;
        self.commit(output)?;
        Ok(unpacked)
    }

    /// Decompresses a frame, a carray or a Zarr array, which may be a directory.
    fn archive(&self, source: AnySource, cancel: &Cancel) -> Result<()> {
        let archive = Archive::open(source).with_context(|| self.name())?;
        let chunk = archive.frame().and_then(|frame| u64::try_from(frame.header.chunksize.to_i64()).ok());
        let chunk = chunk.or(archive.zarr().map(|meta| meta.chunk_nbytes()));
        let options = self.options(archive.nbytes(), chunk.filter(|chunk| *chunk > 0), cancel)?;
        let mut output = self.create()?;
        let watched = self.session.report.progress().watch(&mut output, archive.nbytes());
        let nbytes = archive.unpack(watched, &options).with_context(|| self.name())?;
        self.commit(output)?;
        self.session.report.verbose(format!("output file size: {}", pretty_size(nbytes)));
        Ok(())
    }

    fn npy(&self, source: AnySource, cancel: &Cancel) -> Result<()> {
        let array = Array::open(source);
        let array = array.with_context(|| self.name())?;
        let (nbytes, cbytes) = (array.nbytes(), array.archive().cbytes());
        self.session.report.verbose(format!("input file size: {}", pretty_size(cbytes)));
        let mut output = self.create()?;
        array.archive().unpack(&mut output, &self.options(nbytes, None, cancel)?).with_context(|| self.name())?;
        self.commit(output)?;
        self.describe(nbytes, cbytes);
        Ok(())
    }

    fn create(&self) -> Result<CheckedOutput<'_>> {
        CheckedOutput::create(&self.output, self.session.force, self.digest)
    }

    fn commit(&self, output: CheckedOutput<'_>) -> Result<()> {
        output.commit(&self.item.operand, &self.output, &self.session.report)
    }

    fn options(&self, size: u64, chunk: Option<u64>, cancel: &Cancel) -> Result<UnpackOptions> {
        let (limits, chunk) = limits(self.memory, chunk);
        let threads = self.session.threads_within(size, self.memory, chunk)?;
        Ok(UnpackOptions::new().threads(threads).limits(limits).cancel(cancel.clone()).overwrite(self.session.force))
    }

    fn name(&self) -> String {
        self.item.operand.to_string()
    }

    fn describe(&self, nbytes: u64, cbytes: u64) {
        let report = &self.session.report;
        report.verbose(format!("output file size: {}", pretty_size(nbytes)));
        report.verbose(format!("decompression ratio: {:.6}", nbytes as f64 / cbytes as f64));
    }
}
