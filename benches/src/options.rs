//! Command line of the race program.

use crate::chunks::Config;
use crate::peers::Filter;
use crate::race::Length;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::str::FromStr;

pub const USAGE: &str = "usage: race <command> [option]...

  chunks          whole chunks, on one core, in CPU time
  again           rows of chunks.tsv in the folder of --out once more: those in which C-Blosc2 was faster, in more
                  rounds, or those of --codec, --level, --filter and --size
  threads         whole chunks, with two threads or --threads N, in wall time
  serial          the serial part of a call with two threads or --threads N, and what it limits
  pipeline        the thread that reads and writes files while two others pack or unpack
  capi            our C libraries, which --blosc2 and --blosc1 name, compared with the Rust API
  contexts        a new context for every call, compared with one for all calls
  partial         items, ranges and blocks of a chunk, on one core, in CPU time
  blocks [NAME].. building blocks: kernels blosclz lz4 lz4hc zlib zstd checksums
  advise          the typesizes that automatic choice detects, and its share of the time
  appends         one more chunk in a frame, in wall time
  verify          everything on small data, to see that it works
  goals [auto]    which goals the tables in the folder of --out reach; prints all, or those for automatic choice
  picture [NAME]  draws the tables in the folder of --out: speed auto

  --data FOLDER   data sets, as mkdata.py makes them
  --blosc2 FILE   libblosc2.so;  --blosc1 FILE  libblosc.so
  --quick         only what the goals are about
  --codec LIST    of blosclz, lz4, lz4hc, zlib, zstd
  --level LIST    --filter LIST (none, shuffle, bitshuffle)
  --set LIST      starts of names of data sets
  --size LIST     of bytes of a buffer: 4K, 1M
  --each          shows every data set, not only the mean
  --rounds N      --seconds N of every race at most
  --out FOLDER    writes tables of tab-separated values there";

/// The parsed command line. An empty list means that the option was not given.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub command: String,
    /// Positional arguments after the command.
    pub names: Vec<String>,
    pub data: Option<PathBuf>,
    pub blosc2: Option<PathBuf>,
    pub blosc1: Option<PathBuf>,
    pub out: Option<PathBuf>,
    pub quick: bool,
    pub each: bool,
    pub codecs: Vec<String>,
    pub levels: Vec<u8>,
    pub filters: Vec<Filter>,
    pub sets: Vec<String>,
    pub sizes: Vec<usize>,
    pub threads: Option<usize>,
    rounds: Option<usize>,
    seconds: Option<f64>,
}

impl Options {
    /// Parses the command line.
    pub fn from_args() -> Result<Self> {
        let mut args = std::env::args().skip(1);
        let mut options = Self { command: args.next().unwrap_or_default(), ..Self::default() };
        while let Some(name) = args.next() {
            match name.as_str() {
                "--quick" => options.quick = true,
                "--each" => options.each = true,
                name if !name.starts_with("--") => options.names.push(name.to_owned()),
                name => options.set(name, &args.next().with_context(|| format!("{name} wants a value"))?)?,
            }
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        match name {
            "--data" => self.data = Some(value.into()),
            "--blosc2" => self.blosc2 = Some(value.into()),
            "--blosc1" => self.blosc1 = Some(value.into()),
            "--out" => self.out = Some(value.into()),
            "--codec" => self.codecs = list(value)?,
            "--level" => self.levels = list(value)?,
            "--filter" => self.filters = list(value)?,
            "--set" => self.sets = list(value)?,
            "--size" => self.sizes = value.split(',').map(bytes).collect::<Result<_>>()?,
            "--threads" => self.threads = Some(value.parse().context("--threads")?),
            "--rounds" => self.rounds = Some(value.parse::<usize>().context("--rounds")?.max(1)),
            "--seconds" => self.seconds = Some(value.parse().context("--seconds")?),
            _ => bail!("unknown option {name}\n\n{USAGE}"),
        }
        Ok(())
    }

    /// Returns whether options select some of the chunks.
    pub fn selects_chunks(&self) -> bool {
        !(self.codecs.is_empty() && self.levels.is_empty() && self.filters.is_empty() && self.sizes.is_empty())
    }

    /// Returns whether these chunks are selected.
    pub fn has_asked_for(&self, Config { codec, level, filter, size, .. }: &Config) -> bool {
        fn is_one_of<T: PartialEq>(asked: &[T], value: &T) -> bool {
            asked.is_empty() || asked.contains(value)
        }
        is_one_of(&self.codecs, codec)
            && is_one_of(&self.levels, level)
            && is_one_of(&self.filters, filter)
            && is_one_of(&self.sizes, size)
    }

    /// Reduces every race to a check: one round, no minimum time.
    pub fn hurry(&mut self) {
        (self.rounds, self.seconds) = (Some(1), Some(0.0));
    }

    /// Returns the length of a race: the given defaults unless the options set others.
    pub fn length(&self, rounds: usize, seconds: f64) -> Length {
        Length { rounds: self.rounds.unwrap_or(rounds), seconds: self.seconds.unwrap_or(seconds) }
    }
}

fn list<T: FromStr<Err: std::error::Error + Send + Sync + 'static>>(text: &str) -> Result<Vec<T>> {
    text.split(',').map(|item| item.parse().with_context(|| format!("`{item}`"))).collect()
}

/// Parses `4K`, `1M` or a number.
fn bytes(text: &str) -> Result<usize> {
    let (number, unit) = match text.as_bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M') => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    match number.parse::<usize>().with_context(|| format!("`{text}`"))?.checked_mul(unit) {
        Some(size @ 1..=0x4000_0000) => Ok(size),
        _ => bail!("`{text}` is no size of a buffer"),
    }
}
