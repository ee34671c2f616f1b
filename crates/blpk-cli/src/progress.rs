//! How far is the work? A bar on stderr, where somebody looks and has waited long enough to wonder.

use crate::report::Level;
use indicatif::{BinaryBytes, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt;
use std::io::{self, IsTerminal as _, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is done sooner needs no bar.
const DELAY: Duration = Duration::from_millis(500);

/// No colours, so there is nothing for `NO_COLOR` to switch off.
const WITH_TOTAL: &str = "{msg} [{bar:24}] {bytes}/{total_bytes}, {speed}, {left} left";
const WITHOUT_TOTAL: &str = "{msg} {bytes}, {speed}, {elapsed}";

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
    name: String,
    size: Option<u64>,
    done: u64,
    /// As soon as it shows.
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A bar, if stderr is a terminal that can move its cursor and nothing else is printed there.
    pub(crate) fn new(level: Level) -> Progress {
        let is_dumb = || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let wanted = level == Level::Normal && io::stderr().is_terminal() && !is_dumb() && !crate::args::no_progress();
        let state = || State {
            since: Instant::now(),
            total: None,
            before: 0,
            name: String::new(),
            size: None,
            done: 0,
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
            // A name may hold anything; a bar is one line.
            state.name = name.to_string().replace(char::is_control, "?");
            (state.size, state.done) = (size, 0);
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
    fn show(&mut self) {
        let waited = self.since.elapsed();
        if waited < DELAY {
            return;
        }
        let position = self.before.saturating_add(self.size.map_or(self.done, |size| size.min(self.done)));
        let bar = self.bar.get_or_insert_with(|| {
            // Without a place to draw until it has its position and its name.
            let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::hidden());
            bar.set_style(style(self.total.is_some()));
            bar.with_elapsed(waited)
        });
        if bar.message() != self.name {
            bar.set_message(self.name.clone());
        }
        bar.set_position(position);
        if bar.is_hidden() {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.tick();
        }
    }
}

/// How it looks. Speed and the time that is left are those of the whole run: it does not begin with the bar.
fn style(has_total: bool) -> ProgressStyle {
    let template = if has_total { WITH_TOTAL } else { WITHOUT_TOTAL };
    // The template is ours and good; the default style would do as well.
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let rate = |state: &ProgressState| state.pos() as f64 / state.elapsed().as_secs_f64().max(0.001);
    let speed = move |state: &ProgressState, text: &mut dyn fmt::Write| {
        let _ = write!(text, "{}/s", BinaryBytes(rate(state) as u64)); // a string takes everything
    };
    let left = move |state: &ProgressState, text: &mut dyn fmt::Write| {
        let bytes = state.len().unwrap_or(0).saturating_sub(state.pos());
        let _ = write!(text, "{}s", (bytes as f64 / rate(state).max(1.0)).ceil());
    };
    style.with_key("speed", speed).with_key("left", left).progress_chars("=> ")
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
