//! How fast and how small would *your* data be? Measures many settings on a sample of it.
//!
//! | file | what it knows |
//! |---|---|
//! | `sample` | which bytes of an input are measured |
//! | `front` | which settings no other one beats |
//! | `table`, `plot` | how the figures are shown |

mod front;
mod plot;
mod sample;
mod table;

pub(crate) use plot::plot;
pub(crate) use sample::Sample;
pub(crate) use table::{json, table};

use crate::size::pretty_size;
use anyhow::{Result, ensure};
use blosc_core::{CParams, Codec, Filter, FilterPipeline};
use bloscpack_format::checksum::Checksum;
use bloscpack_io::{Cancel, Error, PackOptions, Threads, UnpackOptions, pack_stream, unpack_stream};
use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// How long to work before anything counts: some hundred milliseconds after it was idle, a machine is as fast as it gets.
const WARM_UP: Duration = Duration::from_millis(200);

/// What can be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) codec: Codec,
    pub(crate) clevel: u8,
    pub(crate) filter: Option<Filter>,
    pub(crate) chunk_size: u64,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Setting { codec, clevel, filter, chunk_size } = *self;
        write!(f, "{} {clevel}, {}, {}", codec.name(), name_of(filter), pretty_size(chunk_size))
    }
}

/// What comes of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Figures {
    pub(crate) setting: Setting,
    /// Plain bytes to compressed ones.
    pub(crate) ratio: f64,
    /// Plain bytes a second.
    pub(crate) compress: f64,
    pub(crate) decompress: f64,
    /// Whether no other setting is better in one of the three, and not worse in the others.
    pub(crate) on_front: bool,
}

/// What is tried, and how.
#[derive(Debug)]
pub(crate) struct Sweep {
    pub(crate) codecs: Vec<Codec>,
    pub(crate) clevels: Vec<u8>,
    pub(crate) filters: Vec<Option<Filter>>,
    pub(crate) chunk_sizes: Vec<u64>,
    /// How long each setting is measured at least, compressing and decompressing.
    pub(crate) seconds: f64,
    pub(crate) threads: Threads,
    pub(crate) cancel: Cancel,
}

impl Sweep {
    /// Every setting once: of a codec without levels one stands for all, and single bytes cannot be shuffled.
    pub(crate) fn settings(&self, typesize: usize) -> Vec<Setting> {
        let mut settings = Vec::new();
        for codec in &self.codecs {
            let clevels = if *codec == Codec::Snappy { self.clevels.get(..1) } else { self.clevels.get(..) };
            for clevel in clevels.unwrap_or_default() {
                for filter in &self.filters {
                    let idle = typesize == 1 && filter.is_some_and(|filter| filter.name() == "shuffle");
                    for chunk_size in self.chunk_sizes.iter().filter(|_| !idle) {
                        let setting =
                            Setting { codec: *codec, clevel: *clevel, filter: *filter, chunk_size: *chunk_size };
                        if !settings.contains(&setting) {
                            settings.push(setting);
                        }
                    }
                }
            }
        }
        settings
    }

    /// Measures them all, best ratio first; `tell` is called before each with how many are done. If the work ends early,
    /// with what was measured until then.
    pub(crate) fn run(
        &self,
        sample: &Sample,
        mut tell: impl FnMut(usize, usize, &Setting),
    ) -> (Vec<Figures>, Result<()>) {
        let settings = self.settings(sample.typesize);
        let mut figures = Vec::new();
        let mut all = || {
            for (done, setting) in settings.iter().enumerate() {
                tell(done, settings.len(), setting);
                // Threads have to start and memory has to be there: that is not the first setting's fault.
                let start = Instant::now();
                while done == 0 && start.elapsed() < WARM_UP {
                    self.measure(*setting, sample)?;
                }
                figures.push(self.measure(*setting, sample)?);
            }
            Ok(())
        };
        let done = all();
        front::mark(&mut figures);
        figures.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
        (figures, done)
    }

    fn measure(&self, setting: Setting, sample: &Sample) -> Result<Figures> {
        let filters =
            setting.filter.map_or(Some(FilterPipeline::none()), |filter| FilterPipeline::from_slice(&[filter]));
        let params = CParams::new().codec(setting.codec).clevel(setting.clevel).typesize(sample.typesize);
        // Checksums cost the same whatever the settings are.
        let pack =
            PackOptions::new().params(params.filters(filters.unwrap_or_default())).chunk_size(setting.chunk_size);
        let pack = pack.offsets(false).checksum(Checksum::None).threads(self.threads.clone());
        let pack = pack.cancel(self.cancel.clone());
        let unpack = UnpackOptions::new().threads(self.threads.clone()).cancel(self.cancel.clone());

        let len = sample.bytes.len() as u64;
        let mut packed = Vec::new();
        pack_stream(sample.bytes.as_slice(), Some(len), &mut packed, &pack)?;
        let mut check = Compare { expected: &sample.bytes };
        unpack_stream(packed.as_slice(), &mut check, &unpack)?;
        ensure!(check.expected.is_empty(), "{setting:?} did not give the bytes back; please report this");

        let compress = self.fastest(|| pack_stream(sample.bytes.as_slice(), Some(len), io::sink(), &pack))?;
        let decompress = self.fastest(|| unpack_stream(packed.as_slice(), io::sink(), &unpack))?;
        let per = |time: Duration| len as f64 / time.as_secs_f64().max(1e-9);
        let ratio = len as f64 / packed.len() as f64;
        Ok(Figures { setting, ratio, compress: per(compress), decompress: per(decompress), on_front: false })
    }

    /// The shortest of as many runs as the time allows: what else the machine does only makes runs longer.
    fn fastest<T>(&self, mut run: impl FnMut() -> Result<T, Error>) -> Result<Duration> {
        let (start, mut best) = (Instant::now(), Duration::MAX);
        while best == Duration::MAX || start.elapsed().as_secs_f64() < self.seconds / 2.0 {
            let before = Instant::now();
            run()?;
            best = best.min(before.elapsed());
        }
        Ok(best)
    }
}

/// Takes the bytes that are expected, and no others.
struct Compare<'a> {
    expected: &'a [u8],
}

impl Write for Compare<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.expected = self.expected.strip_prefix(buf).ok_or(io::ErrorKind::InvalidData)?;
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The name of a filter, or that there is none.
fn name_of(filter: Option<Filter>) -> &'static str {
    filter.map_or("none", |filter| filter.name())
}
