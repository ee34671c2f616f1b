//! Measures many settings on a sample, within a time limit.

use super::budget::{Deadline, Until};
use super::front;
use super::sample::Sample;
use super::setting::{Figures, Setting};
use anyhow::{Result, ensure};
use blosc_core::{Auto, CParams, Codec, Filter, FilterPipeline, Goal, memory};
use bloscpack_format::checksum::Checksum;
use bloscpack_io::{Cancel, Error, PackOptions, Sink, Source, Threads, UnpackOptions};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Duration of the warm-up before measuring: an idle machine reaches its full speed after some hundred milliseconds of
/// work.
const WARM_UP: Duration = Duration::from_millis(200);

/// Number of bytes compressed with each typesize to find the best one.
const SCREENED: usize = 1 << 20;

/// The settings to measure, and the time for each.
#[derive(Debug)]
pub(crate) struct Sweep {
    pub(crate) codecs: Vec<Codec>,
    pub(crate) clevels: Vec<u8>,
    pub(crate) filters: Vec<Option<Filter>>,
    pub(crate) chunk_sizes: Vec<u64>,
    /// The goals of `--auto` to measure.
    pub(crate) goals: Vec<Goal>,
    /// The typesize of these settings, unless it is detected.
    pub(crate) known_typesize: Option<usize>,
    /// Measuring time of each setting, compression and decompression together, if there is enough time for all.
    pub(crate) seconds: f64,
    /// The deadline of the whole sweep.
    pub(crate) end: Option<Instant>,
    pub(crate) threads: Threads,
    pub(crate) cancel: Cancel,
}

impl Sweep {
    /// Returns every setting once, fast ones first, so that a table that is cut off covers every kind. A codec without
    /// levels gets one setting. Single bytes are not shuffled, and without a filter the typesize has no effect.
    pub(crate) fn settings(&self, typesizes: &[usize]) -> Vec<Setting> {
        let mut settings = Vec::new();
        let filters = self.filters.iter().flat_map(|filter| {
            let sizes = if filter.is_none() { typesizes.get(..1).unwrap_or_default() } else { typesizes };
            sizes.iter().map(move |size| (*filter, *size))
        });
        for (filter, typesize) in filters {
            let idle = typesize == 1 && filter.is_some_and(|filter| filter.name() == "shuffle");
            for codec in self.codecs.iter().filter(|_| !idle) {
                let clevels = if *codec == Codec::Snappy { self.clevels.get(..1) } else { self.clevels.get(..) };
                for clevel in clevels.unwrap_or_default() {
                    for chunk_size in &self.chunk_sizes {
                        let (codec, clevel, chunk_size) = (*codec, *clevel, *chunk_size);
                        let setting = Setting { goal: None, codec, clevel, filter, typesize, chunk_size };
                        if !settings.contains(&setting) {
                            settings.push(setting);
                        }
                    }
                }
            }
        }
        settings.extend(self.automatic());
        settings.sort_by_key(Setting::cost);
        settings
    }

    /// Returns the settings of the goals.
    fn automatic(&self) -> impl Iterator<Item = Setting> {
        let typesize = self.known_typesize.unwrap_or(0);
        let of = move |goal: Goal, chunk_size| Setting {
            goal: Some(goal),
            codec: Codec::BloscLz,
            clevel: 0,
            filter: None,
            typesize,
            chunk_size,
        };
        self.goals.iter().flat_map(move |goal| self.chunk_sizes.iter().map(move |chunk_size| of(*goal, *chunk_size)))
    }

    /// Returns the typesize with which the data compresses best, by trying each one on a small part of the sample.
    pub(crate) fn best_typesize(&self, sample: &Sample, typesizes: &[usize]) -> Result<usize> {
        let bytes = sample.bytes.get(..SCREENED.min(sample.bytes.len())).unwrap_or_default();
        let mut best = (usize::MAX, 1);
        for typesize in typesizes {
            let filter = Some(Filter::Shuffle).filter(|_| *typesize > 1);
            let (codec, clevel, chunk_size) = (Codec::Zstd, 1, SCREENED as u64);
            let setting = Setting { goal: None, codec, clevel, filter, typesize: *typesize, chunk_size };
            let mut packed = InMemory::default();
            bloscpack_io::pack(Source::bytes(bytes), Sink::writer(&mut packed), &self.pack(setting))?;
            // On a tie, the smaller typesize wins.
            if packed.0.len() < best.0 {
                best = (packed.0.len(), *typesize);
            }
        }
        Ok(best.1)
    }

    /// Measures all settings until the time is over. Calls `tell` before each setting with the number of settings done.
    /// Returns the figures, best ratio first, and the settings that were not measured. If the work ends early, returns
    /// the figures measured so far with the error.
    pub(crate) fn run(
        &self,
        sample: &Sample,
        mut tell: impl FnMut(usize, usize, &Setting),
    ) -> (Vec<Figures>, Vec<Setting>, Result<()>) {
        let settings = self.settings(&sample.typesizes);
        let end = Deadline(self.end);
        let (mut figures, mut missed) = (Vec::new(), Vec::new());
        let mut all = || {
            for (done, setting) in settings.iter().enumerate() {
                // The first setting is always measured.
                let end = if done == 0 { Deadline(None) } else { end };
                if end.is_over() {
                    missed.extend(settings.iter().skip(done).copied());
                    break;
                }
                tell(done, settings.len(), setting);
                let seconds = self.seconds.min(end.left() / (settings.len() - done) as f64);
                if done == 0 {
                    self.warm_up(*setting, sample)?;
                }
                match self.measure(*setting, sample, seconds, end) {
                    Ok(measured) => figures.push(measured),
                    Err(error) if Deadline::ended(&error) => missed.push(*setting),
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        };
        let done = all();
        front::mark(&mut figures);
        figures.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
        (figures, missed, done)
    }

    /// Runs a setting before measuring, so that the first setting is not charged for starting threads and allocating
    /// memory.
    fn warm_up(&self, setting: Setting, sample: &Sample) -> Result<()> {
        let (start, len) = (Instant::now(), sample.bytes.len() as u64);
        while start.elapsed() < WARM_UP {
            bloscpack_io::pack(
                Source::reader(sample.bytes.as_slice()).size(Some(len)),
                Sink::writer(io::sink()),
                &self.pack(setting),
            )?;
        }
        Ok(())
    }

    fn pack(&self, setting: Setting) -> PackOptions {
        let filters = setting.filter.map_or(FilterPipeline::none(), FilterPipeline::from);
        let params = CParams::new().codec(setting.codec).clevel(setting.clevel).typesize(setting.typesize.max(1));
        // No checksums: they cost the same with all settings.
        let typesize = Some(setting.typesize).filter(|typesize| *typesize > 0);
        let auto = setting.goal.map(|goal| Auto::new(goal).typesize(typesize));
        let pack = PackOptions::new().params(params.filters(filters)).auto(auto).chunk_size(setting.chunk_size);
        let pack = pack.offsets(false).checksum(Checksum::None).threads(self.threads.clone());
        pack.cancel(self.cancel.clone())
    }

    fn measure(&self, setting: Setting, sample: &Sample, seconds: f64, end: Deadline) -> Result<Figures> {
        let (pack, len) = (self.pack(setting), sample.bytes.len() as u64);
        let unpack = UnpackOptions::new().threads(self.threads.clone()).cancel(self.cancel.clone());
        let plain = || Until(sample.bytes.as_slice(), end);

        // The first runs count, too, so that a slow setting need not be run again.
        let (mut packed, mut check) = (InMemory::default(), Compare { expected: &sample.bytes });
        let compress =
            timed(|| bloscpack_io::pack(Source::reader(plain()).size(Some(len)), Sink::writer(&mut packed), &pack))?;
        let decompress = timed(|| {
            bloscpack_io::unpack(Source::reader(packed.0.as_slice()), Sink::writer(Until(&mut check, end)), &unpack)
        })?;
        ensure!(check.expected.is_empty(), "{setting:?} did not give the bytes back; please report this");

        let again = |first, run: &mut dyn FnMut() -> Result<()>| fastest(first, seconds / 2.0, end, run);
        let compress = again(compress, &mut || {
            bloscpack_io::pack(Source::reader(plain()).size(Some(len)), Sink::writer(io::sink()), &pack)?;
            Ok(())
        })?;
        let decompress = again(decompress, &mut || {
            bloscpack_io::unpack(Source::reader(packed.0.as_slice()), Sink::writer(Until(io::sink(), end)), &unpack)?;
            Ok(())
        })?;
        let per = |time: Duration| len as f64 / time.as_secs_f64().max(1e-9);
        let ratio = len as f64 / packed.0.len() as f64;
        Ok(Figures { setting, ratio, compress: per(compress), decompress: per(decompress), on_front: false })
    }
}

/// An output in memory. Reports a failed allocation as an error, which `Vec` does not.
#[derive(Debug, Default)]
struct InMemory(Vec<u8>);

impl Write for InMemory {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        memory::extend(&mut self.0, buf)?;
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn timed<T>(run: impl FnOnce() -> Result<T, Error>) -> Result<Duration> {
    let start = Instant::now();
    run()?;
    Ok(start.elapsed())
}

/// Returns the shortest duration of the first run and all further runs that the time allows: other load only makes runs
/// longer. A run that is cut off does not count.
fn fastest(first: Duration, seconds: f64, end: Deadline, run: &mut dyn FnMut() -> Result<()>) -> Result<Duration> {
    let (start, mut best) = (Instant::now(), first);
    while start.elapsed().as_secs_f64() + first.as_secs_f64() < seconds && !end.is_over() {
        let before = Instant::now();
        match run() {
            Ok(()) => best = best.min(before.elapsed()),
            Err(error) if Deadline::ended(&error) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(best)
}

/// A writer that accepts only the expected bytes.
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
