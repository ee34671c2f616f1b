//! Header, metadata and offsets of a damaged file, as far as they can be read.

use std::collections::HashMap;
use std::fs::File;

use blosc_core::{Limits, memory};
use bloscpack_format::bloscpack::{
    ChunkPlan, Header, Layout, MAGIC, MetadataArgs, MetadataHeader, MetadataSection, offsets,
};
use bloscpack_format::checksum::Checksum;
use bloscpack_format::numpy::NumpyMeta;

use super::probe::{Hints, Probe};
use crate::formats::bloscpack::prologue::Metadata;
use crate::recover::lost::LostPart;
use crate::recover::report::{Lost, LostReason};
use crate::source::Sequential;
use crate::source::counting::CountingReader;
use crate::{Error, ReadAt as _};

/// Everything before the chunks.
#[derive(Debug)]
pub(super) struct Head {
    /// The header; fields with impossible values are set to unknown.
    pub(super) header: Header,
    pub(super) metadata: Option<Metadata>,
    /// Whether the digest of the metadata matches.
    metadata_holds: bool,
    /// Entries of the offsets section, unchecked.
    pub(super) offsets: Vec<i64>,
    /// The chunk that each entry belongs to.
    pub(super) numbers: HashMap<u64, u64>,
    /// The first chunk, according to header and metadata.
    pub(super) first_chunk: Option<u64>,
    /// No chunk starts before this position.
    pub(super) start: u64,
    /// Whether the sizes in the header are those of an actual chunk.
    pub(super) sizes_hold: bool,
}

impl Head {
    pub(super) fn read(source: &File, len: u64, limits: &Limits, lost: &mut Vec<Lost>) -> Result<Head, Error> {
        let mut bytes = [0; Header::MAX_LEN];
        let found = CountingReader::new(Sequential::within(source, 0, len)).fill(&mut bytes)?;
        let (mut header, damage) = parse(bytes.get(..found).unwrap_or_default(), bytes);
        let is_damaged = damage.is_some();
        lost.extend(damage.map(|error| Lost::because(LostPart::Header, error)));
        let at = header.header_len() as u64;
        let mut input = CountingReader::starting_at(Sequential::within(source, at, len), at);
        // The flag itself may be damaged.
        let mut magic = [0; 8];
        let has_section = input.fill(&mut magic)? == magic.len() && magic == *b"JSON\0\0\0\0";
        let (mut metadata, mut section_len, told) = (None, Some(0), lost.len());
        if header.metadata || has_section && at == Header::MAX_LEN as u64 {
            (metadata, section_len) = read_metadata(source, len, at, limits, lost)?;
            header.metadata = metadata.is_some();
        }
        let layout = section_len.and_then(|section_len| Layout::new(&header, section_len).ok());
        let mut head = Head {
            start: match &layout {
                _ if is_damaged => 0,
                Some(layout) if lost.len() == told => layout.offsets.start,
                // The length of the metadata section may be wrong.
                _ => at,
            },
            first_chunk: layout.as_ref().map(|layout| layout.first_chunk).filter(|at| *at < len && !is_damaged),
            offsets: Vec::new(),
            numbers: HashMap::new(),
            sizes_hold: false,
            metadata_holds: lost.len() == told,
            header,
            metadata,
        };
        if let Some(layout) = layout.filter(|layout| layout.first_chunk <= len && header.offsets) {
            let entries = header.nchunks.unwrap_or(0).saturating_mul(offsets::ENTRY_LEN);
            // Memory of an entry as it was read, and of its map entry.
            limits.check_memory("the offsets", entries.saturating_mul(8))?;
            let mut bytes = Vec::new();
            let at = layout.offsets.start;
            CountingReader::starting_at(Sequential::within(source, at, len), at).append(entries, &mut bytes)?;
            head.offsets = offsets::decode(&bytes)?;
            let known = (0..).zip(&head.offsets).filter_map(|(number, at)| Some((u64::try_from(*at).ok()?, number)));
            head.numbers = known.filter(|(at, _)| *at < len).collect();
        }
        Ok(head)
    }

    /// Decides which checksum the chunks have, and whether the header's sizes are correct.
    pub(super) fn settle(&mut self, probe: &mut Probe<'_>, lost: &mut Vec<Lost>) -> Result<(), Error> {
        let stated = self.header.checksum;
        let Head { first_chunk, offsets, start, .. } = &*self;
        let hints = Hints { first_chunk: *first_chunk, offsets, start: *start, checksum: stated };
        let (found, nbytes) = probe.decide(&hints)?;
        if let Some(found) = found.filter(|found| *found != stated) {
            lost.push(LostPart::Checksum { stated, found }.into());
            self.header.checksum = found;
        }
        let of_header = [self.header.chunk_size, self.header.last_chunk];
        self.sizes_hold =
            self.header.chunk_size.is_some() && nbytes.is_some_and(|size| of_header.contains(&Some(size)));
        if nbytes.is_some() && !self.sizes_hold && self.header.chunk_size.is_some() {
            lost.push(Lost::because(LostPart::Header, LostReason::HeaderSizes));
            (self.header.chunk_size, self.header.last_chunk) = (None, None);
        }
        probe.expect(self.header.checksum, if self.sizes_hold { self.header.chunk_size } else { None });
        Ok(())
    }

    /// Returns the uncompressed size of the array, if it is one. Metadata without a valid digest must agree with the
    /// header.
    pub(super) fn array_nbytes(&self) -> Option<u64> {
        let nbytes = NumpyMeta::from_json(&self.metadata.as_ref()?.value).ok()?.nbytes()?;
        (self.metadata_holds || self.header.nbytes() == Some(nbytes)).then_some(nbytes)
    }

    /// Returns the original number of chunks, by the shape of an array or by the header.
    pub(super) fn nchunks(&self, chunk_size: Option<u32>) -> Option<u64> {
        let of_array = self
            .array_nbytes()
            .zip(chunk_size)
            .and_then(|(nbytes, chunk_size)| ChunkPlan::new(nbytes, chunk_size.into()).ok().map(|plan| plan.nchunks));
        of_array.or(self.header.nchunks)
    }
}

/// Parses the header, and returns its error. Fields are set to unknown one after the other until the rest is valid.
fn parse(found: &[u8], mut bytes: [u8; Header::MAX_LEN]) -> (Header, Option<Error>) {
    let error = match Header::parse(found) {
        Ok((header, _)) => return (header, None),
        Err(error) => Some(error.into()),
    };
    let unknown = [0xff; 4];
    let patches: [(usize, &[u8]); 8] = [
        (0, &MAGIC),
        (4, &[3]),
        (12, &unknown),
        (8, &unknown),
        (6, &[Checksum::Adler32.id()]),
        (24, &[0; 8]),
        (5, &[bytes[5] & 0x02]),
        (16, &[0xff; 8]),
    ];
    for (at, patch) in patches {
        bytes.iter_mut().skip(at).zip(patch).for_each(|(byte, patch)| *byte = *patch);
        if let Ok((header, _)) = Header::parse(&bytes) {
            return (header, error);
        }
    }
    (Header::new(bloscpack_format::bloscpack::Version::V3), error)
}

/// Reads the metadata. Returns it with the length of its section, if the section's header can be read.
fn read_metadata(
    source: &File,
    len: u64,
    at: u64,
    limits: &Limits,
    lost: &mut Vec<Lost>,
) -> Result<(Option<Metadata>, Option<u64>), Error> {
    let input = || CountingReader::starting_at(Sequential::within(source, at, len), at);
    let error = match Metadata::read(&mut input(), limits) {
        Ok(metadata) => {
            let section_len = metadata.section.header().section_len();
            return Ok((Some(metadata), Some(section_len)));
        }
        Err(error @ Error::Io { .. }) => return Err(error),
        Err(error) => error,
    };
    let mut bytes = Vec::new();
    input().append(MetadataHeader::LEN as u64, &mut bytes)?;
    let Ok(header) = MetadataHeader::parse(&bytes) else {
        lost.push(Lost::unreadable(LostPart::Metadata, error)?);
        return Ok((None, None));
    };
    let metadata = unchecked_metadata(source, header, at, limits)?;
    let part = if metadata.is_some() { LostPart::UncheckedMetadata } else { LostPart::Metadata };
    lost.push(Lost::unreadable(part, error)?);
    Ok((metadata, Some(header.section_len())))
}

/// Reads the metadata of a section whose digest may be damaged. Returns `None` if its content cannot be read either.
fn unchecked_metadata(
    source: &File,
    header: MetadataHeader,
    at: u64,
    limits: &Limits,
) -> Result<Option<Metadata>, Error> {
    let read = || -> Result<Metadata, Error> {
        limits.check_metadata(header.meta_comp_size.into(), 2)?;
        let mut stored = memory::zeroed(header.meta_comp_size as usize)?;
        let reading = source.read_exact_at(at + MetadataHeader::LEN as u64, &mut stored);
        reading.map_err(Error::reading)?;
        let digest = header.meta_checksum.digest(&stored);
        let section = MetadataSection::from_parts(header, stored, digest.as_ref())?;
        let value = section.decode(limits.metadata_room())?;
        // The reserved space, which the section's header states, may be wrong, too.
        let section = MetadataSection::encode(&value, &MetadataArgs::new())?;
        Ok(Metadata { section, value })
    };
    match read() {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) => error.unless_out_of_memory().map(|_| None),
    }
}
