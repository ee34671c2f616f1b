//! The uncommitted changes of a frame, and the store to which they are written.

use bloscpack_format::FormatError;
use bloscpack_format::frame::{ChunkTarget, Edit, Frame, Grid, Plan, Step};

use super::current::CurrentChunks;
use crate::Error;
use crate::formats::frame::store::FrameStore;

/// Changes that are committed as a whole. Chunks are written at once, where readers of the old frame do not look.
#[derive(Debug)]
pub(super) struct Transaction<S> {
    store: S,
    /// `None` after an error.
    edit: Option<Edit>,
    /// The length of the file at the last commit, if known: new bytes follow it.
    committed_len: Option<u64>,
    /// The chunk files that were written since the last commit.
    new_files: Vec<u32>,
    /// Whether the number of chunks must fit the shape of an array.
    checks_shape: bool,
}

impl<S: FrameStore> Transaction<S> {
    /// Starts to change the frame in `store`.
    pub(super) fn new(store: S, edit: Edit) -> Self {
        let committed_len = store.len().ok();
        Transaction { committed_len, store, edit: Some(edit), new_files: Vec::new(), checks_shape: true }
    }

    /// Commits arrays whose number of chunks does not match their shape.
    pub(super) fn sequence(self) -> Self {
        Transaction { checks_shape: false, ..self }
    }

    /// Returns the frame after the next commit.
    pub(super) fn frame(&self) -> Result<&Frame, Error> {
        self.edit.as_ref().map(Edit::frame).ok_or(Error::EditFailed)
    }

    /// Returns the chunks of that frame.
    pub(super) fn chunks(&self) -> Result<CurrentChunks<'_, S>, Error> {
        let edit = self.edit.as_ref().ok_or(Error::EditFailed)?;
        Ok(CurrentChunks::new(edit, &self.store))
    }

    /// Returns the store, for reading or for completing it after a commit.
    pub(super) fn store_mut(&mut self) -> &mut S {
        &mut self.store
    }

    /// Returns the store, for reading.
    pub(super) fn store(&self) -> &S {
        &self.store
    }

    /// Returns the store.
    pub(super) fn into_store(self) -> S {
        self.store
    }

    /// Applies a change to the uncommitted edit. After an error the edit is dropped, and nothing can be committed.
    pub(super) fn change<T>(&mut self, change: impl FnOnce(&mut Edit) -> Result<T, FormatError>) -> Result<T, Error> {
        let mut edit = self.edit.take().ok_or(Error::EditFailed)?;
        let done = change(&mut edit).map_err(|error| match error {
            // Damage of the old frame has errors of its own. Other numbers come from the caller.
            FormatError::OutOfRange { .. } => Error::argument(error),
            error => Error::Format(error),
        })?;
        self.edit = Some(edit);
        Ok(done)
    }

    /// Writes the bytes of a chunk. After an error, and after a panic of the store, nothing can be committed.
    pub(super) fn write(&mut self, place: Option<ChunkTarget>, bytes: &[u8]) -> Result<(), Error> {
        let edit = self.edit.take().ok_or(Error::EditFailed)?;
        let written = match place {
            Some(ChunkTarget::At(at)) => self.store.write_at(at, bytes),
            Some(ChunkTarget::File(number)) => {
                self.new_files.push(number);
                self.store.write_chunk_file(number, bytes)
            }
            None => Ok(()),
        };
        if let Err(error) = written {
            self.roll_back();
            return Err(Error::io("writing a chunk of the frame")(error));
        }
        self.edit = Some(edit);
        Ok(())
    }

    /// Commits the changes by one write or one rename.
    pub(super) fn commit(&mut self) -> Result<(), Error> {
        // An array whose number of chunks does not match its shape could not be opened again.
        if self.checks_shape
            && let Err(error) = self.frame().and_then(|frame| Ok(Grid::of(frame)?))
        {
            self.roll_back();
            return Err(Error::argument(error));
        }
        let Plan { frame, steps } = self.edit.take().ok_or(Error::EditFailed)?.finish().map_err(Error::argument)?;
        let mut is_decided = false;
        for step in steps {
            if let Err(error) = self.execute(step, &mut is_decided) {
                if is_decided {
                    // The commit may have happened, so nothing that it refers to may be removed later.
                    (self.committed_len, self.new_files) = (None, Vec::new());
                } else {
                    self.roll_back();
                }
                return Err(Error::io("writing the frame")(error));
            }
        }
        self.committed_len = self.store.len().ok();
        self.new_files.clear();
        self.edit = Some(Edit::new(frame)?);
        Ok(())
    }

    /// Drops the changes, and removes what was written for them. Best effort: leftover bytes are harmless, but take up
    /// space. They stay if the thread is panicking, because the store may panic a second time, which aborts.
    pub(super) fn roll_back(&mut self) {
        self.edit = None;
        if std::thread::panicking() {
            return;
        }
        if let (Some(before), Ok(len)) = (self.committed_len, self.store.len())
            && len > before
        {
            let _ = self.store.set_len(before);
        }
        for number in std::mem::take(&mut self.new_files) {
            let _ = self.store.remove_chunk_file(number);
        }
    }

    /// Executes a step. Sets `is_decided` as soon as readers may see the new frame.
    fn execute(&mut self, step: Step, is_decided: &mut bool) -> std::io::Result<()> {
        let store = &mut self.store;
        match step {
            Step::Write { at, bytes } => store.write_at(at, &bytes),
            Step::WriteFile { number, bytes } => {
                self.new_files.push(number);
                store.write_chunk_file(number, &bytes)
            }
            Step::Commit { at, bytes } => {
                // After an error it is unknown how much was written.
                *is_decided = true;
                store.write_at(at, &bytes)
            }
            Step::SetLen { len } => store.set_len(len),
            Step::Sync => store.sync(),
            Step::Replace { bytes } => {
                let replaced = store.replace(&bytes);
                *is_decided = replaced.is_ok() || holds(store, &bytes);
                replaced
            }
            Step::Remove { number } => {
                // The change is already committed. A leftover file is harmless, and compacting removes it.
                let _ = store.remove_chunk_file(number);
                Ok(())
            }
        }
    }
}

/// Returns whether a store contains exactly these bytes although replacing them failed.
fn holds(store: &impl FrameStore, bytes: &[u8]) -> bool {
    // In small pieces on the stack: the answer must not depend on available memory.
    let mut found = [0; 4096];
    let mut is_next = |(at, piece): (u64, &[u8])| {
        let found = found.get_mut(..piece.len()).unwrap_or_default();
        store.read_exact_at(at, found).is_ok() && *found == *piece
    };
    store.len().is_ok_and(|len| len == bytes.len() as u64)
        && (0..).step_by(4096).zip(bytes.chunks(4096)).all(&mut is_next)
}
