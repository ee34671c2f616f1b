//! `blpk cat`: a part of a file's content to stdout, decoding only what it touches.

use super::array;
use crate::args::{CatArgs, Range as Asked, dtype};
use crate::session::Session;
use crate::streams::{Output, Place};
use anyhow::{Context as _, Result, bail};
use bloscpack_format::FormatError;
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order};
use bloscpack_io::{Array, Cancel, ItemFormat, ItemWriter, Limits, LocalSource, Typing, UnpackOptions};
use std::io::Write as _;
use std::ops::Range;

pub(super) fn run(args: &CatArgs, session: &Session) -> Result<()> {
    let place = Place::from(args.file.clone());
    let typing = Typing { dtype: args.dtype.as_deref().map(dtype).transpose()?, ..Typing::default() };
    let source = array::open(&place, args.column.as_deref(), &Cancel::new())?;
    let format = args.format.unwrap_or(ItemFormat::Raw);
    let is_binary = matches!(format, ItemFormat::Raw | ItemFormat::Npy);
    let output = Output::create(&Place::Standard, session.force || !is_binary)?;
    let written = Array::open(source, &typing, Limits::new())
        .map_err(anyhow::Error::from)
        .and_then(|array| part(args, &array, format, output, session));
    written.with_context(|| place.to_string())?.commit()
}

/// Writes the part that was asked for.
fn part(
    args: &CatArgs,
    array: &Array<LocalSource>,
    format: ItemFormat,
    output: Output,
    session: &Session,
) -> Result<Output> {
    let (dtype, name) = (&array.meta().dtype, args.column.as_deref());
    let start = |output, dtype: &Dtype, shape| {
        let meta = NumpyMeta { dtype: dtype.clone(), shape, order: Order::C };
        Ok::<_, anyhow::Error>(ItemWriter::new(output, format, &meta, name)?)
    };
    let options = |nbytes| Ok::<_, anyhow::Error>(UnpackOptions::new().threads(session.threads(nbytes)?));
    if let Some(chunk) = args.chunk {
        let Some(archive) = array.archive() else {
            bail!("a .npy file has no chunks; use --items or --bytes");
        };
        if chunk >= archive.nchunks() {
            bail!("there is no chunk {chunk}, only {} of them from 0 on", archive.nchunks());
        }
        let plain = archive.chunk(chunk)?;
        let items = (plain.len() as u64).checked_div(dtype.itemsize());
        let whole = items.filter(|items| items * dtype.itemsize() == plain.len() as u64);
        if whole.is_none() && format != ItemFormat::Raw {
            bail!("chunk {chunk} has {} bytes, not whole items of {}; use --items", plain.len(), dtype.itemsize());
        }
        let mut writer = start(output, dtype, vec![whole.unwrap_or(0)])?;
        writer.write_all(&plain).context("writing the output")?;
        return Ok(writer.finish()?);
    }
    if let Some(asked) = args.bytes {
        let range = range(asked, "bytes", array.nbytes())?;
        let byte = Dtype::from_type_string("|u1").map_err(FormatError::from)?;
        let mut writer = start(output, &byte, vec![range.end - range.start])?;
        let options = options(range.end - range.start)?;
        array.copy_bytes(range, &mut writer, &options)?;
        return Ok(writer.finish()?);
    }
    if let Some(slice) = &args.slice {
        let selection = slice.select(&array.meta().shape).map_err(FormatError::from)?;
        let mut writer = start(output, dtype, selection.shape())?;
        let nbytes = selection.counts().into_iter().fold(dtype.itemsize(), u64::saturating_mul);
        array.copy_selection(&selection, &mut writer, &options(nbytes)?)?;
        return Ok(writer.finish()?);
    }
    if dtype.itemsize() == 0 {
        bail!("items have no bytes; use --bytes");
    }
    let items = range(args.items.unwrap_or(Asked { start: None, end: None }), "items", array.len())?;
    let len = items.end - items.start;
    let mut writer = start(output, dtype, vec![len])?;
    let options = options(len.saturating_mul(dtype.itemsize()))?;
    array.copy_items(items, &mut writer, &options)?;
    Ok(writer.finish()?)
}

/// What was asked for, its open ends closed.
fn range(asked: Asked, unit: &str, len: u64) -> Result<Range<u64>> {
    let (start, end) = (asked.start.map_or(0, |at| at.within(len)), asked.end.map_or(len, |at| at.within(len)));
    if start > end || end > len {
        bail!("{unit} {start}..{end} are not within 0..{len}");
    }
    Ok(start..end)
}
