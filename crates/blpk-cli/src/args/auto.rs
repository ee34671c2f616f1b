//! Parses `--auto`, and the codec `auto`.

use super::bad_value::BadValue;
use super::choice::choice;
use blosc_core::{Codec, Goal};
use bloscpack_format::python_str_repr;

/// The codec of `-c`, or `auto`, which means `--auto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodecArg {
    Auto,
    Fixed(Codec),
}

impl CodecArg {
    /// Returns the codec, if it has a name.
    pub(crate) fn fixed(self) -> Option<Codec> {
        match self {
            CodecArg::Fixed(codec) => Some(codec),
            CodecArg::Auto => None,
        }
    }
}

/// The name of the automatic choice among the codecs.
const AUTO: &str = "auto";

/// The names of goals.
pub(super) const GOALS: [&str; 3] = ["fast", "balanced", "small"];

/// The names of codecs, and `auto`.
pub(super) fn codec_names() -> Vec<&'static str> {
    Codec::ALL.map(Codec::name).into_iter().chain([AUTO]).collect()
}

/// Parses the name of a codec, or `auto`.
pub(super) fn codec(text: &str) -> Result<CodecArg, BadValue> {
    let index = choice("-c/--codec", text, &codec_names())?;
    Ok(Codec::ALL.get(index).map_or(CodecArg::Auto, |codec| CodecArg::Fixed(*codec)))
}

/// Parses a goal: its name, a nominal speed as `500MB/s`, or a ratio as `ratio:3.5`.
pub(super) fn goal(text: &str) -> Result<Goal, BadValue> {
    parsed(text).ok_or_else(|| unknown("--auto", text, ", a speed as 500MB/s, or a ratio as ratio:3.5"))
}

/// Parses the name of a goal.
pub(super) fn goal_name(text: &str) -> Result<Goal, BadValue> {
    parsed(text).filter(|goal| Goal::NAMED.contains(goal)).ok_or_else(|| unknown("--goal", text, ""))
}

fn parsed(text: &str) -> Option<Goal> {
    text.parse().ok()
}

fn unknown(argument: &str, text: &str, others: &str) -> BadValue {
    let names = GOALS.map(python_str_repr).join(", ");
    let text = python_str_repr(text);
    BadValue::Usage(format!("argument {argument}: invalid choice: {text} (choose from {names}{others})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_names_speeds_and_ratios() {
        for (name, expected) in GOALS.into_iter().zip(Goal::NAMED) {
            assert_eq!((goal(name), goal_name(name)), (Ok(expected), Ok(expected)));
        }
        assert_eq!(goal("500MB/s"), Ok(Goal::Speed(500)));
        assert_eq!(goal("ratio:3.5"), Ok(Goal::Ratio(3.5)));
        for text in ["", "Fast", "0MB/s", "-1MB/s", "500", "MB/s", "ratio:", "ratio:0.5", "ratio:nan", "3.5"] {
            assert!(goal(text).is_err() && goal_name(text).is_err(), "{text}");
        }
        assert!(goal_name("500MB/s").is_err());
    }

    #[test]
    fn a_codec_may_be_auto() {
        assert_eq!(codec("auto"), Ok(CodecArg::Auto));
        assert_eq!(codec("zstd"), Ok(CodecArg::Fixed(Codec::Zstd)));
        assert!(codec("Auto").is_err());
    }
}
