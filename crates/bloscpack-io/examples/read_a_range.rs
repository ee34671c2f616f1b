//! Reads a range of a compressed file in any container format. Other parts of the file are not read.
//!
//! ```text
//! cargo run --release -p bloscpack-io --example read_a_range
//! ```

use bloscpack_io::{Archive, LocalSource, PackOptions, Sink, Source, Threads, pack};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("numbers.blp");
    let plain: Vec<u8> = (0..4_000_000u64).flat_map(u64::to_le_bytes).collect();
    let packed = pack(Source::bytes(&plain), Sink::file(&path), &PackOptions::new().threads(Threads::Ambient))?;
    println!("{} bytes are {} in {} chunks", plain.len(), packed.cbytes, packed.header.nchunks.unwrap_or(0));

    // A `.b2frame`, a `.b2nd`, the directory of a sparse frame or a bare chunk open the same way.
    let archive = Archive::open(LocalSource::open(&path)?)?;
    let bytes = archive.read_range(16_000_000..16_000_016)?;
    let numbers: Vec<u64> = bytes.as_chunks().0.iter().map(|item| u64::from_le_bytes(*item)).collect();
    println!("items 2000000 and 2000001: {numbers:?}");
    assert_eq!(numbers, [2_000_000, 2_000_001]);
    Ok(())
}
