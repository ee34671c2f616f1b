//! Chunks of a carray that is being written: where they are now, and where new ones go.

use blosc_core::{Decoder, Encoder, max_cbytes, memory};
use bloscpack_format::bcolz::{ChunkFileHeader, Storage, chunk_file_name, quantize, staged_name};

use super::column::{Column, Staged};
use super::params;
use crate::Error;
use crate::formats::bcolz::store::Directory;

impl<D: Directory> Column<D> {
    pub(super) fn encoder(&mut self) -> Result<&mut Encoder, Error> {
        match self.encoder {
            Some(ref mut encoder) => Ok(encoder),
            None => Ok(self.encoder.insert(params::encoder(&self.meta.storage)?)),
        }
    }

    /// The plain bytes of the first rows of a chunk whose bytes are in a file.
    pub(super) fn plain(&self, chunk: u64, rows: u64) -> Result<Vec<u8>, Error> {
        let (path, limits) = (self.file_of(chunk), self.root.limits);
        let decode = || -> Result<Vec<u8>, Error> {
            let bytes = self.meta.read_chunk_file(&self.root.dir, &path, chunk, &limits)?;
            // A chunk has less than 2 GiB.
            let nbytes = (rows * self.meta.rows.atomsize()) as usize;
            let decoded = self.meta.decode_fetched(
                &mut Decoder::new().limits(limits),
                &bytes,
                std::slice::from_ref(&(0..nbytes)),
            );
            decoded.map_err(|source| Error::Chunk { chunk, offset: ChunkFileHeader::LEN as u64, source })
        };
        decode().map_err(|error| error.in_file(self.root.dir.name(&path)))
    }

    /// The plain bytes of the last chunk, if it is not full.
    pub(super) fn load_tail(&mut self) -> Result<&mut Vec<u8>, Error> {
        if self.tail.is_none() {
            let full = self.meta.rows.full_chunks();
            let tail = match self.meta.rows.rows_in(full) {
                0 => Vec::new(),
                rows => self.plain(full, rows)?,
            };
            self.tail = Some(tail);
        }
        Ok(self.tail.get_or_insert_default())
    }

    /// Compresses a chunk and writes it where nobody looks yet.
    pub(super) fn write_chunk(&mut self, chunk: u64, plain: Vec<u8>) -> Result<(), Error> {
        self.encoder()?;
        let Some(encoder) = &mut self.encoder else { return Err(Error::EditFailed) };
        let bytes = chunk_file(encoder, &self.meta.storage, plain)?;
        self.place(chunk, &bytes)
    }

    /// Writes a chunk file where nobody looks yet.
    pub(super) fn place(&mut self, chunk: u64, bytes: &[u8]) -> Result<(), Error> {
        let cbytes = bytes.len().saturating_sub(ChunkFileHeader::LEN) as u64;
        let old = self.cbytes_of(chunk);
        if chunk < self.committed.nchunks() {
            let number = match self.staged.get(&chunk) {
                Some(staged) => staged.number,
                None => self.root.number()?,
            };
            self.root.write(&staged_name(number), bytes)?;
            self.staged.insert(chunk, Staged { number, cbytes });
        } else {
            self.root.write(&self.path(&chunk_file_name(chunk)), bytes)?;
            self.behind.insert(chunk, cbytes);
            self.files = self.files.max(chunk.saturating_add(1));
        }
        self.count(cbytes, old);
        Ok(())
    }

    /// The compressed bytes of a chunk that is there; of one that is not, none.
    pub(super) fn cbytes_of(&self, chunk: u64) -> u64 {
        let known = self.staged.get(&chunk).map(|staged| staged.cbytes).or(self.behind.get(&chunk).copied());
        let on_disk = || {
            let there = chunk < self.committed.nchunks();
            let path = self.path(&chunk_file_name(chunk));
            let len = if there { self.root.dir.open(&path).and_then(|file| file.len()).unwrap_or(0) } else { 0 };
            len.saturating_sub(ChunkFileHeader::LEN as u64)
        };
        known.unwrap_or_else(on_disk)
    }

    /// Keeps `cbytes` of `meta/sizes` about right.
    pub(super) fn count(&mut self, new: u64, old: u64) {
        let sizes = &mut self.meta.sizes;
        sizes.cbytes = sizes.cbytes.saturating_add_unsigned(new).saturating_sub_unsigned(old);
    }
}

/// The bytes of a chunk file.
pub(super) fn chunk_file(encoder: &mut Encoder, storage: &Storage, mut plain: Vec<u8>) -> Result<Vec<u8>, Error> {
    quantize(&mut plain, &storage.dtype, storage.cparams.quantize);
    let header = ChunkFileHeader::NEW.to_bytes();
    let mut bytes = memory::zeroed(ChunkFileHeader::LEN + max_cbytes(plain.len()))?;
    bytes.get_mut(..ChunkFileHeader::LEN).unwrap_or_default().copy_from_slice(&header);
    let cbytes = encoder.compress_into(&plain, bytes.get_mut(ChunkFileHeader::LEN..).unwrap_or_default())?;
    bytes.truncate(ChunkFileHeader::LEN + cbytes);
    Ok(bytes)
}
