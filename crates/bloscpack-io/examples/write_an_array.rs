//! Writes an `ndarray` to a `.b2nd` file, which python-blosc2 can open, and reads a slice of it back.
//!
//! ```text
//! cargo run --release -p bloscpack-io --features ndarray --example write_an_array
//! ```

use bloscpack_format::frame::Region;
use bloscpack_io::frame::{ArrayOptions, FrameParams};
use bloscpack_io::numpy::{ndarray_to_frame, read_ndarray};
use bloscpack_io::{Archive, LocalSource, Threads};
use ndarray::{Array2, Array3, s};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("field.b2nd");
    let field = Array3::from_shape_fn((50, 200, 300), |(time, y, x)| (time * 1000 + y) as f32 + x as f32 / 300.0);

    // Chunks match the planned reads: one time step after the other, in squares.
    let cut = ArrayOptions::new().chunkshape(Some(vec![1, 100, 100]));
    ndarray_to_frame(&field, &path, false, &cut, FrameParams::new(4), &Threads::Ambient)?;
    println!("{} bytes are {} in the file", field.len() * 4, std::fs::metadata(&path)?.len());

    let archive = Archive::open(LocalSource::open(&path)?)?;
    let region = Region { start: vec![7, 20, 30], stop: vec![8, 22, 33] };
    let slice: Array3<f32> = read_ndarray(&archive, Some(&region))?;
    let slice: Array2<f32> = slice.remove_axis(ndarray::Axis(0));
    println!("{slice:?}");
    assert_eq!(slice, field.slice(s![7, 20..22, 30..33]));
    Ok(())
}
