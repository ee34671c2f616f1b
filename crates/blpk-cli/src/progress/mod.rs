//! The progress bar on stderr, shown on terminals for runs that take long.
//!
//! | file | contents |
//! |---|---|
//! | `style` | the text of the line |
//! | `line` | the layout of the line: name, bar and figures |
//! | `watched` | readers and writers that count their bytes as progress |

mod line;
mod style;
mod watched;

use self::style::style;
use crate::verbosity::Level;
use indicatif::{ProgressBar, ProgressDrawTarget};
use std::fmt;
use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Minimum duration of runs that show a bar.
const DELAY: Duration = Duration::from_millis(500);

/// The progress of one run, by bytes of its inputs. Without a bar, nothing is counted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress(Option<Arc<Mutex<State>>>);

#[derive(Debug)]
struct State {
    since: Instant,
    total: Option<u64>,
    /// Bytes of the preceding files.
    before: u64,
    /// The current file: its name, its size if known, and the bytes that are done.
    name: Arc<Mutex<String>>,
    size: Option<u64>,
    done: u64,
    /// Whether steps are counted instead of bytes.
    steps: bool,
    /// The bar, once it is shown.
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Creates a progress with a bar, if stderr is a terminal that can move its cursor and no other level of output is
    /// printed there.
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

    /// Begins work on `total` bytes; `None` if the number is unknown.
    pub(crate) fn begin(&self, total: Option<u64>) {
        if let Some(mut state) = self.state() {
            (state.total, state.since) = (total, Instant::now());
        }
    }

    /// Begins the next file.
    pub(crate) fn file(&self, name: impl std::fmt::Display, size: Option<u64>) {
        if let Some(mut state) = self.state() {
            state.before += state.size.unwrap_or(state.done);
            state.set_name(&name);
            (state.size, state.done) = (size, 0);
            state.show();
        }
    }

    /// Begins the next of `all` long steps, after `done` of them.
    pub(crate) fn step(&self, done: u64, all: u64, name: impl fmt::Display) {
        if let Some(mut state) = self.state() {
            state.set_name(&name);
            (state.steps, state.total, state.done) = (true, Some(all), done);
            state.show();
        }
    }

    /// Adds `nbytes` bytes of the file to those that are done.
    pub(crate) fn add(&self, nbytes: u64) {
        if let Some(mut state) = self.state() {
            state.done = state.done.saturating_add(nbytes);
            state.show();
        }
    }

    /// Sets the progress to `done` of `all` uncompressed bytes, and to the same share of the file.
    pub(crate) fn is_at(&self, done: u64, all: u64) {
        if let Some(mut state) = self.state() {
            let share = done as f64 / all.max(1) as f64;
            state.done = state.size.map_or(done, |size| (size as f64 * share) as u64);
            state.show();
        }
    }

    /// Runs `print` with the bar hidden.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        let bar = self.state().and_then(|state| state.bar.clone());
        match bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Removes the bar.
    pub(crate) fn end(&self) {
        if let Some(bar) = self.state().and_then(|mut state| state.bar.take()) {
            bar.finish_and_clear();
        }
    }
}

impl State {
    fn set_name(&mut self, name: &impl fmt::Display) {
        // A name may hold control characters, but the bar must stay one line.
        *self.name.lock().unwrap_or_else(PoisonError::into_inner) = name.to_string().replace(char::is_control, "?");
    }

    fn show(&mut self) {
        let waited = self.since.elapsed();
        if waited < DELAY && !self.steps {
            return;
        }
        let position = self.before.saturating_add(self.size.map_or(self.done, |size| size.min(self.done)));
        let bar = self.bar.get_or_insert_with(|| {
            // Hidden until the position and the name are set.
            let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::hidden());
            bar.set_style(style(self.name.clone(), self.steps));
            bar.with_elapsed(waited)
        });
        bar.set_position(position);
        if bar.is_hidden() {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.tick();
        } else if self.steps {
            bar.tick(); // there are few steps: show each
        }
    }
}
