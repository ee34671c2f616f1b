//! The time limit: readers and writers that fail when it is over.

use std::io::{self, Read, Write};
use std::time::Instant;

/// The time at which the work must end, if there is a limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline(pub(super) Option<Instant>);

/// The error that the time is over.
#[derive(Debug, thiserror::Error)]
#[error("the time is over")]
struct Over;

impl Deadline {
    pub(super) fn is_over(self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }

    /// Returns the remaining seconds, or infinity without a limit.
    pub(super) fn left(self) -> f64 {
        self.0.map_or(f64::INFINITY, |end| end.saturating_duration_since(Instant::now()).as_secs_f64())
    }

    fn check(self) -> io::Result<()> {
        if self.is_over() { Err(io::Error::other(Over)) } else { Ok(()) }
    }

    /// Whether an error means that the time is over.
    pub(super) fn ended(error: &anyhow::Error) -> bool {
        let is_over = |error: &(dyn std::error::Error + 'static)| {
            let io = error.downcast_ref::<io::Error>();
            io.and_then(io::Error::get_ref).is_some_and(|inner| inner.is::<Over>())
        };
        error.chain().any(is_over)
    }
}

/// A reader or writer that fails when the time is over. The time is checked for each chunk.
#[derive(Debug)]
pub(super) struct Until<T>(pub(super) T, pub(super) Deadline);

impl<T: Read> Read for Until<T> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.1.check()?;
        self.0.read(buf)
    }
}

impl<T: Write> Write for Until<T> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.1.check()?;
        self.0.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn nothing_is_read_when_the_time_is_over() {
        let over = Deadline(Instant::now().checked_sub(Duration::from_millis(1)));
        let error = Until(io::empty(), over).read(&mut [0]).unwrap_err();
        assert!(Deadline::ended(&anyhow::Error::from(error).context("measuring")));
        assert!(Until(io::sink(), Deadline(None)).write(b"x").is_ok() && Deadline(None).left() > 1e9);
        assert!(!Deadline::ended(&anyhow::anyhow!("something else")));
    }
}
