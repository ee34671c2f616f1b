//! Measures the cost of an `ndarray` compared with plain bytes: 64 MiB packed and unpacked as bytes, and as an array in
//! several layouts.
//!
//! ```text
//! cargo run --release -p bloscpack-io --features ndarray --example ndarray_speed
//! ```

use std::hint::black_box;
use std::time::Instant;

use bloscpack_io::numpy::{pack_ndarray, unpack_ndarray};
use bloscpack_io::{Codec, Error, PackOptions, Threads, UnpackOptions, pack, unpack_bytes};
use ndarray::{Array2, Ix2, ShapeBuilder, s};

const RUNS: usize = 15;

fn median(name: &str, mut run: impl FnMut() -> Result<(), Error>) -> Result<(), Error> {
    run()?;
    let mut times = [0.0; RUNS];
    for time in &mut times {
        let start = Instant::now();
        run()?;
        *time = start.elapsed().as_secs_f64() * 1e3;
    }
    times.sort_by(f64::total_cmp);
    println!("{name:32} {:8.1} ms, fastest {:8.1} ms", times[RUNS / 2], times[0]);
    Ok(())
}

fn main() -> Result<(), Error> {
    let array = Array2::from_shape_fn((4096, 2048), |(i, j)| ((i * 2048 + j) as f64 / 1e4).sin());
    let mut fortran = Array2::zeros((4096, 2048).f());
    fortran.assign(&array);
    let reversed = array.slice(s![..;-1, ..]);
    let bytes: Vec<u8> = array.iter().flat_map(|item| item.to_le_bytes()).collect();
    for threads in [Threads::Serial, Threads::Ambient] {
        println!("{threads:?}");
        let options = PackOptions::new().codec(Codec::Lz4).typesize(8).threads(threads.clone());
        let unpacking = UnpackOptions::new().threads(threads);
        // The memory is reused, so that page faults are not measured.
        let mut packed = Vec::new();
        median("pack, bytes", || pack(&bytes, &mut packed, &options).map(drop))?;
        median("unpack_bytes", || unpack_bytes(&packed, &unpacking).map(|plain| drop(black_box(plain))))?;
        median("pack_ndarray, Fortran order", || pack_ndarray(&fortran, &mut packed, &options).map(drop))?;
        median("pack_ndarray, rows reversed", || pack_ndarray(&reversed, &mut packed, &options).map(drop))?;
        median("pack_ndarray, C order", || pack_ndarray(&array, &mut packed, &options).map(drop))?;
        median("unpack_ndarray", || {
            unpack_ndarray::<f64, Ix2>(&packed, &unpacking).map(|array| drop(black_box(array)))
        })?;
    }
    Ok(())
}
