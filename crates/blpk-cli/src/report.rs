//! Prints all texts. Lines of stdout start with `blpk: `; an error is one line of stderr that starts with `blpk: error: `.

use crate::progress::Progress;
use crate::verbosity::Level;
use anyhow::Context as _;
use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Mutex, PoisonError};

const PREFIX: &str = "blpk: ";

/// Size in bytes of the pieces in which a text is assembled: texts may be as large as metadata.
const PIECE: usize = 16 << 10;

/// Prints texts. A failure to print does not stop the work; [`Report::finish`] returns it.
#[derive(Debug, Clone)]
pub(crate) struct Report(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    level: Level,
    to_stderr: bool,
    progress: Progress,
    failed: Mutex<Option<io::Error>>,
}

impl Report {
    /// With `to_stderr`, texts go to stderr, because stdout carries data.
    pub(crate) fn new(level: Level, to_stderr: bool) -> Report {
        Report(Arc::new(Inner { level, to_stderr, progress: Progress::default(), failed: Mutex::new(None) }))
    }

    /// Creates a report with a progress bar, which is hidden while other text is printed.
    pub(crate) fn with_progress(level: Level, to_stderr: bool) -> Report {
        Report(Arc::new(Inner { level, to_stderr, progress: Progress::new(level), failed: Mutex::new(None) }))
    }

    /// Returns the progress of the work.
    pub(crate) fn progress(&self) -> &Progress {
        &self.0.progress
    }

    /// Prints the error of one of several files.
    pub(crate) fn error(&self, message: &str) {
        self.0.progress.aside(|| error(message));
    }

    /// Prints a warning on one line of stderr, unless only errors are printed.
    pub(crate) fn warning(&self, message: &str) {
        if self.prints(Level::Normal) {
            self.aside("warning", message);
        }
    }

    /// Whether texts other than errors are printed, and stderr is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.prints(Level::Normal) && io::stderr().is_terminal()
    }

    /// Prints a hint on one line of stderr. Only people on a terminal should get one: [`Report::is_terminal`].
    pub(crate) fn hint(&self, message: &str) {
        self.aside("hint", message);
    }

    fn aside(&self, kind: &str, message: &str) {
        let line = format!("{PREFIX}{kind}: {}\n", escaped(message.trim_end()));
        // Best effort, as for errors: a closed stderr does not stop the work.
        self.0.progress.aside(|| drop(io::stderr().write_all(line.as_bytes())));
    }

    /// Prints the lines of a text; empty ones are dropped.
    pub(crate) fn normal(&self, text: impl AsRef<str>) {
        self.print(Level::Normal, text.as_ref());
    }

    /// Prints with `-v`.
    pub(crate) fn verbose(&self, text: impl AsRef<str>) {
        self.print(Level::Verbose, text.as_ref());
    }

    /// Prints with `-d`.
    pub(crate) fn debug(&self, text: impl AsRef<str>) {
        self.print(Level::Debug, text.as_ref());
    }

    /// Whether this level is printed. Callers can skip building costly texts otherwise.
    pub(crate) fn prints(&self, level: Level) -> bool {
        level <= self.0.level
    }

    /// Prints a text for programs, unchanged and without prefix.
    pub(crate) fn raw(&self, text: &str) {
        self.raw_bytes(text.as_bytes());
    }

    /// Like [`Report::raw`], for bytes that may not be text, such as file names.
    pub(crate) fn raw_bytes(&self, bytes: &[u8]) {
        self.write(bytes);
    }

    /// Whether printing has failed, so that long output can stop.
    pub(crate) fn is_broken(&self) -> bool {
        self.0.failed.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn print(&self, level: Level, text: &str) {
        if self.prints(level) {
            let mut buffer = String::new();
            for line in text.split('\n').filter(|line| !line.is_empty()) {
                buffer.push_str(PREFIX);
                for c in line.chars() {
                    escape(c, &mut buffer);
                    if buffer.len() >= PIECE {
                        self.raw(&buffer);
                        buffer.clear();
                    }
                }
                buffer.push('\n');
            }
            self.raw(&buffer);
        }
    }

    fn write(&self, bytes: &[u8]) {
        let written = self.0.progress.aside(|| match self.0.to_stderr {
            true => io::stderr().write_all(bytes),
            false => io::stdout().write_all(bytes),
        });
        if let Err(error) = written {
            self.0.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    /// Flushes the output and returns the first failure to print. A reader that closed the pipe is no failure.
    pub(crate) fn finish(&self) -> anyhow::Result<()> {
        self.0.progress.end();
        let flushed = io::stdout().flush();
        let failed = self.0.failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        match failed.map_or(flushed, Err) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result.context("printing"),
        }
    }
}

/// Prints an error, whatever characters it holds, on one line of stderr.
pub(crate) fn error(message: &str) {
    let line = format!("{PREFIX}error: {}\n", escaped(message.trim_end()));
    // Best effort: stderr may be closed.
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Escapes a line so that it stays one line and cannot control the terminal. File names and texts from files may hold
/// any characters.
fn escaped(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    line.chars().for_each(|c| escape(c, &mut escaped));
    escaped
}

fn escape(c: char, escaped: &mut String) {
    if c.is_control() {
        escaped.extend(c.escape_default());
    } else {
        escaped.push(c);
    }
}
