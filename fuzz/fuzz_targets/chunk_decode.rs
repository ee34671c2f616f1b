//! Any bytes as a chunk: an error or plain bytes, the same by every way of decoding.
#![no_main]

use blosc_core::{Chunk, Decoder, Limits};
use libfuzzer_sys::fuzz_target;

/// 1 MiB: enough for many blocks, and little enough that time goes into inputs, not into filling memory.
const MAX_NBYTES: usize = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    let Ok(chunk) = Chunk::parse(bytes) else { return };
    let nbytes = chunk.header().nbytes();
    let mut decoder = Decoder::new().limits(Limits::new().max_nbytes(MAX_NBYTES));
    let whole = decoder.decompress(&chunk);
    if nbytes > MAX_NBYTES {
        assert!(whole.is_err(), "{nbytes} bytes decoded over a limit of {MAX_NBYTES}");
        return;
    }

    // A destination that is too long must be left alone behind the end.
    let mut into = vec![0xA5; nbytes + 64];
    let length = decoder.decompress_into(&chunk, &mut into);
    assert_eq!(length.is_ok(), whole.is_ok());
    assert!(into[nbytes..].iter().all(|byte| *byte == 0xA5), "wrote behind the plain bytes");
    if let Ok(whole) = whole {
        assert_eq!(whole.len(), nbytes);
        assert!(into[..nbytes] == whole);
    }
});
