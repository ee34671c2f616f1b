//! Unpacks a bare chunk from start to end.

use std::io::{Read, Write};

use blosc_core::{Chunk, DecodeError, Decoder, Header as ChunkHeader, memory, with_pool};
use bloscpack_format::Format;

use super::report::UnpackReport;
use crate::container::Plain;
use crate::source::counting::CountingReader;
use crate::{Error, Threads, UnpackOptions};

/// Unpacks a file that consists of a single chunk.
pub(super) fn unpack<R: Read>(
    mut input: CountingReader<R>,
    mut output: impl Write,
    options: &UnpackOptions,
    format: Format,
) -> Result<UnpackReport, Error> {
    let damaged = |source| Error::Chunk { chunk: 0, offset: 0, source };
    let mut bytes = Vec::new();
    input.append(ChunkHeader::LEN as u64, &mut bytes)?;
    if let Err(DecodeError::HeaderTooShort { needed, .. }) = ChunkHeader::parse(&bytes) {
        input.append((needed - bytes.len()) as u64, &mut bytes)?;
    }
    let header = ChunkHeader::parse(&bytes).map_err(damaged)?;
    input.append((header.cbytes() - bytes.len()) as u64, &mut bytes)?;
    let chunk = Chunk::parse(&bytes).map_err(damaged)?;
    let cbytes = input.position();
    if input.skip(u64::MAX)? > 0 {
        return Err(Error::MoreData { offset: cbytes, found: "more data", nchunks: 1 });
    }
    let limits = options.limits.max_nbytes(usize::MAX);
    let parallelism = options.threads.for_blocks(Some(1));
    let mut decoder = Decoder::new().limits(limits).parallelism(parallelism).cancel(options.cancel.clone());
    let plain = match (chunk.repeated_value(), &options.threads) {
        (Some(value), _) => limits
            .check_chunk(header.nbytes() as u64)
            .map_err(DecodeError::Limit)
            .and_then(|()| Ok(Plain::Repeat { value: memory::copy_of(value)?, range: 0..header.nbytes() })),
        (None, Threads::Pool(pool)) => with_pool(pool, || decoder.decompress(&chunk)).map(Plain::Bytes),
        _ => decoder.decompress(&chunk).map(Plain::Bytes),
    };
    let plain = plain.map_err(|source| damaged(source).or_cancelled())?;
    plain.write_to(&mut output).and_then(|()| output.flush()).map_err(Error::writing)?;
    let report = UnpackReport::new(format, plain.len() as u64, cbytes);
    Ok(UnpackReport { chunk_positions: vec![0], ..report })
}
