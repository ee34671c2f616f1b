//! Fuzzes decoding a chunk: either an error, or the same data from every decoding method.
#![no_main]

use blosc_core::{Chunk, Decoder, Header, LazyChunk, Limits};
use libfuzzer_sys::fuzz_target;

/// 1 MiB: enough for many blocks, and small enough that the time goes into inputs rather than into filling memory.
const MAX_NBYTES: usize = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(lazy) = LazyChunk::parse(bytes) {
        assert_eq!(lazy.block_csizes().len(), lazy.header().nblocks());
    }
    let Ok(chunk) = Chunk::parse(bytes) else { return };
    let header = chunk.header();
    // The header of a parsed chunk has the effective block size, which may differ from the stored one.
    let stored = Header::parse(bytes).map(|stored| stored.to_bytes());
    assert!(stored.is_ok_and(|stored| stored == bytes[..header.len()]), "the header does not come back");
    let nbytes = header.nbytes();
    let mut decoder = Decoder::new()
        .limits(Limits::new().max_nbytes(MAX_NBYTES))
        .super_chunk_typesize(header.typesize())
        .blockshape(&[4, header.blocksize() / 4 / header.typesize()]);
    let whole = decoder.decompress(&chunk);
    if nbytes > MAX_NBYTES {
        assert!(whole.is_err(), "{nbytes} bytes decoded over a limit of {MAX_NBYTES}");
        return;
    }

    // Bytes past the end of the data must stay unchanged, and earlier contents of the buffer must not affect the data.
    for background in [0xA5, 0x5A] {
        let mut into = vec![background; nbytes + 64];
        let length = decoder.decompress_into(&chunk, &mut into);
        assert_eq!(length.is_ok(), whole.is_ok());
        assert!(into[nbytes..].iter().all(|byte| *byte == background), "wrote past the plain bytes");
        if let Ok(whole) = &whole {
            assert_eq!(whole.len(), nbytes);
            assert!(into[..nbytes] == *whole);
        }
    }
});
