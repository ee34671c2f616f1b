//! Writes the salvaged file: undamaged chunks are copied unchanged, others are replaced by zeros.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

use blosc_core::{CParams, Limits, memory};
use bloscpack_format::bloscpack::{Header, Layout, MaxAppChunks, Version, offsets};

use super::head::Head;
use super::number::{NewChunk, Slots};
use super::probe::{Decoded, IntactChunk, Probe};
use crate::Error;
use crate::fs::atomic::AtomicFile;
use crate::recover::lost::LostPart;
use crate::recover::report::{Lost, RecoverReport};

/// Writes the new file.
pub(super) fn write(
    head: &Head,
    probe: &mut Probe<'_>,
    slots: &Slots,
    (output, overwrite): (&Path, bool),
    lost: Vec<Lost>,
) -> Result<RecoverReport, Error> {
    let header = new_header(head, slots);
    let section_len = head.metadata.as_ref().map_or(0, |metadata| metadata.section.header().section_len());
    let layout = Layout::new(&header, section_len)?;
    let mut writer = Writer {
        file: AtomicFile::create(output, overwrite)?,
        at: 0,
        header,
        entries: Vec::new(),
        zeros: None,
        zeros_len: 0,
    };
    writer.put(&header.to_bytes()?)?;
    if let Some(metadata) = &head.metadata {
        writer.put(&metadata.section.to_bytes()?)?;
    }
    writer.file.seek(SeekFrom::Start(layout.first_chunk)).map_err(writing)?;
    writer.at = layout.first_chunk;
    let mut report = RecoverReport { lost, ..RecoverReport::default() };
    for slot in &slots.slots {
        writer.slot(slot, probe, &mut report)?;
    }
    let wrong = |(found, number): &(u64, usize)| {
        head.offsets.get(*number).is_some_and(|entry| *entry != found.cast_signed() && *entry != offsets::UNKNOWN)
    };
    let entries = places(slots).filter(wrong).count() as u64;
    report.lost.extend((entries > 0).then(|| LostPart::Offsets { entries }.into()));
    if header.offsets {
        let room = ((layout.offsets.end - layout.offsets.start) / offsets::ENTRY_LEN) as usize;
        memory::resize(&mut writer.entries, room, offsets::UNKNOWN)?;
        writer.file.seek(SeekFrom::Start(layout.offsets.start)).map_err(writing)?;
        let entries = offsets::encode(&writer.entries)?;
        writer.put(&entries)?;
    }
    writer.file.commit()?;
    Ok(report.with_total())
}

fn writing(source: std::io::Error) -> Error {
    Error::writing(source)
}

/// Returns the positions of undamaged chunks in the old file, and their numbers in the new one.
fn places(slots: &Slots) -> impl Iterator<Item = (u64, usize)> {
    let mut number = 0;
    slots.slots.iter().filter_map(move |slot| {
        let this = number;
        number = usize::saturating_add(number, slot.chunks() as usize);
        if let NewChunk::Chunk(found) = slot { Some((found.at, this)) } else { None }
    })
}

/// Returns the header of the new file: that of the old one, updated with the facts of the chunks.
fn new_header(head: &Head, slots: &Slots) -> Header {
    let nchunks: u64 = slots.slots.iter().map(NewChunk::chunks).fold(0, u64::saturating_add);
    let last = slots.slots.last().map(NewChunk::nbytes);
    let is_intact = head.first_chunk.is_some_and(|first| places(slots).next() == Some((first, 0)));
    let room = if is_intact { head.header.max_app_chunks } else { MaxAppChunks::default().for_chunks(nchunks) };
    let chunk_size = if nchunks == 1 { last } else { slots.chunk_size };
    let mut header = head.header;
    header.version = Version::V3;
    header.metadata = head.metadata.is_some();
    header.chunk_size = chunk_size;
    header.last_chunk = chunk_size.and(last);
    header.nchunks = Some(nchunks);
    header.max_app_chunks = if head.header.offsets { room } else { 0 };
    header
}

/// The new file during writing.
struct Writer {
    file: AtomicFile,
    at: u64,
    header: Header,
    /// The start of each chunk.
    entries: Vec<i64>,
    /// The uncompressed size of the last chunk of zeros, and the chunk.
    zeros: Option<(u32, Vec<u8>)>,
    /// Total compressed size of the chunks of zeros so far.
    zeros_len: u64,
}

impl Writer {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(writing)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn slot(&mut self, slot: &NewChunk, probe: &mut Probe<'_>, report: &mut RecoverReport) -> Result<(), Error> {
        match slot {
            NewChunk::Chunk(found) => self.found(found, probe, report),
            NewChunk::Zeros { nbytes, chunks } => (0..*chunks).try_for_each(|_| self.zeros(*nbytes, probe, report)),
        }
    }

    fn found(&mut self, found: &IntactChunk, probe: &mut Probe<'_>, report: &mut RecoverReport) -> Result<(), Error> {
        probe.cancel.check()?;
        let bytes = probe.bytes(found)?;
        let number = self.entries.len() as u64;
        // A matching digest shows that the bytes are unchanged, not that they are a chunk.
        let unchecked = match probe.decode(&bytes)? {
            Decoded::Whole => None,
            Decoded::Unchecked(reason) => Some(reason),
            Decoded::Damaged => {
                let plain = report.nbytes..report.nbytes + u64::from(found.nbytes);
                let (chunks, bytes) = (number..number + 1, found.at..found.end);
                let part = LostPart::Chunks { chunks, bytes, plain, guessed: false };
                memory::push(&mut report.lost, part.into())?;
                return self.zeros(found.nbytes, probe, report);
            }
        };
        let unchecked = unchecked.filter(|_| found.unchecked.is_none());
        if let Some(reason) = unchecked {
            memory::push(&mut report.lost, Lost::because(LostPart::Unchecked { chunk: number }, reason))?;
        }
        report.kept += 1;
        report.nbytes += u64::from(found.nbytes);
        self.chunk(&bytes)
    }

    fn zeros(&mut self, nbytes: u32, probe: &Probe<'_>, report: &mut RecoverReport) -> Result<(), Error> {
        probe.cancel.check()?;
        let chunk = match self.zeros.take() {
            Some((len, chunk)) if len == nbytes => chunk,
            _ => {
                probe.limits.check_chunk(nbytes.into())?;
                probe.limits.check_memory("a chunk of zeros", Limits::chunk_memory(nbytes.into(), nbytes.into()))?;
                let params = CParams::new().typesize(usize::from(self.header.typesize.max(1)));
                blosc_core::compress(&memory::zeroed(nbytes as usize)?, &params)?
            }
        };
        self.zeros_len = self.zeros_len.saturating_add(chunk.len() as u64);
        // A shape of a few bytes can require any number of zeros.
        probe.limits.check_unearned(self.zeros_len, probe.len)?;
        report.nbytes = report.nbytes.saturating_add(nbytes.into());
        let written = self.chunk(&chunk);
        self.zeros = Some((nbytes, chunk));
        written
    }

    fn chunk(&mut self, bytes: &[u8]) -> Result<(), Error> {
        memory::push(&mut self.entries, self.at.cast_signed())?;
        let digest = self.header.checksum.digest(bytes);
        self.put(bytes)?;
        self.put(digest.as_ref())
    }
}
