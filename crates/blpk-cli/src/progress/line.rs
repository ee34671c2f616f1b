//! The layout of the progress line: name, bar and figures.

/// Returns the percentage of completed work, rounded down: 100 only when the work is complete.
pub(super) fn percent(done: u64, all: u64) -> u64 {
    let percent = u128::from(done) * 100 / u128::from(all.max(1));
    percent.min(100) as u64 // fits
}

/// Fits name, bar and figures into `columns` columns. If there is too little room, first the middle of the name is
/// dropped, then a part of the bar, then the bar. Uses no colours, so `NO_COLOR` has no effect.
pub(super) fn fitted(name: &str, share: Option<f64>, figures: &str, columns: usize) -> String {
    /// Maximum and minimum columns of a bar, without its ends.
    const BAR: usize = 24;
    const SHORT_BAR: usize = 8;
    /// A longer name is shortened to this length before the bar is shortened.
    const SHORT_NAME: usize = 16;
    let short_name = width(name).min(SHORT_NAME);
    // Two ends of the bar, and a space on each side of it.
    let room = columns.saturating_sub(width(figures) + 4);
    let bar = room.saturating_sub(short_name).min(BAR);
    match share {
        Some(share) if bar >= SHORT_BAR => format!("{} {} {figures}", shortened(name, room - bar), drawn(share, bar)),
        _ if width(name) + 1 + width(figures) <= columns => format!("{name} {figures}"),
        // At least two characters from each end of the name, and an ellipsis between them.
        _ => match columns.checked_sub(width(figures) + 1).filter(|room| *room >= 5) {
            Some(room) => format!("{} {figures}", shortened(name, room)),
            None => taken(figures.chars(), columns),
        },
    }
}

/// Draws the bar: `[=====>    ]`.
fn drawn(share: f64, columns: usize) -> String {
    let full = ((columns as f64 * share) as usize).min(columns);
    let head = if full < columns { ">" } else { "" };
    format!("[{}{head}{}]", "=".repeat(full), " ".repeat((columns - full).saturating_sub(1)))
}

/// Shortens a name that is too wide to its two ends.
fn shortened(name: &str, columns: usize) -> String {
    if width(name) <= columns {
        return name.to_owned();
    }
    let head = taken(name.chars(), columns / 2);
    let tail: String = taken(name.chars().rev(), columns - 1 - columns / 2).chars().rev().collect();
    format!("{head}…{tail}")
}

/// Returns the characters that fit into `columns` columns.
fn taken(letters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut room = columns;
    let fits = |c: &char| {
        let left = room.checked_sub(columns_of(*c));
        room = left.unwrap_or(0);
        left.is_some()
    };
    letters.take_while(fits).collect()
}

fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// East Asian characters take two columns. All characters from U+1100 on are counted as wide. Counting one column too
/// many only makes the line shorter.
fn columns_of(c: char) -> usize {
    if c >= '\u{1100}' && c != '…' { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_room_on_the_screen() {
        let line = |columns| fitted("a/long/name.dat", Some(0.5), "1 of 2, 3s left", columns);
        assert_eq!(line(80), "a/long/name.dat [============>           ] 1 of 2, 3s left");
        assert_eq!(line(58), line(80));
        assert_eq!(line(57), "a/long/name.dat [===========>           ] 1 of 2, 3s left");
        assert_eq!(line(42), "a/long/name.dat [====>   ] 1 of 2, 3s left");
        assert_eq!(line(41), "a/long/name.dat 1 of 2, 3s left");
        assert_eq!(line(30), "a/long/…me.dat 1 of 2, 3s left");
        assert_eq!(line(21), "a/…at 1 of 2, 3s left");
        assert_eq!(line(20), "1 of 2, 3s left");
        assert_eq!(line(6), "1 of 2");
        for columns in 0..100 {
            for name in ["", "x", "名前名前名前名前名前名前", "a/long/name.dat", "a/much/longer/name/in/many/folders"]
            {
                let line = fitted(name, Some(1.0), "figures", columns);
                assert!(width(&line) <= columns, "{columns}: {line}");
            }
        }
    }

    #[test]
    fn a_long_path_leaves_room_for_the_bar() {
        let (name, figures) =
            ("a/path/of/many/folders/to/a/file/with/a/name.dat", "50% 1023.99M/1.99G, 999.99M/s, 12s left");
        assert_eq!(
            fitted(name, Some(0.5), figures, 80),
            "a/path/o…ame.dat [==========>          ] 50% 1023.99M/1.99G, 999.99M/s, 12s left"
        );
    }

    #[test]
    fn a_percentage_is_100_only_in_the_end() {
        assert_eq!(
            [(0, 0), (0, 3), (1, 3), (999, 1000), (3, 3), (4, 3)].map(|(a, b)| percent(a, b)),
            [0, 0, 33, 99, 100, 100]
        );
        assert_eq!(percent(u64::MAX - 1, u64::MAX), 99);
    }
}
