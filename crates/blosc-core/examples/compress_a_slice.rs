//! Compresses numbers to a chunk, decompresses them, and decodes a part of the chunk.
//!
//! ```text
//! cargo run --release -p blosc-core --example compress_a_slice
//! ```

use blosc_core::{CParams, Chunk, Codec, Decoder, FilterPipeline, compress_slice, decompress_vec};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let temperatures: Vec<f32> = (0..1_000_000).map(|hour| 15.0 + (hour as f32 / 24.0).sin() * 8.0).collect();

    let params = CParams::blosc2().codec(Codec::Zstd).clevel(5).filters(FilterPipeline::bitshuffle());
    let chunk = compress_slice(&temperatures, &params)?;
    println!("{} bytes are {} compressed", temperatures.len() * 4, chunk.len());
    assert_eq!(decompress_vec::<f32>(&chunk)?, temperatures);

    // Only the blocks that hold these ten numbers are decoded.
    let bytes = Decoder::new().items(&Chunk::parse(&chunk)?, 500_000..500_010)?;
    let ten: Vec<f32> = bytes.as_chunks().0.iter().map(|item| f32::from_ne_bytes(*item)).collect();
    println!("{ten:?}");
    assert_eq!(ten, temperatures[500_000..500_010]);
    Ok(())
}
