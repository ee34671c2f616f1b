//! Measures how long it takes to read all rows of a carray, or of a column of a ctable, into memory.
//!
//! ```text
//! read_column DIRECTORY THREADS
//! ```
//!
//! For each line of stdin it reads the rows once into a new buffer, and prints the seconds and a sum of the bytes. A
//! script can so alternate it with other programs. The files are opened before the measurement, like an array that is
//! kept open.

use std::error::Error;
use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use bloscpack_io::bcolz::{Carray, LocalDirectory};
use bloscpack_io::{Threads, UnpackOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let directory = args.next().ok_or("read_column DIRECTORY THREADS")?;
    let threads: usize = args.next().and_then(|count| count.to_str()?.parse().ok()).ok_or("how many threads?")?;
    let threads = match threads {
        1 => Threads::Serial,
        count => Threads::Pool(Arc::new(rayon::ThreadPoolBuilder::new().num_threads(count).build()?)),
    };
    let options = UnpackOptions::new().threads(threads);
    let carray = Carray::open(LocalDirectory::open(Path::new(&directory))?)?;
    for line in io::stdin().lock().lines() {
        line?;
        let start = Instant::now();
        let plain = carray.read_all(&options)?;
        let seconds = start.elapsed().as_secs_f64();
        let sum = plain.iter().fold(0_u64, |sum, byte| sum.wrapping_add(u64::from(*byte)));
        println!("{seconds:.6} {sum}");
        io::stdout().flush()?;
    }
    Ok(())
}
