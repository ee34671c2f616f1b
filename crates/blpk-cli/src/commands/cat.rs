//! `blpk cat`: writes a part of a file's content to stdout, and decodes only the data that it needs.

use super::array;
use crate::args::{CatArgs, Range as Asked, dtype};
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::streams::{Output, refuse_same_file};
use anyhow::{Context as _, Result, bail};
use bloscpack_format::FormatError;
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order, Slice};
use bloscpack_io::{Array, Cancel, ItemFormat, ItemWriter, OpenOptions, Typing, UnpackOptions};
use std::io::Write as _;
use std::ops::Range;

/// A run of `blpk cat`.
pub(super) struct Plan {
    operand: PathOrStdio,
    /// The column of a ctable.
    column: Option<String>,
    typing: Typing,
    part: Part,
    format: ItemFormat,
}

/// The part that is written.
enum Part {
    Chunk(u64),
    Bytes(Asked),
    Slice(Slice),
    Items(Asked),
}

impl Plan {
    pub(super) fn new(args: &CatArgs) -> Result<Plan> {
        let operand = PathOrStdio::from(args.file.clone());
        refuse_same_file(&operand, &PathOrStdio::Standard)?;
        Ok(Plan {
            operand,
            column: args.column.clone(),
            typing: Typing::new().dtype(args.dtype.as_deref().map(dtype).transpose()?),
            // The parser takes exactly one of them.
            part: match (args.chunk, args.bytes, &args.slice) {
                (Some(chunk), _, _) => Part::Chunk(chunk),
                (None, Some(bytes), _) => Part::Bytes(bytes),
                (None, None, Some(slice)) => Part::Slice(slice.clone()),
                (None, None, None) => Part::Items(args.items.unwrap_or(Asked { start: None, end: None })),
            },
            format: args.format.unwrap_or(ItemFormat::Raw),
        })
    }
}

pub(super) fn run(plan: &Plan, session: &Session) -> Result<()> {
    let source = array::open(&plan.operand, plan.column.as_deref(), &Cancel::new())?;
    let is_binary = matches!(plan.format, ItemFormat::Raw | ItemFormat::Npy);
    let output = Output::create(&PathOrStdio::Standard, session.force || !is_binary)?;
    let written = Array::open_with(source, &OpenOptions::new().typing(plan.typing.clone()))
        .map_err(anyhow::Error::from)
        .and_then(|array| {
            let part = Writing { array: &array, format: plan.format, column: plan.column.as_deref(), session };
            part.write(&plan.part, output)
        });
    written.with_context(|| plan.operand.to_string())?.commit()
}

/// An array, and how a part of it is written.
struct Writing<'a> {
    array: &'a Array<'a>,
    format: ItemFormat,
    /// The name of a column.
    column: Option<&'a str>,
    session: &'a Session,
}

impl Writing<'_> {
    /// Writes a part. Returns the output.
    fn write(&self, part: &Part, output: Output) -> Result<Output> {
        match part {
            Part::Chunk(chunk) => self.chunk(*chunk, output),
            Part::Bytes(asked) => self.bytes(*asked, output),
            Part::Slice(slice) => self.slice(slice, output),
            Part::Items(asked) => self.items(*asked, output),
        }
    }

    fn chunk(&self, chunk: u64, output: Output) -> Result<Output> {
        let dtype = self.dtype();
        let archive = self.array.archive();
        if !archive.is_compressed() {
            bail!("a .npy file has no chunks; use --items or --bytes");
        }
        if chunk >= archive.nchunks() {
            bail!("there is no chunk {chunk}; there are {}, numbered from 0", archive.nchunks());
        }
        let plain = archive.chunk(chunk)?;
        let items = (plain.len() as u64).checked_div(dtype.itemsize());
        let whole = items.filter(|items| items * dtype.itemsize() == plain.len() as u64);
        if whole.is_none() && self.format != ItemFormat::Raw {
            bail!("chunk {chunk} has {} bytes, not whole items of {}; use --items", plain.len(), dtype.itemsize());
        }
        let mut writer = self.start(output, dtype, vec![whole.unwrap_or(0)])?;
        writer.write_all(&plain).context("writing the output")?;
        Ok(writer.finish()?)
    }

    fn bytes(&self, asked: Asked, output: Output) -> Result<Output> {
        let range = range(asked, "bytes", self.array.archive().nbytes())?;
        let byte = Dtype::from_type_string("|u1").map_err(FormatError::from)?;
        let mut writer = self.start(output, &byte, vec![range.end - range.start])?;
        let options = self.options(range.end - range.start)?;
        self.array.copy_bytes(range, &mut writer, &options)?;
        Ok(writer.finish()?)
    }

    fn slice(&self, slice: &Slice, output: Output) -> Result<Output> {
        let selection = slice.select(&self.array.meta().shape).map_err(FormatError::from)?;
        let mut writer = self.start(output, self.dtype(), selection.shape())?;
        let nbytes = selection.counts().into_iter().fold(self.dtype().itemsize(), u64::saturating_mul);
        self.array.copy_selection(&selection, &mut writer, &self.options(nbytes)?)?;
        Ok(writer.finish()?)
    }

    fn items(&self, asked: Asked, output: Output) -> Result<Output> {
        let dtype = self.dtype();
        if dtype.itemsize() == 0 {
            bail!("items have no bytes; use --bytes");
        }
        let items = range(asked, "items", self.array.len())?;
        let len = items.end - items.start;
        let mut writer = self.start(output, dtype, vec![len])?;
        let options = self.options(len.saturating_mul(dtype.itemsize()))?;
        self.array.copy_items(items, &mut writer, &options)?;
        Ok(writer.finish()?)
    }

    fn dtype(&self) -> &Dtype {
        &self.array.meta().dtype
    }

    fn start(&self, output: Output, dtype: &Dtype, shape: Vec<u64>) -> Result<ItemWriter<Output>> {
        let meta = NumpyMeta { dtype: dtype.clone(), shape, order: Order::C };
        Ok(ItemWriter::new(output, self.format, &meta, self.column)?)
    }

    fn options(&self, nbytes: u64) -> Result<UnpackOptions> {
        Ok(UnpackOptions::new().threads(self.session.threads(nbytes)?))
    }
}

/// Resolves the open ends of a range. Refuses a range that is not within `0..len`.
fn range(asked: Asked, unit: &str, len: u64) -> Result<Range<u64>> {
    let (start, end) = (asked.start.map_or(0, |at| at.within(len)), asked.end.map_or(len, |at| at.within(len)));
    if start > end || end > len {
        bail!("{unit} {start}..{end} are not within 0..{len}");
    }
    Ok(start..end)
}
