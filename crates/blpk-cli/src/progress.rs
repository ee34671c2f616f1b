//! How far is the work? A bar on stderr, where somebody looks and has waited long enough to wonder.

use crate::size::pretty_size;
use crate::verbosity::Level;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt;
use std::io::{self, IsTerminal as _, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is done sooner needs no bar.
const DELAY: Duration = Duration::from_millis(500);

/// The progress of one run, by bytes of its inputs. Without a bar to show, nothing is counted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress(Option<Arc<Mutex<State>>>);

#[derive(Debug)]
struct State {
    since: Instant,
    total: Option<u64>,
    /// Bytes of the files before this one.
    before: u64,
    /// The file's name, its size as far as it is known, and how much of it is done.
    name: Arc<Mutex<String>>,
    size: Option<u64>,
    done: u64,
    /// Whether steps are counted, not bytes.
    steps: bool,
    /// As soon as it shows.
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A bar, if stderr is a terminal that can move its cursor and nothing else is printed there.
    pub(crate) fn new(level: Level) -> Progress {
        let is_dumb = || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let wanted = level == Level::Normal && io::stderr().is_terminal() && !is_dumb();
        let state = || State {
            since: Instant::now(),
            total: None,
            before: 0,
            name: Arc::default(),
            size: None,
            done: 0,
            steps: false,
            bar: None,
        };
        Progress(wanted.then(|| Arc::new(Mutex::new(state()))))
    }

    fn state(&self) -> Option<MutexGuard<'_, State>> {
        self.0.as_ref().map(|state| state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Work on so many bytes begins, `None` if it is not known how many.
    pub(crate) fn begin(&self, total: Option<u64>) {
        if let Some(mut state) = self.state() {
            (state.total, state.since) = (total, Instant::now());
        }
    }

    /// The next file.
    pub(crate) fn file(&self, name: impl std::fmt::Display, size: Option<u64>) {
        if let Some(mut state) = self.state() {
            state.before += state.size.unwrap_or(state.done);
            state.set_name(&name);
            (state.size, state.done) = (size, 0);
            state.show();
        }
    }

    /// The next of some steps that each take long; so many are done.
    pub(crate) fn step(&self, done: u64, all: u64, name: impl fmt::Display) {
        if let Some(mut state) = self.state() {
            state.set_name(&name);
            (state.steps, state.total, state.done) = (true, Some(all), done);
            state.show();
        }
    }

    /// So many more of the file's bytes are done.
    pub(crate) fn add(&self, nbytes: u64) {
        if let Some(mut state) = self.state() {
            state.done = state.done.saturating_add(nbytes);
            state.show();
        }
    }

    /// So many of all the plain bytes are done, and as large a part of the file.
    pub(crate) fn is_at(&self, done: u64, all: u64) {
        if let Some(mut state) = self.state() {
            let share = done as f64 / all.max(1) as f64;
            state.done = state.size.map_or(done, |size| (size as f64 * share) as u64);
            state.show();
        }
    }

    /// `output`, counting what goes through it: `all` bytes in the end.
    pub(crate) fn watch<W: Write>(&self, output: W, all: u64) -> Watched<'_, W> {
        Watched { progress: self, output, all, done: 0 }
    }

    /// `input`, counting what is read of it as done.
    pub(crate) fn count<R: Read>(&self, input: R) -> Counted<'_, R> {
        Counted { progress: self, input }
    }

    /// Prints something else: the bar makes way for it.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        let bar = self.state().and_then(|state| state.bar.clone());
        match bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        if let Some(bar) = self.state().and_then(|mut state| state.bar.take()) {
            bar.finish_and_clear();
        }
    }
}

impl State {
    fn set_name(&mut self, name: &impl fmt::Display) {
        // A name may hold anything; a bar is one line.
        *self.name.lock().unwrap_or_else(PoisonError::into_inner) = name.to_string().replace(char::is_control, "?");
    }

    fn show(&mut self) {
        let waited = self.since.elapsed();
        if waited < DELAY && !self.steps {
            return;
        }
        let position = self.before.saturating_add(self.size.map_or(self.done, |size| size.min(self.done)));
        let bar = self.bar.get_or_insert_with(|| {
            // Without a place to draw until it has its position and its name.
            let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::hidden());
            bar.set_style(style(self.name.clone(), self.steps));
            bar.with_elapsed(waited)
        });
        bar.set_position(position);
        if bar.is_hidden() {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.tick();
        } else if self.steps {
            bar.tick(); // they are few: each is shown
        }
    }
}

/// How it looks. Speed and the time that is left are those of the whole run: it does not begin with the bar.
fn style(name: Arc<Mutex<String>>, steps: bool) -> ProgressStyle {
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
        let _ = text.write_str(&fitted(&name, share, &figures, columns())); // a string takes everything
    };
    // The template is ours and good; the default style would do as well.
    let style = ProgressStyle::with_template("{line}").unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("line", line)
}

/// How many hundredths of the work are done, rounded down: 100 only when it is complete.
fn percent(done: u64, all: u64) -> u64 {
    let percent = u128::from(done) * 100 / u128::from(all.max(1));
    percent.min(100) as u64 // fits
}

/// Name, bar and figures in `columns` columns. If they do not fit, the middle of the name goes first, then a part of the bar,
/// then the bar. No colours, so there is nothing for `NO_COLOR` to switch off.
fn fitted(name: &str, share: Option<f64>, figures: &str, columns: usize) -> String {
    /// Columns of the bar without its ends: the most, and the least that is shown.
    const BAR: usize = 24;
    const SHORT_BAR: usize = 8;
    /// A longer name is shortened to this before the bar is.
    const SHORT_NAME: usize = 16;
    let short_name = width(name).min(SHORT_NAME);
    // Two ends of the bar, and a space on each side of it.
    let room = columns.saturating_sub(width(figures) + 4);
    let bar = room.saturating_sub(short_name).min(BAR);
    match share {
        Some(share) if bar >= SHORT_BAR => format!("{} {} {figures}", shortened(name, room - bar), drawn(share, bar)),
        _ if width(name) + 1 + width(figures) <= columns => format!("{name} {figures}"),
        // Of a name at least two letters from each end, and a mark that there are others.
        _ => match columns.checked_sub(width(figures) + 1).filter(|room| *room >= 5) {
            Some(room) => format!("{} {figures}", shortened(name, room)),
            None => taken(figures.chars(), columns),
        },
    }
}

/// The bar: `[=====>    ]`.
fn drawn(share: f64, columns: usize) -> String {
    let full = ((columns as f64 * share) as usize).min(columns);
    let head = if full < columns { ">" } else { "" };
    format!("[{}{head}{}]", "=".repeat(full), " ".repeat((columns - full).saturating_sub(1)))
}

/// The two ends of a name that takes more columns than there are.
fn shortened(name: &str, columns: usize) -> String {
    if width(name) <= columns {
        return name.to_owned();
    }
    let head = taken(name.chars(), columns / 2);
    let tail: String = taken(name.chars().rev(), columns - 1 - columns / 2).chars().rev().collect();
    format!("{head}…{tail}")
}

/// As many letters as fit.
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

/// Letters from the East take two columns; what stands behind them may. One too many only makes the line shorter.
fn columns_of(c: char) -> usize {
    if c >= '\u{1100}' && c != '…' { 2 } else { 1 }
}

/// How wide the terminal is now.
#[cfg(unix)]
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stderr());
    size.ok().map(|size| size.ws_col.into()).filter(|columns| *columns > 0).unwrap_or(80)
}

#[cfg(not(unix))]
fn columns() -> usize {
    80
}

/// A writer that tells how far it is.
pub(crate) struct Watched<'a, W> {
    progress: &'a Progress,
    output: W,
    all: u64,
    done: u64,
}

impl<W: Write> Write for Watched<'_, W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let written = self.output.write(buf)?;
        self.done += written as u64;
        self.progress.is_at(self.done, self.all);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// A reader that tells how far it is.
pub(crate) struct Counted<'a, R> {
    progress: &'a Progress,
    input: R,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buf)?;
        self.progress.add(read as u64);
        Ok(read)
    }
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
