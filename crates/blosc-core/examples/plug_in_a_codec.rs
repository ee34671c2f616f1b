//! Registers a custom codec for Blosc2 chunks. Readers must register it, too, under the same id.
//!
//! ```text
//! cargo run --release -p blosc-core --example plug_in_a_codec
//! ```

use blosc_core::{BlockCodec, CParams, Chunk, Codec, Decoder, Encoder, PluginContext, PluginError, Registry};

/// Ids from 160 up are for users.
const RUNS: u8 = 160;

/// Run-length encoding: the length of each run of equal bytes, and the byte.
struct RunLength;

impl BlockCodec for RunLength {
    fn compress(&self, src: &[u8], dst: &mut [u8], _: PluginContext) -> Option<usize> {
        let mut at = 0;
        for run in src.chunk_by(|a, b| a == b).flat_map(|run| run.chunks(255)) {
            dst.get_mut(at..at + 2)?.copy_from_slice(&[run.len() as u8, run[0]]);
            at += 2;
        }
        Some(at)
    }

    fn decompress(&self, src: &[u8], mut dst: &mut [u8], _: PluginContext) -> Result<(), PluginError> {
        let (runs, []) = src.as_chunks() else { return Err(PluginError::new("half a run").at(src.len())) };
        for (number, [len, byte]) in runs.iter().enumerate() {
            let run = dst.split_off_mut(..usize::from(*len));
            run.ok_or(PluginError::new("more bytes than the block has").at(2 * number))?.fill(*byte);
        }
        if dst.is_empty() { Ok(()) } else { Err(PluginError::new("fewer bytes than the block has").at(src.len())) }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::new().codec(RUNS, RunLength)?;
    let plain: Vec<u32> = (0..100_000).map(|i| i / 1000).collect();
    let plain: Vec<u8> = plain.into_iter().flat_map(u32::to_le_bytes).collect();

    let params = CParams::blosc2().codec(Codec::Plugin { id: RUNS, meta: 0 }).typesize(4);
    let chunk = Encoder::new(params)?.registry(registry.clone()).compress(&plain)?;
    println!("{} bytes are {} compressed", plain.len(), chunk.len());

    let chunk = Chunk::parse(&chunk)?;
    assert_eq!(Decoder::new().registry(registry).decompress(&chunk)?, plain);
    if let Err(error) = Decoder::new().decompress(&chunk) {
        println!("without it: {error}");
    }
    Ok(())
}
