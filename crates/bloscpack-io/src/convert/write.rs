//! Writes the output files from plain bytes or from the items of an array.

use std::io::{self, Read, Write};
use std::path::Path;

use bloscpack_format::bcolz::Attrs;
use bloscpack_format::frame::FrameType;
use bloscpack_format::numpy::{NumpyMeta, npy};

use crate::attributes::Layers;
use crate::formats::bcolz::{CarrayParams, CarrayWriter, RowInput};
use crate::formats::frame::{ArrayItems, FrameParams, FrameWriter};
use crate::fs::atomic::AtomicFile;
use crate::{ConvertOptions, Error};

pub(super) fn write_npy(
    mut bytes: impl Read,
    output: &Path,
    meta: &NumpyMeta,
    nbytes: u64,
    options: &ConvertOptions,
) -> Result<(), Error> {
    let mut file = AtomicFile::create(output, options.overwrite)?;
    let head = npy::to_bytes(meta)?;
    let copied = file.write_all(&head).and_then(|()| io::copy(&mut bytes, &mut file));
    match copied.map_err(Error::writing)? {
        found if found != nbytes => Err(Error::InputChanged { expected: nbytes, found }),
        _ => file.commit(),
    }
}

pub(super) fn write_frame(
    bytes: impl Read,
    output: &Path,
    params: FrameParams,
    layers: Layers,
    options: &ConvertOptions,
) -> Result<(), Error> {
    let writer = FrameWriter::create(output, FrameType::Contiguous, options.overwrite, params)?;
    let mut writer = writer.limits(options.limits).auto_observed(options.chosen(None), &options.observer);
    writer.add_metalayers(&layers.metalayers)?;
    writer.replace_vlmetalayers(layers.vlmetalayers)?;
    writer.append_stream(bytes, options.chunk_size, &options.threads, &options.cancel)?;
    writer.finish()
}

/// Writes a carray from rows in C order.
pub(super) fn write_carray(
    input: impl RowInput,
    output: &Path,
    meta: &NumpyMeta,
    (params, attrs): (&CarrayParams, Attrs),
    options: &ConvertOptions,
) -> Result<(), Error> {
    let writer = CarrayWriter::create(output, options.overwrite, params)?;
    let mut writer = writer.auto_observed(options.chosen(None), &options.observer);
    let rows = writer.append_rows(input, &options.threads, &options.cancel)?;
    if let Some(expected) = meta.shape.first().filter(|expected| **expected != rows) {
        let size = |rows: u64| meta.nbytes().unwrap_or(0).checked_div(*expected).unwrap_or(0).saturating_mul(rows);
        return Err(Error::InputChanged { expected: size(*expected), found: size(rows) });
    }
    if !attrs.is_empty() {
        writer.set_attrs(attrs);
    }
    writer.finish()
}

pub(super) fn write_array(
    items: &impl ArrayItems,
    output: &Path,
    meta: &NumpyMeta,
    (params, layers): (FrameParams, Layers),
    options: &ConvertOptions,
) -> Result<(), Error> {
    let array = options.array_options().array(meta)?;
    let (kind, metalayers) = (FrameType::Contiguous, &layers.metalayers);
    let writer = FrameWriter::create_array_with(output, kind, options.overwrite, array, params, metalayers)?;
    let mut writer = writer.limits(options.limits).auto_observed(options.chosen(None), &options.observer);
    writer.replace_vlmetalayers(layers.vlmetalayers)?;
    writer.write_items(items, &options.threads, &options.cancel)?;
    writer.finish()
}
