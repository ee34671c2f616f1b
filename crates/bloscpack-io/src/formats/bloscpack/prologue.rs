//! Reads the parts of a bloscpack file before the chunks: header, metadata, offsets.

use std::io::Read;

use blosc_core::Limits;
use bloscpack_format::bloscpack::{Header, Layout, MetadataHeader, MetadataSection, offsets};
use bloscpack_format::{FormatError, Json, Part};

use crate::Error;
use crate::source::counting::CountingReader;

/// All parts before the chunks.
#[derive(Debug)]
pub(crate) struct Prologue {
    pub(crate) header: Header,
    pub(crate) metadata: Option<Metadata>,
    /// The used entries, not checked yet.
    pub(crate) offsets: Vec<i64>,
    pub(crate) layout: Layout,
}

/// A metadata section and its decoded value.
#[derive(Debug, Clone)]
pub(crate) struct Metadata {
    pub(crate) section: MetadataSection,
    pub(crate) value: Json,
}

impl Prologue {
    pub(crate) fn read<R: Read>(input: &mut CountingReader<R>, limits: &Limits) -> Result<Prologue, Error> {
        let mut bytes = [0; Header::MAX_LEN];
        // A version 1 header has only 16 bytes, and a whole file of this version may be shorter than the header of
        // later versions.
        let (start, rest) = bytes.split_at_mut(16);
        let mut found = input.fill(start)?;
        if found == start.len() && !is_version_1(start) {
            found += input.fill(rest)?;
        }
        let (header, _) = Header::parse(&bytes[..found])?;
        if header.nchunks == Some(0) {
            let (min, max) = (1, i64::MAX);
            let field = "nchunks";
            return Err(FormatError::OutOfRange { part: Part::Header, offset: 16, field, value: 0, min, max }.into());
        }
        let metadata = if header.metadata { Some(Metadata::read(input, limits)?) } else { None };
        let metadata_len = metadata.as_ref().map_or(0, |metadata| metadata.section.header().section_len());
        let layout = Layout::new(&header, metadata_len)?;
        let offsets = read_offsets(input, &header, &layout, limits)?;
        Ok(Prologue { header, metadata, offsets, layout })
    }
}

/// Returns whether the header is that of version 1, which has 16 bytes.
fn is_version_1(start: &[u8]) -> bool {
    start.starts_with(b"blpk\x01")
}

impl Metadata {
    pub(crate) fn read<R: Read>(input: &mut CountingReader<R>, limits: &Limits) -> Result<Metadata, Error> {
        let start = input.position();
        let len = MetadataHeader::LEN as u64;
        let header = MetadataHeader::parse(&input.exactly(len, start, len, "the metadata header")?)?;
        let (needed, what) = (header.section_len(), "the metadata section");
        // Incompressible metadata may be slightly larger after compression.
        limits.check_metadata(header.meta_comp_size.into(), 2)?;
        let stored = input.exactly(header.meta_comp_size.into(), start, needed, what)?;
        let unused = u64::from(header.max_meta_size - header.meta_comp_size);
        if input.skip(unused)? < unused {
            return Err(input.cut_off(start, needed, what));
        }
        let digest = input.exactly(header.meta_checksum.digest_size() as u64, start, needed, what)?;
        let section = MetadataSection::from_parts(header, stored, &digest)?;
        let value = section.decode(limits.metadata_room()).map_err(|error| match error {
            // Report a size of one byte over the limit.
            FormatError::LimitExceeded { part: Part::Metadata, limit } => {
                limits.check_metadata(limit.saturating_add(1), 1).err().map_or(error, FormatError::Limit)
            }
            other => other,
        })?;
        Ok(Metadata { section, value })
    }
}

/// Memory for each byte of the offsets section: the bytes read, a growing list, the decoded numbers, and the positions.
const OFFSETS_MEMORY: u64 = 5;

fn read_offsets<R: Read>(
    input: &mut CountingReader<R>,
    header: &Header,
    layout: &Layout,
    limits: &Limits,
) -> Result<Vec<i64>, Error> {
    let (start, needed) = (layout.offsets.start, layout.offsets.end - layout.offsets.start);
    if needed == 0 {
        return Ok(Vec::new());
    }
    let used = header.nchunks.unwrap_or(0).saturating_mul(offsets::ENTRY_LEN);
    // An invalid number of chunks has no matching offsets in the file. In that case, report the missing bytes rather
    // than the limit.
    let room = limits.max_memory as u64 / OFFSETS_MEMORY;
    let mut entries = Vec::new();
    let found = input.append(used.min(room), &mut entries)?;
    if found < used {
        if found == room {
            limits.check_memory("the offsets", used.saturating_mul(OFFSETS_MEMORY))?;
        }
        return Err(input.cut_off(start, needed, "the offsets"));
    }
    if input.skip(needed - used)? < needed - used {
        return Err(input.cut_off(start, needed, "the offsets"));
    }
    Ok(offsets::decode(&entries)?)
}
