//! A bytes-to-bytes codec as in Zarr: its configuration, whole chunks, and parts of a chunk.
//!
//! ```text
//! cargo run --release -p blosc-core --example zarr_codec
//! ```

use std::ops::Range;

use blosc_core::{CParams, Chunk, Codec, DecodeError, Decoder, EncodeError, Encoder, FilterPipeline, Limits};

/// The codec `blosc` of Zarr. It keeps no buffers, so threads can share it.
struct Blosc(CParams);

impl Blosc {
    /// Creates a codec from a configuration. Invalid values are refused here, not when the first chunk is written.
    fn new(cname: &str, clevel: u8, shuffle: &str, typesize: usize) -> Result<Self, Box<dyn std::error::Error>> {
        let filters = match shuffle {
            "noshuffle" => FilterPipeline::none(),
            name => name.parse()?,
        };
        let params = CParams::new().codec(cname.parse::<Codec>()?).clevel(clevel).filters(filters).typesize(typesize);
        Encoder::new(params)?;
        Ok(Blosc(params))
    }

    fn encode(&self, plain: &[u8]) -> Result<Vec<u8>, EncodeError> {
        blosc_core::compress(plain, &self.0)
    }

    /// Decodes a chunk. The size of an array's chunks is known, so a chunk that claims more bytes is refused.
    fn decode(&self, encoded: &[u8], size: usize) -> Result<Vec<u8>, DecodeError> {
        Decoder::new().limits(Limits::new().max_nbytes(size)).decompress(&Chunk::parse(encoded)?)
    }

    /// Decodes parts of a chunk. A block is decoded once, even if several ranges touch it. Other blocks are skipped.
    fn decode_ranges(&self, encoded: &[u8], ranges: &[Range<usize>]) -> Result<Vec<Vec<u8>>, DecodeError> {
        Decoder::new().ranges(&Chunk::parse(encoded)?, ranges)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let plain: Vec<u8> = (0..250_000_u32).flat_map(u32::to_le_bytes).collect();
    for shuffle in ["noshuffle", "shuffle", "bitshuffle"] {
        let codec = Blosc::new("lz4", 5, shuffle, 4)?;
        let encoded = codec.encode(&plain)?;
        println!("{shuffle}: {} bytes are {} compressed", plain.len(), encoded.len());
        assert_eq!(codec.decode(&encoded, plain.len())?, plain);
        assert!(codec.decode(&encoded, plain.len() - 1).is_err());
        let parts = codec.decode_ranges(&encoded, &[0..4, 999_996..1_000_000, 400..440])?;
        assert_eq!(parts, [&plain[..4], &plain[999_996..], &plain[400..440]]);
    }
    assert!(Blosc::new("lz5", 5, "shuffle", 4).is_err());
    assert!(Blosc::new("lz4", 10, "shuffle", 4).is_err());
    Ok(())
}
