//! Converts arrays and tables to Zarr: an array to an array, a table to a group with an array for each column.

use blosc_core::{BlockSize, CParams, Codec, FilterPipeline};
use bloscpack_format::Attrs;
use bloscpack_format::zarr::{ArrayMeta, Compressor, GroupMeta};

use super::copied::{Copied, Wanted, filters_of};
use super::destination::Destination;
use super::dimensions;
use super::metadata::Metadata;
use super::observed::Observed;
use super::report::ConvertReport;
use super::spooled::spooled;
use super::table::{check_options, meta_of, named, report};
use crate::array::{View, are_in_order};
use crate::formats::bcolz::Ctable;
use crate::formats::frame::FrameParams;
#[cfg(feature = "remote")]
use crate::formats::zarr::write::RemoteStore;
use crate::formats::zarr::write::{
    ArrayWriter, KeyStore, NewStore, Run, ZarrParams, array_files, group_files, is_known,
};
use crate::options::Event;
use crate::source::ReadDirectory;
use crate::target::Target;
use crate::{Archive, Array, ConvertOptions, DroppedAttribute, Error};

/// A compressed input with chunks larger than this many chunks of the output is decoded to a temporary file first.
const FINER: u64 = 4;

/// Writes the columns and all attributes of a table to a new group.
pub(super) fn to_group(
    input: impl ReadDirectory,
    output: Destination<'_>,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    match output {
        Destination::Path(path) => group_in(NewStore::create(path, options.overwrite)?, input, options),
        #[cfg(feature = "remote")]
        Destination::Url(remote, url) => group_in(RemoteStore::create(remote, url)?, input, options),
    }
}

/// [`to_group`] in a store.
fn group_in(store: impl KeyStore, input: impl ReadDirectory, options: &ConvertOptions) -> Result<ConvertReport, Error> {
    check_options(options)?;
    let table = Ctable::open_with(input, &options.open_options())?;
    let mut group = GroupMeta::new(options.zarr_version());
    group.attributes = table.attrs()?.try_clone()?;
    let mut report = report(&table);
    options.observer.tell(Event::Begin { nbytes: report.nbytes });
    let mut arrays = Vec::new();
    for (name, _) in named(&table) {
        let archive = table.column_archive(name)?;
        let meta = meta_of(&table, name)?;
        let (attributes, dropped) = Metadata::of(&archive, Target::Zarr)?.into_attrs()?;
        let written = write_array(&store, name, View { archive: &archive, meta: &meta }, attributes, options);
        arrays.push((name, written?));
        let lost = |lost: DroppedAttribute| DroppedAttribute { name: format!("{name}: {}", lost.name), ..lost };
        report.dropped.extend(dropped.into_iter().map(lost));
    }
    store.finish(&group_files(group, &arrays)?)?;
    Ok(report)
}

/// Writes one array with its attributes.
pub(super) fn to_array(
    view: View<'_>,
    output: Destination<'_>,
    attributes: Attrs,
    options: &ConvertOptions,
) -> Result<(), Error> {
    match output {
        Destination::Path(path) => array_in(NewStore::create(path, options.overwrite)?, view, attributes, options),
        #[cfg(feature = "remote")]
        Destination::Url(remote, url) => array_in(RemoteStore::create(remote, url)?, view, attributes, options),
    }
}

/// [`to_array`] in a store.
fn array_in(store: impl KeyStore, view: View<'_>, attributes: Attrs, options: &ConvertOptions) -> Result<(), Error> {
    let meta = write_array(&store, "", view, attributes, options)?;
    store.finish(&array_files("", &meta)?)
}

/// Writes the chunks of the array at `path` of a store. Returns its metadata, which are not written yet.
fn write_array<S: KeyStore>(
    store: &S,
    path: &str,
    view: View<'_>,
    attributes: Attrs,
    options: &ConvertOptions,
) -> Result<ArrayMeta, Error> {
    let View { archive, meta: array } = view;
    let copied = copied(view, options)?;
    let params = params(view, copied.as_ref(), options)?;
    let mut meta = params.meta(array)?;
    if let Some(old) = archive.zarr().filter(|old| old.dtype == meta.dtype) {
        meta.fill = old.fill.clone();
    }
    dimensions::set(&mut meta, attributes, archive)?;
    let writer = ArrayWriter::new(store, path, &meta, &params)?;
    let ConvertOptions { observer, limits, threads, cancel, .. } = options;
    let run = Run { auto: options.chosen(None), observer, limits, threads, cancel };
    if let Some(grid) = same_grid(archive, &meta, options) {
        let all = 0..archive.nchunks();
        grid.each(all, |ready| writer.put_copied(ready.number, &ready.bytes, limits), Ok)?;
    } else if let Some(copied) = &copied {
        let full = copied.full_chunks();
        copied.each(0..full, |ready| writer.put_copied(ready.number, &ready.bytes, limits), Ok)?;
        writer.write_items(&Observed::new(view, observer), full, &run)?;
    } else if is_read_in_chunks(view, &meta) {
        writer.write_items(&Observed::new(view, observer), 0, &run)?;
    } else {
        let items = Array::plain(spooled(archive, options)?, 0, array.clone())?;
        writer.write_items(&Observed::half(items, observer), 0, &run)?;
    }
    Ok(meta)
}

/// Returns the chunks of the input if they can be copied: they are rows in C order. An array of less than a chunk becomes
/// one chunk of its own size.
fn copied<'a>(view: View<'a>, options: &'a ConvertOptions) -> Result<Option<Copied<'a>>, Error> {
    let View { archive, meta } = view;
    let row = meta.row_nbytes();
    let inner = meta.shape.get(1..).unwrap_or_default();
    let set = options.chunkshape.as_deref();
    let is_rows =
        set.is_none_or(|set| set.get(1..).unwrap_or_default().iter().copied().map(u64::from).eq(inner.to_vec()));
    if meta.shape.is_empty() || !are_in_order(meta) || !is_rows {
        return Ok(None);
    }
    let nbytes = meta.nbytes().unwrap_or(0);
    let chunk_nbytes = options.chunk_rows_nbytes(meta);
    let copied = Copied::of(archive, &Wanted { nbytes, row, chunk_nbytes, knows: is_known }, options)?;
    let is_free = set.is_none() && archive.zarr().is_none();
    Ok(if is_free { copied.map(Copied::shrunk) } else { copied })
}

/// Returns the chunks of a Zarr array if the output has the same ones.
fn same_grid<'a>(archive: &'a Archive<'a>, meta: &ArrayMeta, options: &'a ConvertOptions) -> Option<Copied<'a>> {
    let old = archive.zarr()?;
    let new = (&meta.shape, &meta.chunkshape, &meta.dtype);
    let is_same = (&old.shape, &old.chunkshape, &old.dtype) == new && old.fill == meta.fill;
    if is_same { Copied::of_grid(archive, is_known, options) } else { None }
}

/// Returns whether each chunk can be read by itself: no compressed chunk of the input is decoded for many of them.
fn is_read_in_chunks(view: View<'_>, meta: &ArrayMeta) -> bool {
    let View { archive, meta: array } = view;
    if archive.has_cheap_items() || view.has_same_shape() {
        return true;
    }
    let is_rows = meta.chunkshape.iter().zip(&meta.shape).skip(1).all(|(chunk, len)| chunk >= len);
    let largest = archive.chunk_range(0).map_or(0, |range| range.end - range.start);
    are_in_order(array) && is_rows && largest <= meta.chunk_nbytes().saturating_mul(FINER)
}

/// Returns the parameters from the options, or else from the input.
fn params(view: View<'_>, copied: Option<&Copied<'_>>, options: &ConvertOptions) -> Result<ZarrParams, Error> {
    Ok(ZarrParams {
        version: options.zarr_version(),
        chunkshape: chunkshape(view, copied, options)?,
        params: compression(view, copied, options),
        write_empty_chunks: options.write_empty_chunks,
    })
}

/// Returns the chunk shape of the options, or else that of the input, or else a default one.
fn chunkshape(view: View<'_>, copied: Option<&Copied<'_>>, options: &ConvertOptions) -> Result<Vec<u64>, Error> {
    let View { archive, meta } = view;
    if options.chunkshape.is_none() {
        let rows = match (copied, archive.stored_chunk_nbytes()) {
            (Some(copied), _) => copied.chunk_nbytes().checked_div(meta.row_nbytes()),
            (None, Some(nbytes)) if are_in_order(meta) => {
                nbytes.checked_div(meta.row_nbytes()).filter(|rows| rows.saturating_mul(meta.row_nbytes()) == nbytes)
            }
            _ => None,
        };
        if let (Some(rows @ 1..), Some((_, inner))) = (rows, meta.shape.split_first()) {
            return Ok([&[rows], inner].concat());
        }
        if let Some(array) = archive.array().filter(|_| view.has_same_shape()) {
            return Ok(wide_of(&array.chunkshape));
        }
    }
    Ok(wide_of(&options.array_options().blockshape(None).array(meta)?.chunkshape))
}

/// Returns the lengths, at least 1, in the type of Zarr.
fn wide_of<T: Copy + TryInto<u64>>(chunkshape: &[T]) -> Vec<u64> {
    chunkshape.iter().map(|len| (*len).try_into().unwrap_or(1).max(1)).collect()
}

/// Returns the compression of the options, or else that of the input, or else the default of numcodecs.
fn compression(view: View<'_>, copied: Option<&Copied<'_>>, options: &ConvertOptions) -> CParams {
    if let Some(copied) = copied {
        return copied.params();
    }
    let itemsize = usize::try_from(view.meta.dtype.itemsize()).unwrap_or(0);
    let typesize = options.typesize.map_or(itemsize, |size| size as usize);
    let typesize = Some(typesize).filter(|size| (1..=255).contains(size)).unwrap_or(1);
    let (codec, clevel, filters) = old_compression(view.archive).unwrap_or((Codec::Lz4, 5, FilterPipeline::shuffle()));
    let params = CParams::new()
        .codec(options.codec.unwrap_or(codec))
        .clevel(options.clevel.unwrap_or(clevel))
        .filters(options.filters.unwrap_or(filters))
        .typesize(typesize)
        .split(options.split.unwrap_or_default());
    match options.blocksize {
        Some(size @ 1..) => params.blocksize(BlockSize::Fixed(size as usize)),
        _ => params,
    }
}

/// Returns codec, level and filters of the input, as far as a Blosc1 chunk can have them.
fn old_compression(archive: &Archive<'_>) -> Option<(Codec, u8, FilterPipeline)> {
    if let Some([Compressor::Blosc(blosc)]) = archive.zarr().map(|meta| meta.codecs.compressors.as_slice()) {
        let codec = Codec::from_name(&blosc.cname).filter(|codec| is_known(*codec));
        return Some((codec?, blosc.clevel.min(9), filters_of(blosc, archive.typesize() as u64)));
    }
    if let Some((storage, _)) = archive.carray() {
        let codec = storage.cparams.codec().filter(|codec| is_known(*codec));
        return Some((codec?, storage.cparams.clevel.min(9), storage.cparams.filters()));
    }
    let old = FrameParams::of(&archive.frame()?.header).ok()?.cparams();
    let of_blosc1 = [FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::bitshuffle()];
    let filters = Some(old.get_filters()).filter(|filters| of_blosc1.contains(filters));
    let codec = Some(old.get_codec()).filter(|codec| is_known(*codec))?;
    Some((codec, old.get_clevel(), filters.unwrap_or(FilterPipeline::shuffle())))
}
