//! Who is faster on one set with one set of parameters? Interleaved rounds, CPU time, every output checked.

use crate::c_blosc2::CBlosc2;
use crate::data::Set;
use crate::ours::{self, Filter};
use anyhow::{Context, Result, ensure};
use blosc_core::{Chunk, Decoder, Encoder};
use rustix::time::{ClockId, clock_gettime};

/// A measurement shorter than this is repeated within the round: timer and caches would decide it.
const SHORTEST_SECONDS: f64 = 0.004;

/// Our speed in MB/s (10⁶ bytes), and that speed divided by C-Blosc2's.
pub struct Speed {
    pub speed: f64,
    pub ratio: f64,
}

/// The outcome of one race.
pub struct Line {
    pub compress: Speed,
    pub decompress: Speed,
    /// Our compressed size divided by C-Blosc2's.
    pub size: f64,
}

/// Races both libraries.
pub fn run(theirs: &CBlosc2, codec: &str, level: u8, filter: Filter, set: &Set, rounds: usize) -> Result<Line> {
    let plain = set.bytes.as_slice();
    let mut encoder = Encoder::new(ours::params(codec, level, filter, set.typesize)?)?;
    let mut decoder = Decoder::new();
    theirs.set_codec(codec)?;
    let mut compressor = theirs.compressor(level, filter, set.typesize, plain.len())?;

    let our_chunk = encoder.compress(plain)?;
    let mut their_chunk = compressor.compress(plain)?.to_vec();
    // In Blosc1 mode C-Blosc2 writes Blosc1's layout under its own version number, 5. Sets of whole blocks of 64
    // elements have no bytes on which the bit shuffles of the two versions differ.
    ensure!(their_chunk[2] & 5 != 5, "C-Blosc2 wrote an extended header");
    their_chunk[0] = 2;
    verify(theirs, &mut decoder, plain, &our_chunk, &their_chunk)
        .with_context(|| format!("{codec} {level} {filter} {}", set.name))?;

    let mut ours_into = vec![0; blosc_core::max_cbytes(plain.len())];
    let mut out = vec![0; plain.len()];
    let (mut compress, mut decompress) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        compress.push((
            cpu_seconds(|| Ok(encoder.compress_into(plain, &mut ours_into).map(drop)?))?,
            cpu_seconds(|| compressor.compress(plain).map(drop))?,
        ));
        // The same chunk for both: ours.
        let chunk = Chunk::parse(&our_chunk)?;
        decompress.push((
            cpu_seconds(|| Ok(decoder.decompress_into(&chunk, &mut out).map(drop)?))?,
            cpu_seconds(|| theirs.decompress(&our_chunk, &mut out))?,
        ));
    }
    Ok(Line {
        compress: speed(plain.len(), &compress),
        decompress: speed(plain.len(), &decompress),
        size: our_chunk.len() as f64 / their_chunk.len() as f64,
    })
}

/// The geometric mean of several lines.
pub fn geometric_mean(lines: &[Line]) -> Line {
    let mean = |value: &dyn Fn(&Line) -> f64| {
        (lines.iter().map(|line| value(line).ln()).sum::<f64>() / lines.len() as f64).exp()
    };
    Line {
        compress: Speed { speed: mean(&|line| line.compress.speed), ratio: mean(&|line| line.compress.ratio) },
        decompress: Speed { speed: mean(&|line| line.decompress.speed), ratio: mean(&|line| line.decompress.ratio) },
        size: mean(&|line| line.size),
    }
}

/// Both libraries decode both chunks to the plain bytes.
fn verify(theirs: &CBlosc2, decoder: &mut Decoder, plain: &[u8], our_chunk: &[u8], their_chunk: &[u8]) -> Result<()> {
    for (chunk, whose) in [(our_chunk, "our chunk"), (their_chunk, "C-Blosc2's chunk")] {
        let mut out = vec![0; plain.len()];
        theirs.decompress(chunk, &mut out).with_context(|| format!("C-Blosc2 reads {whose}"))?;
        ensure!(out == plain, "C-Blosc2 reads other bytes from {whose}");
        let decoded = decoder.decompress(&Chunk::parse(chunk)?).with_context(|| format!("we read {whose}"))?;
        ensure!(decoded == plain, "we read other bytes from {whose}");
    }
    Ok(())
}

fn speed(nbytes: usize, rounds: &[(f64, f64)]) -> Speed {
    let ours = median(rounds.iter().map(|(ours, _)| *ours));
    Speed { speed: nbytes as f64 / ours / 1e6, ratio: median(rounds.iter().map(|(ours, theirs)| theirs / ours)) }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// CPU seconds of one call, the mean of as many as it takes to be measurable.
fn cpu_seconds(mut call: impl FnMut() -> Result<()>) -> Result<f64> {
    let start = now();
    let mut calls = 0.0;
    loop {
        call()?;
        calls += 1.0;
        let seconds = now() - start;
        if seconds >= SHORTEST_SECONDS {
            return Ok(seconds / calls);
        }
    }
}

fn now() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
