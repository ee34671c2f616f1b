//! The text of the progress line.

use super::line::{fitted, percent};
use crate::size::pretty_size;
use indicatif::{ProgressState, ProgressStyle};
use std::fmt;
#[cfg(unix)]
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The style of the bar. Speed and remaining time are those of the whole run, which starts before the bar.
pub(super) fn style(name: Arc<Mutex<String>>, steps: bool) -> ProgressStyle {
    let line = move |state: &ProgressState, text: &mut dyn fmt::Write| {
        let (done, elapsed) = (state.pos(), state.elapsed().as_secs_f64());
        let rate = done as f64 / elapsed.max(0.001);
        let left = |all: u64| (all.saturating_sub(done) as f64 / rate).ceil();
        let figures = match state.len() {
            Some(all) if steps && done == 0 => format!("{done} of {all}, 0%"),
            Some(all) if steps => format!("{done} of {all}, {}%, {}s left", percent(done, all), left(all)),
            Some(all) => {
                let (of, speed, left) = (pretty_size(all), pretty_size(rate as u64), left(all).min(1e9));
                format!("{}% {}/{of}, {speed}/s, {left}s left", percent(done, all), pretty_size(done))
            }
            None => format!("{}, {}/s, {}s", pretty_size(done), pretty_size(rate as u64), elapsed as u64),
        };
        let share = state.len().map(|all| done as f64 / all.max(1) as f64);
        let name = name.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = text.write_str(&fitted(&name, share, &figures, columns())); // writing to a string cannot fail
    };
    // The template is a valid constant. The default style is an acceptable fallback.
    let style = ProgressStyle::with_template("{line}").unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("line", line)
}

/// The current width of the terminal.
#[cfg(unix)]
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stderr());
    size.ok().map(|size| size.ws_col.into()).filter(|columns| *columns > 0).unwrap_or(80)
}

#[cfg(not(unix))]
fn columns() -> usize {
    80
}
