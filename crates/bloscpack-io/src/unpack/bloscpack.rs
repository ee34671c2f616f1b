//! Unpacks a bloscpack file from start to end.

use std::io::{Read, Write};

use blosc_core::{Chunk, Decoder, memory};
use bloscpack_format::Format;
use bloscpack_format::bloscpack::Header;

use super::report::UnpackReport;
use crate::formats::bloscpack::chunks::{Chunks, FoundChunk, check_digest};
use crate::formats::bloscpack::prologue::Prologue;
use crate::options::Event;
use crate::run::pipeline::{self, Weight};
use crate::source::counting::CountingReader;
use crate::{Error, UnpackOptions};

/// A chunk in flight: its compressed bytes and the buffer for the uncompressed ones. Both are reused.
struct Work {
    found: FoundChunk,
    bytes: Vec<u8>,
    plain: Vec<u8>,
}

pub(super) fn unpack<R: Read>(
    mut input: CountingReader<R>,
    mut output: impl Write,
    options: &UnpackOptions,
) -> Result<UnpackReport, Error> {
    let prologue = Prologue::read(&mut input, &options.limits)?;
    let header = &prologue.header;
    options.observer.tell(Event::Header(header));
    if let Some(metadata) = &prologue.metadata {
        options.observer.tell(Event::Metadata { header: metadata.section.header(), value: &metadata.value });
    }
    if header.offsets {
        options.observer.tell(Event::Offsets(&prologue.offsets));
    }

    let parallelism = options.threads.for_blocks(header.nchunks);
    // The output goes to a writer, so its length is not bounded.
    let limits = options.limits.max_nbytes(usize::MAX);
    let decoder = || Ok(Decoder::new().limits(limits).parallelism(parallelism).cancel(options.cancel.clone()));
    let weigh = |work: &Work| {
        let FoundChunk { nbytes, cbytes, .. } = work.found;
        Weight::of_chunk(nbytes.max(cbytes), &options.threads, &limits, || cbytes)
    };

    let mut chunks = Chunks::new(input, header, &limits);
    let (mut nbytes, mut chunk_positions) = (0, Vec::new());
    let spare = std::cell::RefCell::new(Vec::new());
    pipeline::run_within(
        (&limits, &weigh),
        &options.threads,
        &options.cancel,
        decoder,
        || {
            let (mut bytes, plain) = spare.borrow_mut().pop().unwrap_or_default();
            let found = chunks.next(&mut bytes)?;
            Ok(found.map(|found| Work { found, bytes, plain }))
        },
        |decoder: &mut Decoder, mut work| {
            decode(decoder, header, &mut work)?;
            Ok(work)
        },
        |Work { found, bytes, plain }| {
            output.write_all(&plain).map_err(Error::writing)?;
            nbytes += plain.len() as u64;
            memory::push(&mut chunk_positions, found.offset)?;
            let FoundChunk { number: chunk, last, nbytes, cbytes, digest, .. } = found;
            options.observer.tell(Event::Chunk { chunk, last, nbytes, cbytes, digest: &digest });
            spare.borrow_mut().push((bytes, plain));
            Ok(())
        },
    )?;
    let end = chunks.position();
    let trailing = chunks.finish()?;
    output.flush().map_err(Error::writing)?;
    let (metadata_header, metadata) =
        prologue.metadata.map(|metadata| (*metadata.section.header(), metadata.value)).unzip();
    Ok(UnpackReport {
        format: Format::Bloscpack { version: header.version.number() },
        header: Some(prologue.header),
        metadata_header,
        metadata,
        offsets: prologue.offsets,
        chunk_positions,
        trailing,
        nbytes,
        cbytes: end + trailing,
    })
}

/// Checks the digest of a chunk and decodes it.
fn decode(decoder: &mut Decoder, header: &Header, work: &mut Work) -> Result<(), Error> {
    let Work { found, bytes, plain } = work;
    check_digest(header.checksum, found, bytes)?;
    let decoded = Chunk::parse(bytes).and_then(|chunk| decoder.decompress_to(&chunk, plain));
    decoded.map_err(|source| Error::Chunk { chunk: found.number, offset: found.offset, source })
}
