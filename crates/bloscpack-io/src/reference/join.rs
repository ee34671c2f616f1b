//! Arrays of several inputs as one, along an axis.

use bloscpack_format::{Attrs, Json};

use super::chunks::Placed;
use super::input::{Member, Members, named};
use super::layout::{ChunkCodec, Layout};
use super::options::ReferenceOptions;
use super::values::{ReferenceInput, ReferencedArray, References};
use super::zarray::zarray;
use crate::error::{Error, ReferenceRefusal};

/// The attribute with the names of the axes.
const DIMENSIONS: &str = "_ARRAY_DIMENSIONS";

impl References {
    /// Refers to the chunks of containers: arrays in frames, carrays, tables with a column for each array, arrays in
    /// bloscpack files, and Zarr arrays and groups. Several inputs are joined along an axis. No chunk is read, except one that is shorter than the
    /// others.
    ///
    /// # Errors
    /// [`Error::Reference`] if an input has no array that Zarr can read in place, or does not fit to the others; the
    /// errors of opening an input.
    pub fn of(inputs: Vec<ReferenceInput>, options: &ReferenceOptions) -> Result<References, Error> {
        join(inputs, options)
    }
}

/// Opens the inputs and joins their arrays, or their columns of the same name.
fn join(inputs: Vec<ReferenceInput>, options: &ReferenceOptions) -> Result<References, Error> {
    let inputs: Vec<Members> =
        inputs.into_iter().map(|input| Members::open(input, options)).collect::<Result<_, _>>()?;
    let Some(first) = inputs.first() else { return Err(Error::reference("references", ReferenceRefusal::NoInput)) };
    for input in &inputs {
        expect_same_names(input, first)?;
    }
    let mut attributes = first.attributes.as_ref().map(Attrs::try_clone).transpose()?;
    let mut arrays = Vec::new();
    for at in 0..first.members.len() {
        let parts: Vec<&Member> = inputs.iter().filter_map(|input| input.members.get(at)).collect();
        arrays.extend(joined(&parts, options)?);
    }
    if options.name.is_some() {
        attributes = attributes.or_else(|| Some(Attrs::default()));
    }
    Ok(References { arrays, attributes })
}

/// Refuses an input with other columns than the first.
fn expect_same_names(input: &Members, first: &Members) -> Result<(), Error> {
    let names = |members: &Members| members.members.iter().map(|member| member.name.clone()).collect::<Vec<_>>();
    let (found, expected) = (names(input), names(first));
    if found == expected {
        return Ok(());
    }
    let (found, expected) = (format!("{found:?}"), format!("{expected:?}"));
    let url = input.members.first().map_or("a table without columns", |member| &member.url);
    Err(Error::reference(url, ReferenceRefusal::Differs { what: "list of columns", found, expected }))
}

/// Joins the arrays of one name.
fn joined(parts: &[&Member], options: &ReferenceOptions) -> Result<Option<ReferencedArray>, Error> {
    let Some(first) = parts.first() else { return Ok(None) };
    let stacked = parts.iter().map(|part| Axes::of(part, parts.len(), options)).collect::<Result<Vec<_>, _>>()?;
    let mut target = stacked.first().map_or_else(|| first.layout.clone(), |axes| axes.layout.clone());
    let (mut chunks, mut start, mut items) = (Vec::new(), 0_u64, 0_u64);
    for (number, (part, axes)) in parts.iter().zip(&stacked).enumerate() {
        let is_last = number + 1 == parts.len();
        let (len, chunk) = axes.check(&part.url, &target, options.axis, is_last)?;
        let place = |mut at: Vec<u64>| {
            if options.new_axis {
                at.insert(options.axis.min(at.len()), 0);
            }
            if let Some(along) = at.get_mut(options.axis) {
                *along = along.saturating_add(start);
            }
            at
        };
        let placed = Placed { archive: &part.archive, url: &part.url, layout: &part.layout };
        placed.append_to(&mut chunks, &target, place, options).map_err(|error| named(error, &part.url))?;
        items = items.checked_add(len).ok_or_else(|| too_long(&part.url, options.axis))?;
        start = start.saturating_add(len.div_ceil(chunk.max(1)));
    }
    if let Some(len) = target.meta.shape.get_mut(options.axis) {
        *len = items;
    }
    if i64::try_from(items).is_err() {
        return Err(too_long(&first.url, options.axis));
    }
    let grid = target.counts().iter().fold(1_u64, |count, along| count.saturating_mul(*along));
    let has_zeros = (chunks.len() as u64) < grid;
    let name = first.name.clone().or_else(|| options.name.clone());
    check_name(&first.url, name.as_deref())?;
    let attributes = attributes(first, &target, options)?;
    Ok(Some(ReferencedArray { name, metadata: zarray(&target, has_zeros)?, attributes, chunks }))
}

fn too_long(url: &str, axis: usize) -> Error {
    Error::reference(url, ReferenceRefusal::TooLong { axis })
}

/// The layout of an array with the new axis, if there is one.
struct Axes {
    layout: Layout,
}

impl Axes {
    /// Returns the layout of one of `count` inputs. Only a single one may have no axis.
    fn of(part: &Member, count: usize, options: &ReferenceOptions) -> Result<Axes, Error> {
        let mut layout = part.layout.clone();
        let ndim = layout.meta.shape.len();
        let exists = options.axis < ndim || options.axis == ndim && (options.new_axis || ndim == 0 && count == 1);
        if !exists {
            return Err(Error::reference(&part.url, ReferenceRefusal::Axis { axis: options.axis, ndim }));
        }
        if options.new_axis {
            layout.meta.shape.insert(options.axis, 1);
            layout.chunkshape.insert(options.axis, 1);
        }
        Ok(Axes { layout })
    }

    /// Refuses an array that differs from the first one, or that ends with a part of a chunk before the last input.
    /// Returns the items of the array along the axis, and of a chunk.
    fn check(&self, url: &str, first: &Layout, axis: usize, is_last: bool) -> Result<(u64, u64), Error> {
        let layout = &self.layout;
        let refuse = |refusal| Err(Error::reference(url, refusal));
        let differs = |what, found: String, expected: String| ReferenceRefusal::Differs { what, found, expected };
        let (meta, other) = (&layout.meta, &first.meta);
        if meta.dtype != other.dtype {
            return refuse(differs("dtype", meta.dtype.to_string(), other.dtype.to_string()));
        }
        let without_axis = |shape: &[u64]| -> Vec<u64> {
            shape.iter().enumerate().filter(|(number, _)| *number != axis).map(|(_, len)| *len).collect()
        };
        if meta.shape.len() != other.shape.len() || without_axis(&meta.shape) != without_axis(&other.shape) {
            return refuse(differs("shape", format!("{:?}", meta.shape), format!("{:?}", other.shape)));
        }
        if meta.order != other.order {
            return refuse(differs("order", format!("{:?}", meta.order), format!("{:?}", other.order)));
        }
        if layout.codec != first.codec {
            return refuse(differs("codec", layout.codec.to_string(), first.codec.to_string()));
        }
        if layout.fill != first.fill {
            let shown = |layout: &Layout| format!("{:?}", layout.fill.bytes());
            return refuse(differs("fill value, as bytes,", shown(layout), shown(first)));
        }
        let len = meta.shape.get(axis).copied().unwrap_or(1);
        let chunk = first.chunkshape.get(axis).copied().unwrap_or(1);
        if layout.chunkshape != first.chunkshape && !(is_last && layout.is_shorter_than(first, axis)) {
            let (found, expected) = (format!("{:?}", layout.chunkshape), format!("{:?}", first.chunkshape));
            return refuse(differs("chunk shape", found, expected));
        }
        if !is_last && !len.is_multiple_of(chunk) {
            return refuse(ReferenceRefusal::PartialChunk { axis, found: len, chunk });
        }
        Ok((len, chunk))
    }
}

impl Layout {
    /// Returns whether the array is one chunk, with fewer items along the axis than a chunk of another array, so that
    /// zeros after its items make it a chunk of the other array.
    fn is_shorter_than(&self, other: &Layout, axis: usize) -> bool {
        self.codec == ChunkCodec::Blosc
            && axis == self.outer_axis()
            && self.meta.shape.get(axis) == self.chunkshape.get(axis)
            && self
                .chunkshape
                .iter()
                .zip(&other.chunkshape)
                .enumerate()
                .all(|(number, (len, other))| if number == axis { len <= other } else { len == other })
    }
}

/// Refuses a name that cannot be a member of a group.
fn check_name(url: &str, name: Option<&str>) -> Result<(), Error> {
    match name {
        Some(name) if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\']) => {
            Err(Error::reference(url, ReferenceRefusal::Name { name: name.into() }))
        }
        _ => Ok(()),
    }
}

/// Returns the attributes of the first array, with the names of the axes.
fn attributes(first: &Member, target: &Layout, options: &ReferenceOptions) -> Result<Attrs, Error> {
    let mut members = first.attributes()?.into_members();
    if options.dims.is_empty() && members.iter().all(|(name, _)| name != DIMENSIONS) {
        let names = first.archive.zarr().and_then(|zarr| zarr.dimension_names.as_ref());
        let names: Option<Vec<&str>> = names.and_then(|names| names.iter().map(Option::as_deref).collect());
        if let Some(names) = names.filter(|names| names.len() == target.meta.shape.len()) {
            members.push((DIMENSIONS.into(), Json::Array(names.into_iter().map(Json::from).collect())));
        }
    }
    if !options.dims.is_empty() {
        let (found, expected) = (options.dims.len(), target.meta.shape.len());
        if found != expected {
            return Err(Error::reference(&first.url, ReferenceRefusal::Dims { found, expected }));
        }
        members.retain(|(name, _)| name != DIMENSIONS);
        members.push((DIMENSIONS.into(), Json::Array(options.dims.iter().map(|name| name.as_str().into()).collect())));
    }
    Ok(Attrs::from_members(members))
}
