//! A file from a server without ranges: read from the start on, as far as it is needed, to a temporary file.

use std::io::{self, Read, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::client::Client;
use super::failure::Failure;
use super::response::of_body;
use crate::fs::spool::{self, Spool};
use crate::source::ReadAt;

/// Number of bytes that are read at a time.
const PIECE: usize = 256 << 10;

/// The file, as far as it has been read.
pub(super) struct Spooled {
    client: Arc<Client>,
    state: Mutex<State>,
}

struct State {
    spool: Spool,
    got: u64,
    /// The length, if the server stated it or the end was reached.
    len: Option<u64>,
    /// `None` after the end or a failure.
    body: Option<Box<dyn Read + Send>>,
    failed: Option<(io::ErrorKind, String)>,
}

impl Spooled {
    pub(super) fn new(client: &Arc<Client>, len: Option<u64>, body: Box<dyn Read + Send>) -> io::Result<Spooled> {
        check(client, len.unwrap_or(0))?;
        let spool = spool::create("creating a temporary file").map_err(io::Error::from)?;
        let state = Mutex::new(State { spool, got: 0, len, body: Some(body), failed: None });
        Ok(Spooled { client: Arc::clone(client), state })
    }

    /// Returns the length. If the server did not state it, the file is read to its end.
    pub(super) fn len(&self) -> io::Result<u64> {
        let mut state = self.state();
        if state.len.is_none() {
            state.read_until(u64::MAX, &self.client)?;
        }
        Ok(state.len.unwrap_or(state.got))
    }

    pub(super) fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let end = offset.saturating_add(buf.len() as u64);
        let mut state = self.state();
        state.read_until(end, &self.client)?;
        if state.got < end {
            let text = format!("it ends after {} bytes, expected {end}", state.got);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
        }
        ReadAt::read_exact_at(&state.spool, offset, buf)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Refuses a file that is too large for a temporary one.
fn check(client: &Client, len: u64) -> io::Result<()> {
    let limit = client.options.max_spool;
    if len <= limit {
        return Ok(());
    }
    let text =
        format!("the server has no ranges, and more than the limit of {limit} bytes would go to a temporary file");
    Err(io::Error::new(io::ErrorKind::FileTooLarge, text))
}

impl State {
    /// Reads on. After a failure there is nothing to continue from, so it is the answer to all later reads.
    fn read_until(&mut self, end: u64, client: &Client) -> io::Result<()> {
        if let Some((kind, text)) = self.failed.clone().filter(|_| self.got < end) {
            return Err(io::Error::new(kind, text));
        }
        let read = self.read_on(end, client);
        if let Err(error) = &read {
            self.failed = Some((error.kind(), error.to_string()));
        }
        client.check().and(read)
    }

    fn read_on(&mut self, end: u64, client: &Client) -> io::Result<()> {
        let mut piece = Vec::new();
        while self.got < end
            && let Some(mut body) = self.body.take()
        {
            client.check()?;
            blosc_core::memory::resize(&mut piece, PIECE, 0)?;
            let read = body.read(&mut piece).map_err(|error| match of_body(error) {
                Failure::Again { error, .. } | Failure::Final(error) => error,
            });
            let read = client.check().and(read)?;
            if read == 0 {
                return self.at_end();
            }
            client.count(read);
            self.got += read as u64;
            check(client, self.got)?;
            self.spool.write_all(piece.get(..read).unwrap_or_default())?;
            self.body = Some(body);
        }
        Ok(())
    }

    fn at_end(&mut self) -> io::Result<()> {
        match self.len {
            Some(len) if len != self.got => {
                let text = format!("the connection ended after {} of {len} bytes", self.got);
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, text))
            }
            _ => {
                self.len = Some(self.got);
                Ok(())
            }
        }
    }
}
