//! `blpk compress`: files or a pipe into bloscpack files or Blosc2 frames.

mod bloscpack;
mod describe;
mod frame;

use crate::args::{CompressArgs, CompressFormat, mistaken_level};
use crate::batch;
use crate::files;
use crate::inputs::{self, Item};
use crate::kind::{Kind, is_container, kind_of};
use crate::names;
use crate::outputs::Outputs;
use crate::overwrite::Writes;
use crate::session::Session;
use crate::streams::Place;
use anyhow::{Result, bail};
use bloscpack_io::{Cancel, Target};
use std::path::Path;

/// What is to be done with each file.
enum Job {
    Bloscpack(bloscpack::Job),
    Frame(frame::Job),
}

pub(super) fn run(args: &CompressArgs, session: &Session) -> Result<()> {
    let report = &session.report;
    report.verbose("getting ready for compression");
    let (names, output) = args.many.split(&args.files);
    let mut outputs = Outputs::new(&args.many, output);
    let format = format_of(args, outputs.named())?;
    // Beside what is compressed already nothing is to be put. In another directory everything is to be found again.
    let in_place = !outputs.have_directory();
    let items = inputs::items(names, args.many.recursive, |path| in_place && is_container(path));
    // As the original does it: a file is looked at before the settings are.
    let early = match items.as_slice() {
        [Ok(only)] if !only.walked => Some(ready(only, &outputs, format, session)?),
        _ => None,
    };
    let job = match format {
        CompressFormat::Blp => Job::Bloscpack(bloscpack::Job::new(args)?),
        CompressFormat::B2frame => Job::Frame(frame::Job::new(args)?),
    };
    let cancel = session.cancel();
    report.progress().begin(inputs::total(&items));
    batch::each(items, session, &cancel, |item| {
        report.progress().file(&item.place, item.size());
        if in_place && item.is_skipped(|path| !is_compressed(path)) {
            report.verbose(format!("skipping what is compressed already: '{}'", item.place));
            return Ok(());
        }
        let output = match &early {
            Some(output) => output.clone(),
            None => ready(&item, &outputs, format, session)?,
        };
        let packed = outputs.write(&item, &output, session, || job.run(&item.place, &output, session, &cancel));
        // Of several files it should be clear which one it was.
        packed.map_err(|error| match &early {
            Some(_) => error,
            None => batch::of_file(error, &item.place),
        })
    })
}

/// What the outputs are: what was asked for, else what the name of one says, and those two agree.
fn format_of(args: &CompressArgs, named: Option<&Place>) -> Result<CompressFormat> {
    let Some(Place::File(path)) = named else { return Ok(args.format.unwrap_or_default()) };
    let refuse = |name: &str, what: &str| bail!("output file '{}' has the name of {name}, but {what}", path.display());
    match (Target::of_name(path), args.format) {
        (Some(Target::Array), _) => refuse(
            "an array in a Blosc2 frame",
            "the bytes of a file have no dtype and shape; compress to a .b2frame, or 'blpk convert' a .npy to the array",
        ),
        (Some(Target::Frame), Some(CompressFormat::Blp)) => refuse("a Blosc2 frame", "--format blp is another"),
        (Some(Target::Bloscpack), Some(CompressFormat::B2frame)) => {
            refuse("a bloscpack file", "--format b2frame is another")
        }
        (Some(Target::Frame), None) => Ok(CompressFormat::B2frame),
        (_, format) => Ok(format.unwrap_or_default()),
    }
}

/// Where the output goes, if nothing stands in the way.
fn ready(item: &Item, outputs: &Outputs<'_>, format: CompressFormat, session: &Session) -> Result<Place> {
    let output = outputs.place(item, |path| names::with_extension(path, format.extension()))?;
    if let Place::File(path) = &item.place
        && !path.exists()
        && let Some(advice) = path.to_str().and_then(mistaken_level)
    {
        bail!("input file '{}' does not exist!{advice}", item.place);
    }
    let overwrite = outputs.overwrite(item, Writes::Packed, "compress");
    files::check_one_of_many(&item.place, &output, overwrite, session)?;
    Ok(output)
}

/// Whether there is nothing to be gained from a file, or a directory that is one thing.
fn is_compressed(path: &Path) -> bool {
    path.is_dir() || matches!(kind_of(path), Some(Kind::Bloscpack | Kind::Chunk | Kind::Frame))
}

impl Job {
    fn run(&self, input: &Place, output: &Place, session: &Session, cancel: &Cancel) -> Result<()> {
        match self {
            Job::Bloscpack(job) => job.run(input, output, session, cancel),
            Job::Frame(job) => job.run(input, output, session, cancel),
        }
    }
}
