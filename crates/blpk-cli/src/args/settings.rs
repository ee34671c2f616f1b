//! Options that say how chunks are compressed.

use super::auto::{self, CodecArg};
use super::int::Int;
use super::levels;
use super::values;
use blosc_core::{Codec, Goal};
use clap::Args;

/// How chunks are compressed.
#[derive(Debug, Args)]
#[command(next_help_heading = "settings")]
pub(crate) struct BloscArgs {
    /// bytes of one element, 1 to 255, or its dtype, as f4 (default: 8)
    #[arg(short, long, value_name = "size", value_parser = values::typesize, allow_negative_numbers = true)]
    pub(crate) typesize: Option<Int>,
    /// compression level (default: 7)
    #[arg(
        short = 'l', long, value_name = "0-9", value_parser = values::clevel, allow_negative_numbers = true,
        help = levels::help("7"), long_help = levels::long_help("7")
    )]
    pub(crate) clevel: Option<u8>,
    /// deactivate shuffle
    #[arg(short = 's', long)]
    pub(crate) no_shuffle: bool,
    /// blosclz, lz4, lz4hc, snappy, zlib, zstd or auto (default: blosclz)
    #[arg(short, long, value_name = "codec", value_parser = auto::codec)]
    pub(crate) codec: Option<CodecArg>,
    /// choose all settings not given: fast, balanced (default) or small
    ///
    /// Codec, level, filter, typesize and block size are chosen by trials on samples, for each part of the data. Also
    /// 500MB/s, for the best ratio at this nominal speed, and ratio:3.5, for the fastest settings that reach it. '-c auto'
    /// is the same as --auto.
    #[arg(
        long, value_name = "goal", value_parser = auto::goal, num_args = 0..=1, require_equals = true,
        default_missing_value = "balanced"
    )]
    pub(crate) auto: Option<Goal>,
}

impl BloscArgs {
    /// Returns the goal of `--auto`, or of the codec `auto`.
    pub(crate) fn goal(&self) -> Option<Goal> {
        self.auto.or((self.codec == Some(CodecArg::Auto)).then_some(Goal::Balanced))
    }

    /// Whether no setting is given, neither as an option nor by the environment.
    pub(crate) fn is_default(&self) -> bool {
        let BloscArgs { typesize, clevel, no_shuffle, codec, auto } = self;
        typesize.is_none() && clevel.is_none() && !no_shuffle && codec.is_none() && auto.is_none()
    }

    /// Returns the codec, if it has a name.
    pub(crate) fn fixed_codec(&self) -> Option<Codec> {
        self.codec.and_then(CodecArg::fixed)
    }
}
