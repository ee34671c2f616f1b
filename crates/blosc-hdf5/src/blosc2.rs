//! The filter Blosc2: a chunk of HDF5 is a contiguous frame, whose array is the chunk if it has several axes.

use blosc_core::{Filter, FilterPipeline, Limits, memory};
use bloscpack_format::frame::{B2nd, DtypeText, FrameType, Grid, Header};
use bloscpack_io::Archive;
use bloscpack_io::frame::{FrameParams, FrameWriter, MemoryFrame};

use crate::blockshape::blockshape;
use crate::error::Error;
use crate::output::Output;
use crate::values::Values;

/// The typesize in the header of a frame, big-endian.
const TYPESIZE: std::ops::Range<usize> = 48..52;

pub(crate) fn compress(values: Values<'_>, plain: &[u8], out: &mut impl Output) -> Result<usize, Error> {
    values.expect(6)?;
    if i32::try_from(plain.len()).is_err() {
        return Ok(0);
    }
    let typesize = values.or(2, 1);
    let params = FrameParams::new(typesize).codec(values.codec()?).clevel(values.clevel()?).filters(filters(values)?);
    let shape = shape(values)?.filter(|shape| product(shape, typesize) == Some(plain.len() as u64));
    let frame = match shape {
        Some(shape) => array(values, params, &shape, plain)?,
        None => {
            let mut writer = FrameWriter::in_memory(params.portable(false).blocksize(values.or(1, 0)))?;
            writer.append(plain)?;
            finished(writer)?
        }
    };
    out.zeroed(frame.len())?.copy_from_slice(&frame);
    Ok(frame.len())
}

/// Returns the frame of an array with these items, in one chunk.
fn array(values: Values<'_>, params: FrameParams, shape: &[u32], plain: &[u8]) -> Result<Vec<u8>, Error> {
    let typesize = params.get_typesize();
    let blocks = blockshape(values, typesize, shape)?;
    let lengths: Vec<u64> = shape.iter().copied().map(u64::from).collect();
    let dtype = DtypeText::numpy(format!("|V{typesize}"));
    let array = B2nd::new(lengths, shape, blocks).with_dtype(dtype);
    let region = Grid::new(&array, typesize)?.all();
    let mut writer = FrameWriter::array_in_memory(array, params)?.portable(false);
    writer.write_slice(&region, plain)?;
    finished(writer)
}

fn finished(mut writer: FrameWriter<MemoryFrame>) -> Result<Vec<u8>, Error> {
    writer.commit()?;
    Ok(writer.into_store().file)
}

fn filters(values: Values<'_>) -> Result<FilterPipeline, Error> {
    let found = values.shuffle();
    let refused = Error::Value { what: "the filter", found: found.into(), expected: "0 to 4" };
    if found == 0 {
        return Ok(FilterPipeline::none());
    }
    let filter = u8::try_from(found).ok().filter(|id| *id <= 4).and_then(|id| Filter::from_id(id, 0));
    filter.and_then(|filter| FilterPipeline::try_from_iter([filter]).ok()).ok_or(refused)
}

/// Returns the items of a chunk along each axis, `None` if the values have no axes.
fn shape(values: Values<'_>) -> Result<Option<Vec<u32>>, Error> {
    let Some(&ndim) = values.0.get(7) else { return Ok(None) };
    if !(2..=16).contains(&ndim) {
        return Err(Error::Value { what: "the number of axes", found: ndim.into(), expected: "2 to 16" });
    }
    let ndim = ndim as usize;
    values.expect(8 + ndim)?;
    Ok(values.0.get(8..8 + ndim).map(<[u32]>::to_vec))
}

fn product(shape: &[u32], typesize: u32) -> Option<u64> {
    shape.iter().try_fold(u64::from(typesize), |nbytes, len| nbytes.checked_mul((*len).into()))
}

pub(crate) fn decompress(values: Values<'_>, stored: &[u8], out: &mut impl Output) -> Result<usize, Error> {
    let header = Header::parse(stored)?;
    // Another filter may have put bytes, such as a checksum, after the frame.
    let frame = usize::try_from(header.frame_len).ok().and_then(|len| stored.get(..len)).ok_or(Error::NotAFrame)?;
    if header.frame_type != FrameType::Contiguous {
        return Err(Error::NotAFrame);
    }
    let corrected = with_typesize(frame, &header, values.or(2, 1))?;
    let archive = Archive::open(corrected.as_deref().unwrap_or(frame))?.limits(Limits::new());
    let plain = match (archive.array(), archive.grid()) {
        (Some(array), Some(grid)) => {
            if let Some(expected) = shape(values)? {
                check_shape(&array.shape, &expected)?;
            }
            archive.read_slice(&grid.all())?
        }
        _ => archive.chunk(0)?,
    };
    if plain.is_empty() {
        return Err(Error::Empty);
    }
    // Some versions of HDF5 read a whole chunk of the dataset, whatever the length is.
    let target = out.zeroed(plain.len().max(values.chunk_nbytes()))?;
    target.get_mut(..plain.len()).ok_or(Error::NotAFrame)?.copy_from_slice(&plain);
    Ok(plain.len())
}

/// The original writes 1 as the typesize of a frame whose items have more than 255 bytes, and does not read such an array
/// itself. The values have the right one. Returns the corrected frame, `None` if it needs no correction.
fn with_typesize(frame: &[u8], header: &Header, typesize: u32) -> Result<Option<Vec<u8>>, Error> {
    if header.typesize != 1 || typesize <= 255 {
        return Ok(None);
    }
    let mut corrected = memory::copy_of(frame)?;
    corrected.get_mut(TYPESIZE).ok_or(Error::NotAFrame)?.copy_from_slice(&typesize.to_be_bytes());
    Ok(Some(corrected))
}

fn check_shape(found: &[u64], expected: &[u32]) -> Result<(), Error> {
    let expected: Vec<u64> = expected.iter().copied().map(u64::from).collect();
    if found == expected {
        return Ok(());
    }
    Err(Error::Shape { found: found.len(), shape: found.to_vec(), expected })
}
