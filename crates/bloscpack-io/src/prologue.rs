//! Reading what stands in front of the chunks of a bloscpack file: header, metadata, offsets.

use std::io::Read;

use bloscpack_format::bloscpack::{Header, Layout, MetadataHeader, MetadataSection, offsets};
use bloscpack_format::{FormatError, Json, Part};

use crate::Error;
use crate::counted::Counted;

/// Metadata larger than this when decompressed is refused: it is a description, not data. Parsed, it takes up to 36
/// times as much memory.
const MAX_METADATA: u64 = 16 << 20;

/// Everything in front of the chunks.
#[derive(Debug)]
pub(crate) struct Prologue {
    pub(crate) header: Header,
    pub(crate) metadata: Option<Metadata>,
    /// The entries in use, unchecked.
    pub(crate) offsets: Vec<i64>,
    pub(crate) layout: Layout,
}

/// A metadata section and what it says.
#[derive(Debug, Clone)]
pub(crate) struct Metadata {
    pub(crate) section: MetadataSection,
    pub(crate) value: Json,
}

impl Prologue {
    pub(crate) fn read<R: Read>(input: &mut Counted<R>) -> Result<Prologue, Error> {
        let mut bytes = [0; Header::MAX_LEN];
        // A version 1 header is shorter, and a file of that version may be shorter than the others' header.
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
        let metadata = if header.metadata { Some(Metadata::read(input)?) } else { None };
        let metadata_len = metadata.as_ref().map_or(0, |metadata| metadata.section.header().section_len());
        let layout = Layout::new(&header, metadata_len)?;
        let offsets = read_offsets(input, &header, &layout)?;
        Ok(Prologue { header, metadata, offsets, layout })
    }
}

/// Whether a header of 16 bytes is all there is: `blpk` and the version.
fn is_version_1(start: &[u8]) -> bool {
    start.starts_with(b"blpk\x01")
}

impl Metadata {
    fn read<R: Read>(input: &mut Counted<R>) -> Result<Metadata, Error> {
        let start = input.position();
        let len = MetadataHeader::LEN as u64;
        let header = MetadataHeader::parse(&input.exactly(len, start, len, "the metadata header")?)?;
        let (needed, what) = (header.section_len(), "the metadata section");
        let stored = input.exactly(header.meta_comp_size.into(), start, needed, what)?;
        let unused = u64::from(header.max_meta_size - header.meta_comp_size);
        if input.skip(unused)? < unused {
            return Err(input.cut_off(start, needed, what));
        }
        let digest = input.exactly(header.meta_checksum.digest_size() as u64, start, needed, what)?;
        let section = MetadataSection::from_parts(header, stored, &digest)?;
        let value = section.decode(MAX_METADATA)?;
        Ok(Metadata { section, value })
    }
}

fn read_offsets<R: Read>(input: &mut Counted<R>, header: &Header, layout: &Layout) -> Result<Vec<i64>, Error> {
    let (start, needed) = (layout.offsets.start, layout.offsets.end - layout.offsets.start);
    if needed == 0 {
        return Ok(Vec::new());
    }
    let used = header.nchunks.unwrap_or(0).saturating_mul(offsets::ENTRY_LEN);
    let entries = input.exactly(used, start, needed, "the offsets")?;
    if input.skip(needed - used)? < needed - used {
        return Err(input.cut_off(start, needed, "the offsets"));
    }
    Ok(offsets::decode(&entries))
}
