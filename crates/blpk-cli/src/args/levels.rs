//! The help of `-l`: compression levels, and Zstd's own levels for them.

use blosc_core::Codec;

/// Returns the text for `-h`, which has one line.
pub(super) fn help(default: &str) -> String {
    let levels = zstd_levels().map_or(String::new(), |(levels, shuffled)| {
        format!(
            "; of zstd {}{}",
            levels.join(" "),
            shuffled.map_or(String::new(), |level| format!(", shuffled {level}"))
        )
    });
    format!("level{levels} (default: {default})")
}

/// Returns the text for `--help`.
pub(super) fn long_help(default: &str) -> String {
    let levels = zstd_levels().map_or(String::new(), |(levels, shuffled)| {
        let shuffled =
            shuffled.map_or(String::new(), |level| format!(", and for shuffled data {level} instead of the last"));
        format!("\n\nWith zstd, levels 1 to 9 are zstd's levels {}{shuffled}.", levels.join(", "))
    });
    format!("compression level (default: {default}){levels}")
}

/// Returns Zstd's own levels for 1 to 9, and its level for 9 with shuffled data if that differs.
fn zstd_levels() -> Option<(Vec<String>, Option<i32>)> {
    let levels = (1..=9).map(|clevel| Codec::zstd_level(clevel, false).map(|level| level.to_string()));
    let shuffled = Codec::zstd_level(9, true).filter(|level| Codec::zstd_level(9, false) != Some(*level));
    Some((levels.collect::<Option<_>>()?, shuffled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_of_the_codec() {
        assert_eq!(help("7"), "level; of zstd 1 3 5 7 9 11 13 15 22, shuffled 19 (default: 7)");
        assert!(
            long_help("7").contains("1, 3, 5, 7, 9, 11, 13, 15, 22, and for shuffled data 19"),
            "{}",
            long_help("7")
        );
        // Only level 9 has two.
        assert!((1..9).all(|clevel| Codec::zstd_level(clevel, true) == Codec::zstd_level(clevel, false)));
    }
}
