//! Decodes untrusted input: false sizes cost nothing, oversized output is refused, and nothing panics.
//!
//! ```text
//! cargo run --release -p blosc-core --example decode_hostile_input
//! ```

use blosc_core::{CParams, Chunk, Decoder, Limits};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let chunk = blosc_core::compress(&[42; 1_000_000], &CParams::new().typesize(1))?;
    let mut decoder = Decoder::new().limits(Limits::new().max_chunk(16 << 20));

    // A header that claims 1 GiB is refused before anything is allocated.
    let mut bomb = chunk.clone();
    bomb[4..8].copy_from_slice(&(1_u32 << 30).to_le_bytes());
    match Chunk::parse(&bomb).and_then(|chunk| decoder.decompress(&chunk)) {
        Err(error) => println!("a bomb: {error}"),
        Ok(_) => unreachable!("it is over the limit"),
    }

    // Changes every byte once. The result is an error, or a chunk of the size in the header.
    let (mut errors, mut plain) = (0, Vec::new());
    for at in 0..chunk.len() {
        let mut damaged = chunk.clone();
        damaged[at] ^= 0x55;
        plain.clear();
        match Chunk::parse(&damaged).and_then(|chunk| decoder.decompress_to(&chunk, &mut plain)) {
            Ok(()) => assert!(plain.len() <= 16 << 20),
            Err(_) => errors += 1,
        }
    }
    println!("{} damaged chunks: {errors} errors, no panic", chunk.len());
    Ok(())
}
