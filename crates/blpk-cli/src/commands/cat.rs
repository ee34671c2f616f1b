//! `blpk cat`: a part of a file's plain bytes to stdout, decoding only what it touches.

use crate::args::{CatArgs, Range as Asked};
use crate::files;
use crate::fortran::Fortran;
use crate::kind::{Kind, kind_of_file};
use crate::npy::Npy;
use crate::session::Session;
use crate::streams::{Output, Place, open_source};
use anyhow::{Context as _, Result, bail};
use bloscpack_format::numpy::{NumpyMeta, Order};
use bloscpack_io::{Archive, Cancel, LocalSource, ReadAt as _, UnpackOptions};
use std::io::Write as _;
use std::ops::Range;

pub(super) fn run(args: &CatArgs, session: &Session) -> Result<()> {
    let place = Place::from(args.file.clone());
    let source = match (&place, &args.column) {
        (Place::File(path), Some(column)) => {
            files::table_must_exist("file", path)?;
            LocalSource::open_column(path, column).with_context(|| place.to_string())?
        }
        (Place::Standard, Some(_)) => bail!("a pipe is not a bcolz ctable, which --column is for"),
        (Place::File(path), None) => {
            files::must_exist("file", path)?;
            open_source(&place, &Cancel::new())?
        }
        (Place::Standard, None) => open_source(&place, &Cancel::new())?,
    };
    let name = || place.to_string();
    let mut output = Output::create(&Place::Standard, session.force)?;
    match kind_of_file(source.file()) {
        Some(Kind::Foreign(what)) => bail!("file '{place}' is {what}, which this version cannot read"),
        Some(Kind::Npy) => {
            npy(args, Npy::open(source.into_file()).with_context(name)?, &mut output).with_context(name)?
        }
        _ => archive(args, Archive::open(source).with_context(name)?, &mut output).with_context(name)?,
    }
    output.commit()
}

fn archive(args: &CatArgs, archive: Archive<LocalSource>, output: &mut Output) -> Result<()> {
    if let Some(chunk) = args.chunk {
        if chunk >= archive.nchunks() {
            bail!("there is no chunk {chunk}, only {} of them from 0 on", archive.nchunks());
        }
        return output.write_all(&archive.chunk(chunk)?).context("writing the output");
    }
    if let Some(asked) = args.bytes {
        return Ok(archive.copy_range(range(asked, "bytes", archive.nbytes())?, output)?);
    }
    let itemsize = archive.numpy().map_or(archive.typesize() as u64, |meta| meta.dtype.itemsize());
    let items = items(args, itemsize, archive.nbytes())?;
    match archive.numpy().and_then(|meta| fortran(meta, archive.nbytes())) {
        None => Ok(archive.copy_items(items, itemsize, output)?),
        // Each pass decodes the chunks again, which is cheaper than to write all of them down; but not many times.
        Some(array) if array.passes(&items) <= 2 => array.copy_items(items, by_chunks(&archive), output),
        Some(array) => {
            let mut spool = tempfile::tempfile().context("creating a temporary file")?;
            archive.unpack(&mut spool, &UnpackOptions::default())?;
            let read = |at, buf: &mut [u8]| spool.read_exact_at(at, buf).context("reading the temporary file");
            array.copy_items(items, read, output)
        }
    }
}

/// Reads an archive's plain bytes, mostly from front to back: a chunk is decoded when one of its bytes is needed.
fn by_chunks(archive: &Archive<LocalSource>) -> impl FnMut(u64, &mut [u8]) -> Result<()> {
    let (mut around, mut chunk) = (0..0, Vec::new());
    move |at, buf| {
        for (byte, at) in buf.iter_mut().zip(at..) {
            if !around.contains(&at) {
                let number = chunk_of(archive, at).context("the array ends early")?;
                (around, chunk) = (archive.chunk_range(number)?, archive.chunk(number)?);
            }
            let within = usize::try_from(at - around.start).ok().and_then(|at| chunk.get(at));
            *byte = *within.with_context(|| format!("byte {at} of the array is not in the file"))?;
        }
        Ok(())
    }
}

/// The chunk that holds a byte. Chunks follow each other, so it is found by halving.
fn chunk_of(archive: &Archive<LocalSource>, at: u64) -> Option<u64> {
    let (mut low, mut high) = (0, archive.nchunks());
    while low < high {
        let middle = low + (high - low) / 2;
        match archive.chunk_range(middle).ok()? {
            range if range.contains(&at) => return Some(middle),
            range if range.start > at => high = middle,
            _ => low = middle + 1,
        }
    }
    None
}

fn npy(args: &CatArgs, array: Npy, output: &mut Output) -> Result<()> {
    if args.chunk.is_some() {
        bail!("a .npy file has no chunks; use --items or --bytes");
    }
    if let Some(asked) = args.bytes {
        return array.copy_range(range(asked, "bytes", array.nbytes())?, output);
    }
    let itemsize = array.meta().dtype.itemsize();
    let items = items(args, itemsize, array.nbytes())?;
    match fortran(array.meta(), array.nbytes()) {
        None => array.copy_range(items.start * itemsize..items.end * itemsize, output),
        Some(fortran) => fortran.copy_items(items, |at, buf| array.read(at, buf), output),
    }
}

/// The array, if its items do not lie in C order. One whose size is not that of the bytes is none.
fn fortran(meta: &NumpyMeta, nbytes: u64) -> Option<Fortran<'_>> {
    let differs = meta.order == Order::F && meta.shape.iter().filter(|axis| **axis > 1).count() > 1;
    let is_whole = meta.nbytes() == Some(nbytes);
    (differs && is_whole).then(|| Fortran { shape: &meta.shape, itemsize: meta.dtype.itemsize() })
}

fn items(args: &CatArgs, itemsize: u64, nbytes: u64) -> Result<Range<u64>> {
    let asked = args.items.unwrap_or(Asked { start: None, end: None });
    let Some(items) = nbytes.checked_div(itemsize) else { bail!("items have no bytes; use --bytes") };
    range(asked, "items", items)
}

/// What was asked for, its open ends closed.
fn range(asked: Asked, unit: &str, len: u64) -> Result<Range<u64>> {
    let (start, end) = (asked.start.unwrap_or(0), asked.end.unwrap_or(len));
    if start > end || end > len {
        bail!("{unit} {start}..{end} are not within 0..{len}");
    }
    Ok(start..end)
}
