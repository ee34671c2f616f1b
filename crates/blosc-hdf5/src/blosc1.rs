//! The filter Blosc: a chunk of HDF5 is a chunk of Blosc1.

use blosc_core::{CParams, Chunk, ChunkFormat, Decoder, EncodeError, Encoder, FilterPipeline, Limits};

use crate::error::Error;
use crate::output::Output;
use crate::values::Values;

pub(crate) fn compress(values: Values<'_>, plain: &[u8], out: &mut impl Output) -> Result<usize, Error> {
    values.expect(4)?;
    let filters = match values.shuffle() {
        0 => FilterPipeline::none(),
        1 => FilterPipeline::shuffle(),
        2 => FilterPipeline::bitshuffle(),
        found => return Err(Error::Value { what: "the shuffle", found: found.into(), expected: "0, 1 or 2" }),
    };
    let typesize = usize::try_from(values.or(2, 1)).ok().filter(|typesize| (1..=255).contains(typesize)).unwrap_or(1);
    let params = CParams::new().format(ChunkFormat::Blosc1).codec(values.codec()?).clevel(values.clevel()?);
    let mut encoder = Encoder::new(params.typesize(typesize).filters(filters))?;
    match encoder.compress_into(plain, out.zeroed(plain.len())?) {
        Ok(cbytes) => Ok(cbytes),
        // Not shorter, or longer than Blosc's chunks can be.
        Err(EncodeError::Destination { .. }) => Ok(0),
        Err(_) if i32::try_from(plain.len()).is_err() => Ok(0),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn decompress(values: Values<'_>, stored: &[u8], out: &mut impl Output) -> Result<usize, Error> {
    let chunk = Chunk::parse(stored)?;
    let header = chunk.header();
    if header.format() != ChunkFormat::Blosc1 {
        return Err(Error::NotBlosc1);
    }
    let nbytes = header.nbytes();
    if nbytes == 0 {
        return Err(Error::Empty);
    }
    Limits::new().check_output(nbytes as u64, stored.len() as u64).map_err(bloscpack_io::Error::from)?;
    // Some versions of HDF5 read a whole chunk of the dataset, whatever the length is.
    let plain = out.zeroed(nbytes.max(values.chunk_nbytes()))?;
    let plain = plain.get_mut(..nbytes).ok_or(Error::NoMemory(nbytes))?;
    Ok(Decoder::new().decompress_into(&chunk, plain)?)
}
