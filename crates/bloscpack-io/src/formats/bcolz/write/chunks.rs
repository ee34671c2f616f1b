//! The chunk files of a carray that is being changed.
//!
//! A chunk that readers of the disk can see is staged. A chunk after those is written under its final name at once:
//! readers do not look for it before `meta/sizes` counts its rows.

use std::collections::BTreeMap;

use blosc_core::{Decoder, Encoder, max_cbytes, memory};
use bloscpack_format::bcolz::{
    ChunkFileHeader, DATA_DIR, JournalStep, Storage, chunk_file_name, quantize, staged_name,
};

use super::meta::MetaEdit;
use super::params;
use super::subdirectory::Subdirectory;
use crate::Error;
use crate::formats::bcolz::store::Directory;

/// The chunks that were written since the last flush, and their files.
pub(super) struct Chunks {
    /// Staged chunks by their number.
    staged: BTreeMap<u64, StagedChunk>,
    /// Chunks after the last one on the disk: their compressed sizes by their number.
    appended: BTreeMap<u64, u64>,
    /// Upper bound of the numbers of all chunk files, leftover ones included.
    end: u64,
    /// Created when the first chunk is compressed.
    encoder: Option<Encoder>,
}

#[derive(Debug, Clone, Copy)]
struct StagedChunk {
    /// The number of the staged file.
    number: u64,
    cbytes: u64,
}

impl Chunks {
    /// The chunk files of a carray with `nchunks` chunks on the disk.
    pub(super) fn new(nchunks: u64) -> Self {
        Chunks { staged: BTreeMap::new(), appended: BTreeMap::new(), end: nchunks, encoder: None }
    }

    /// [`Chunks::new`], and finds leftover files: chunks that were removed by a process that was killed meanwhile.
    pub(super) fn open<D: Directory>(dir: &Subdirectory<D>, nchunks: u64) -> Self {
        let mut chunks = Chunks::new(nchunks);
        while dir.root().dir.open(&dir.path(&chunk_file_name(chunks.end))).is_ok() {
            chunks.end += 1;
        }
        chunks
    }

    /// Returns the encoder of new chunks.
    ///
    /// # Errors
    /// [`Error::CarrayParams`] if chunks cannot be compressed as `meta/storage` specifies.
    pub(super) fn encoder(&mut self, storage: &Storage) -> Result<&mut Encoder, Error> {
        match self.encoder {
            Some(ref mut encoder) => Ok(encoder),
            None => Ok(self.encoder.insert(params::encoder(storage)?)),
        }
    }

    /// Reads the uncompressed bytes of the first `rows` rows of a chunk.
    pub(super) fn read<D: Directory>(
        &self,
        dir: &Subdirectory<D>,
        meta: &MetaEdit,
        chunk: u64,
        rows: u64,
    ) -> Result<Vec<u8>, Error> {
        let (root, meta) = (dir.root(), meta.meta());
        let path = match self.staged.get(&chunk) {
            Some(staged) => staged_name(staged.number),
            None => dir.path(&chunk_file_name(chunk)),
        };
        let decode = || -> Result<Vec<u8>, Error> {
            let bytes = meta.read_chunk_file(&root.dir, &path, chunk, &root.limits)?;
            // A chunk has less than 2 GiB.
            let nbytes = (rows * meta.rows.atomsize()) as usize;
            let mut decoder = Decoder::new().limits(root.limits);
            let decoded = meta.decode_fetched(&mut decoder, &bytes, std::slice::from_ref(&(0..nbytes)));
            decoded.map_err(|source| Error::Chunk { chunk, offset: ChunkFileHeader::LEN as u64, source })
        };
        decode().map_err(|error| error.in_file(root.dir.name(&path)))
    }

    /// Compresses a chunk and writes its file.
    pub(super) fn write<D: Directory>(
        &mut self,
        dir: &Subdirectory<D>,
        meta: &mut MetaEdit,
        chunk: u64,
        plain: Vec<u8>,
    ) -> Result<(), Error> {
        let storage = &meta.meta().storage;
        let bytes = chunk_file(self.encoder(storage)?, storage, plain)?;
        self.write_file(dir, meta, chunk, &bytes)
    }

    /// Writes the file of a chunk from its bytes.
    pub(super) fn write_file<D: Directory>(
        &mut self,
        dir: &Subdirectory<D>,
        meta: &mut MetaEdit,
        chunk: u64,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let root = dir.root();
        let cbytes = bytes.len().saturating_sub(ChunkFileHeader::LEN) as u64;
        let old = self.cbytes_of(dir, meta, chunk);
        if chunk < meta.committed_rows().nchunks() {
            let number = match self.staged.get(&chunk) {
                Some(staged) => staged.number,
                None => root.number()?,
            };
            root.write(&staged_name(number), bytes)?;
            self.staged.insert(chunk, StagedChunk { number, cbytes });
        } else {
            root.write(&dir.path(&chunk_file_name(chunk)), bytes)?;
            self.appended.insert(chunk, cbytes);
            self.end = self.end.max(chunk.saturating_add(1));
        }
        meta.count_cbytes(cbytes, old);
        Ok(())
    }

    /// Forgets a chunk that is removed. Its file stays until the next flush.
    pub(super) fn remove<D: Directory>(&mut self, dir: &Subdirectory<D>, meta: &mut MetaEdit, chunk: u64) {
        let gone = self.cbytes_of(dir, meta, chunk);
        meta.count_cbytes(0, gone);
        self.staged.remove(&chunk);
        self.appended.remove(&chunk);
    }

    /// Returns whether chunks are staged.
    pub(super) fn has_staged(&self) -> bool {
        !self.staged.is_empty()
    }

    /// Schedules the names of appended files to become durable with the next sync.
    pub(super) fn sync_later<D: Directory>(&self, dir: &Subdirectory<D>) {
        if !self.appended.is_empty() {
            dir.root().sync_later(dir.dir(DATA_DIR));
        }
    }

    /// Returns the steps that move the staged chunks to their final names.
    pub(super) fn moves<D: Directory>(&self, dir: &Subdirectory<D>) -> Vec<JournalStep> {
        let step = |(chunk, staged): (&u64, &StagedChunk)| JournalStep::Move {
            from: staged.number,
            to: dir.path(&chunk_file_name(*chunk)),
        };
        self.staged.iter().map(step).collect()
    }

    /// Returns the steps that remove all files after the first `nchunks`, in descending order. If they are interrupted,
    /// the leftover files directly follow the chunks, and [`Chunks::open`] finds them.
    pub(super) fn removals<D: Directory>(&self, dir: &Subdirectory<D>, nchunks: u64) -> Vec<JournalStep> {
        let step = |chunk| JournalStep::Remove { path: dir.path(&chunk_file_name(chunk)) };
        (nchunks..self.end).rev().map(step).collect()
    }

    /// Notes that all chunks were committed, and that there are `nchunks` now.
    pub(super) fn committed(&mut self, nchunks: u64) {
        self.staged.clear();
        self.appended.clear();
        self.end = nchunks;
    }

    /// Returns the compressed size of a chunk, 0 if it does not exist.
    fn cbytes_of<D: Directory>(&self, dir: &Subdirectory<D>, meta: &MetaEdit, chunk: u64) -> u64 {
        let written = self.staged.get(&chunk).map(|staged| staged.cbytes).or(self.appended.get(&chunk).copied());
        let on_disk = || {
            if chunk >= meta.committed_rows().nchunks() {
                return 0;
            }
            let path = dir.path(&chunk_file_name(chunk));
            let len = dir.root().dir.open(&path).and_then(|file| file.len()).unwrap_or(0);
            len.saturating_sub(ChunkFileHeader::LEN as u64)
        };
        written.unwrap_or_else(on_disk)
    }
}

/// Returns the bytes of a chunk file.
pub(super) fn chunk_file(encoder: &mut Encoder, storage: &Storage, mut plain: Vec<u8>) -> Result<Vec<u8>, Error> {
    quantize(&mut plain, &storage.dtype, storage.cparams.quantize);
    let header = ChunkFileHeader::NEW.to_bytes();
    let mut bytes = memory::zeroed(ChunkFileHeader::LEN + max_cbytes(plain.len()))?;
    bytes.get_mut(..ChunkFileHeader::LEN).unwrap_or_default().copy_from_slice(&header);
    let cbytes = encoder.compress_into(&plain, bytes.get_mut(ChunkFileHeader::LEN..).unwrap_or_default())?;
    bytes.truncate(ChunkFileHeader::LEN + cbytes);
    Ok(bytes)
}
