//! What is to be raced? `chunks LIBRARY [--codecs a,b] [--levels 1,5] [--filters shuffle] [--rounds N] [--kib N]`.

use crate::ours::Filter;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::str::FromStr;

/// The options, with defaults that take about a minute.
pub struct Options {
    /// The shared library of C-Blosc2.
    pub library: PathBuf,
    /// Names that both libraries know.
    pub codecs: Vec<String>,
    /// Levels, 1..=9.
    pub levels: Vec<u8>,
    /// Filters before the codec.
    pub filters: Vec<Filter>,
    /// Rounds of each race.
    pub rounds: usize,
    /// Plain bytes of a chunk.
    pub size: usize,
}

impl Options {
    /// Reads the command line.
    pub fn from_args() -> Result<Self> {
        let mut args = std::env::args().skip(1);
        let library = args.next().context("the first argument is the path of libblosc2.so")?.into();
        let mut options = Self {
            library,
            codecs: list("blosclz,lz4,lz4hc,zlib,zstd")?,
            levels: list("1,5,9")?,
            filters: list("shuffle,bitshuffle")?,
            rounds: 5,
            size: 1 << 20,
        };
        while let Some(name) = args.next() {
            let value = args.next().with_context(|| format!("{name} wants a value"))?;
            match name.as_str() {
                "--codecs" => options.codecs = list(&value)?,
                "--levels" => options.levels = list(&value)?,
                "--filters" => options.filters = list(&value)?,
                "--rounds" => options.rounds = value.parse::<usize>()?.max(1),
                // Whole blocks of 64 elements of 8 bytes: C-Blosc2 decodes some tails of Blosc1 bit shuffle wrongly.
                "--kib" => options.size = value.parse::<usize>()?.max(1) << 10,
                _ => bail!("unknown option {name}"),
            }
        }
        Ok(options)
    }
}

fn list<T: FromStr<Err: std::error::Error + Send + Sync + 'static>>(text: &str) -> Result<Vec<T>> {
    text.split(',').map(|item| item.parse().with_context(|| format!("`{item}`"))).collect()
}
