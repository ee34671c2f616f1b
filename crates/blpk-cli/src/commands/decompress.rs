//! `blpk decompress`: the plain bytes of any file that we can read.

use super::digest::CheckedOutput;
use super::plain_size::{chunk_size, limits};
use crate::args::{DecompressArgs, DigestArg};
use crate::batch;
use crate::inputs::{self, Item};
use crate::json::line;
use crate::kind::{Kind, is_container_directory, kind_of};
use crate::names::{self, has_our_name};
use crate::npy::Npy;
use crate::outputs::Outputs;
use crate::overwrite::Writes;
use crate::pprint::pformat;
use crate::session::Session;
use crate::size::pretty_size;
use crate::streams::{Input, Output, Place, refuse_same_file};
use crate::{events, files};
use anyhow::{Context as _, Result, bail};
use bloscpack_format::Json;
use bloscpack_io::{Archive, Cancel, LocalSource, UnpackOptions, UnpackReport, unpack_file, unpack_stream};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

pub(super) fn run(args: &DecompressArgs, session: &Session) -> Result<()> {
    let report = &session.report;
    report.verbose("getting ready for decompression");
    let (names, output) = args.many.split(&args.files);
    let mut outputs = Outputs::new(super::destination::destination(&args.many, output), args.many.rm);
    let items = inputs::items(names, args.many.recursive, is_container_directory);
    let cancel = session.cancel();
    report.progress().begin(inputs::total(&items));
    batch::each(items, session, &cancel, |item| {
        report.progress().file(&item.place, item.size());
        if item.is_skipped(is_wanted) {
            report.verbose(format!("skipping what is not compressed: '{}'", item.place));
            return Ok(());
        }
        let kind = match &item.place {
            Place::File(path) => kind_of(path),
            Place::Standard => None,
        };
        let output = output_of(args, &item, kind, &outputs)?;
        let column = args.column.as_deref();
        let (digest, memory) = (args.digest.as_ref(), args.memory);
        let job = Job { item: &item, kind, column, output: output.clone(), session, digest, memory };
        let overwrite = outputs.overwrite(&item, Writes::Plain, "decompress");
        match column {
            Some(_) => files::check_output(&item.place, &output, overwrite, session)?,
            None => files::check_one_of_many(&item.place, &output, overwrite, session)?,
        }
        // Refused before there is anything to be lost.
        let metadata_out = args.metadata_out.as_ref().map(|path| create_beside(path, &item.place, &output, session));
        let mut metadata_out = metadata_out.transpose()?;
        let mut metadata = None;
        outputs.write(&item, &output, session, || {
            metadata = job.run(&cancel)?;
            metadata_out.take().map_or(Ok(()), |file| write_metadata(file, metadata.take()))
        })?;
        print_metadata(metadata, session)?;
        report.verbose("done");
        Ok(())
    })
}

/// Opens a second output, which is neither the input nor the first.
fn create_beside(path: &Path, input: &Place, output: &Place, session: &Session) -> Result<Output> {
    let place = Place::from(path.to_owned());
    for other in [input, output] {
        refuse_same_file(other, &place)?;
        if let (Place::File(other), Place::File(path)) = (other, &place)
            && full(other) == full(path)
        {
            bail!("'{place}' cannot be for the data and the metadata; name another file");
        }
    }
    Output::create(&place, session.force)
}

/// The path of a file that may not exist yet, by way of its directory.
fn full(path: &Path) -> Option<PathBuf> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(parent.canonicalize().ok()?.join(path.file_name()?))
}

/// Whether what lies in a directory is compressed, or is by its name to be.
fn is_wanted(path: &Path) -> bool {
    match kind_of(path) {
        Some(Kind::Bloscpack | Kind::Chunk | Kind::Frame | Kind::Carray) => true,
        Some(Kind::Npy | Kind::Ctable | Kind::Foreign(_)) => false,
        None => has_our_name(path) && !path.is_dir(),
    }
}

/// One input, and where its plain bytes go.
struct Job<'a> {
    item: &'a Item,
    kind: Option<Kind>,
    column: Option<&'a str>,
    output: Place,
    session: &'a Session,
    digest: Option<&'a DigestArg>,
    memory: Option<u64>,
}

impl Job<'_> {
    /// Writes the plain bytes. The metadata, if there is any.
    fn run(&self, cancel: &Cancel) -> Result<Option<Json>> {
        let input = &self.item.place;
        let report = &self.session.report;
        if let (Some(column), Place::File(path)) = (self.column, input) {
            let source = LocalSource::open_column(path, column).with_context(|| self.name())?;
            return self.archive(source, cancel).map(|()| None);
        }
        if let (Some(kind @ (Kind::Frame | Kind::Carray | Kind::Npy)), Place::File(path)) = (self.kind, input) {
            let written = match kind {
                Kind::Npy => self.npy(path),
                _ => self.archive(LocalSource::open(path)?, cancel),
            };
            return written.map(|()| None);
        }
        let source = Input::open(input, cancel)?;
        let size = source.known_size();
        if let Some(size) = size {
            report.verbose(format!("input file size: {}", pretty_size(size)));
        }
        let chunk = match input {
            Place::File(path) if size.is_some() => chunk_size(path),
            _ => None,
        };
        let options = self.options(size.unwrap_or(u64::MAX), chunk, cancel)?.observe(events::unpacking(report));
        let unpacked = self.unpack(source, size.is_some(), &options)?;
        let UnpackReport { nbytes, cbytes, metadata, .. } = unpacked;
        if size.is_none() {
            report.verbose(format!("input file size: {}", pretty_size(cbytes)));
        }
        self.describe(nbytes, cbytes);
        Ok(metadata)
    }

    fn unpack(&self, source: Input, is_file: bool, options: &UnpackOptions) -> Result<UnpackReport> {
        if let (Place::File(input), Place::File(output), true) =
            (&self.item.place, &self.output, is_file && self.digest.is_none())
        {
            return unpack_file(input, output, options).with_context(|| self.name());
        }
        let mut output = self.create()?;
        let unpacked = unpack_stream(source, &mut output, options).with_context(|| self.name())?;
        self.commit(output)?;
        Ok(unpacked)
    }

    /// A frame or a carray, which may be a directory.
    fn archive(&self, source: LocalSource, cancel: &Cancel) -> Result<()> {
        let archive = Archive::open(source).with_context(|| self.name())?;
        let chunk = archive.frame().and_then(|frame| u64::try_from(frame.header.chunksize.to_i64()).ok());
        let options = self.options(archive.nbytes(), chunk.filter(|chunk| *chunk > 0), cancel)?;
        let mut output = self.create()?;
        let watched = self.session.report.progress().watch(&mut output, archive.nbytes());
        let nbytes = archive.unpack(watched, &options).with_context(|| self.name())?;
        self.commit(output)?;
        self.session.report.verbose(format!("output file size: {}", pretty_size(nbytes)));
        Ok(())
    }

    fn npy(&self, path: &Path) -> Result<()> {
        let array = Npy::open(File::open(path).with_context(|| self.name())?).with_context(|| self.name())?;
        self.session.report.verbose(format!("input file size: {}", pretty_size(array.len())));
        let mut output = self.create()?;
        array.copy_range(0..array.nbytes(), &mut output)?;
        self.commit(output)?;
        self.describe(array.nbytes(), array.len());
        Ok(())
    }

    fn create(&self) -> Result<CheckedOutput<'_>> {
        CheckedOutput::create(&self.output, self.session.force, self.digest)
    }

    fn commit(&self, output: CheckedOutput<'_>) -> Result<()> {
        output.commit(&self.item.place, &self.output, &self.session.report)
    }

    fn options(&self, size: u64, chunk: Option<u64>, cancel: &Cancel) -> Result<UnpackOptions> {
        let (limits, chunk) = limits(self.memory, chunk);
        let threads = self.session.threads_within(size, self.memory, chunk)?;
        Ok(UnpackOptions::new().threads(threads).limits(limits).cancel(cancel.clone()).overwrite(self.session.force))
    }

    fn name(&self) -> String {
        self.item.place.to_string()
    }

    fn describe(&self, nbytes: u64, cbytes: u64) {
        let report = &self.session.report;
        report.verbose(format!("output file size: {}", pretty_size(nbytes)));
        report.verbose(format!("decompression ratio: {:.6}", nbytes as f64 / cbytes as f64));
    }
}

fn print_metadata(metadata: Option<Json>, session: &Session) -> Result<()> {
    if let Some(metadata) = metadata.filter(Json::is_truthy) {
        session.report.normal("Metadata:");
        session.report.normal(pformat(&metadata)?);
    }
    Ok(())
}

/// As `compress --metadata` reads it: without metadata `null`.
fn write_metadata(mut output: Output, metadata: Option<Json>) -> Result<()> {
    let text = line(&metadata.unwrap_or(Json::Null))?;
    output.write_all(text.as_bytes()).context("writing the metadata")?;
    output.commit()
}

/// Where to: as named, or the input's name without `.blp`. A bloscpack file must have a name that ends so unless the
/// check is switched off; what is something else by its content needs no such name.
fn output_of(args: &DecompressArgs, item: &Item, kind: Option<Kind>, outputs: &Outputs) -> Result<Place> {
    let input = &item.place;
    let is_named = outputs.named().is_some() || outputs.have_directory();
    let Place::File(path) = input else {
        if args.column.is_some() {
            bail!("a pipe is not a bcolz ctable, which --column is for");
        }
        return match args.no_check_extension && !is_named {
            true => bail!("--no-check-extension requires use of <out_file>"),
            false => outputs.place(item, Path::to_owned),
        };
    };
    if args.column.is_some() {
        files::table_must_exist("input file", path)?;
        return match is_named {
            true => outputs.place(item, names::without_extension),
            false => bail!("name the <out_file> for the column of '{input}'"),
        };
    }
    if path.is_dir() {
        files::input_must_exist("input file", path)?; // says what the directory is, whatever its name
    }
    match kind {
        _ if args.no_check_extension && !is_named => bail!("--no-check-extension requires use of <out_file>"),
        Some(Kind::Foreign(what)) => bail!("input file '{input}' is {what}, which this version cannot read"),
        _ if args.no_check_extension || names::has_extension(path) => {}
        Some(Kind::Chunk | Kind::Npy | Kind::Frame | Kind::Carray) if is_named => {}
        // Told by its content, it needs no name that ends so; but one that can be made another.
        Some(Kind::Chunk | Kind::Frame) if has_our_name(path) => {}
        Some(Kind::Npy) => bail!(
            "input file '{input}' is a NumPy array, which is not compressed; 'blpk convert' puts it into another \
             container, and if you name the <out_file>, its bytes go there"
        ),
        Some(Kind::Chunk | Kind::Frame | Kind::Carray) => {
            bail!("input file '{input}' does not end with '{}': name the <out_file>", names::EXTENSION)
        }
        Some(Kind::Bloscpack) => bail!(
            "input file '{input}' does not end with '{}', but is a bloscpack file: rename it, or use -e and name the \
             <out_file>",
            names::EXTENSION
        ),
        Some(Kind::Ctable) | None => {
            let advice = crate::foreign::advice_on(path).map_or(String::new(), |advice| format!("; {advice}"));
            bail!("input file '{input}' does not end with '{}'{advice}", names::EXTENSION)
        }
    }
    outputs.place(item, names::without_extension)
}
