//! Writes the parts of a bloscpack file before the chunks: header, metadata, offsets.

use std::io::{self, Read, Seek, SeekFrom, Write};

use blosc_core::{ChunkFormat, memory};
use bloscpack_format::FormatError;
use bloscpack_format::bloscpack::{ChunkPlan, Header, Layout, MetadataSection, Version, offsets};

use crate::options::Event;
use crate::{Error, PackOptions};

/// The parts before the chunks.
pub(crate) struct Front {
    pub(crate) header: Header,
    pub(crate) plan: ChunkPlan,
    metadata: Option<MetadataSection>,
    pub(crate) layout: Layout,
}

impl Front {
    /// Plans a file of `size` uncompressed bytes.
    pub(crate) fn new(options: &PackOptions, size: u64) -> Result<Front, Error> {
        plan(options, size).and_then(|plan| Front::of_plan(options, plan)).map_err(Error::argument)
    }

    fn of_plan(options: &PackOptions, plan: ChunkPlan) -> Result<Front, Error> {
        let typesize = options.params.get_typesize();
        let typesize =
            u8::try_from(typesize).ok().filter(|&typesize| typesize > 0).ok_or_else(|| typesize_error(typesize))?;
        if options.params.get_format() == ChunkFormat::Blosc2 {
            return Err(Error::PackParams { what: "its chunks are Blosc1 chunks, which bloscpack can read" });
        }
        let metadata = options.metadata.as_ref();
        let metadata = metadata.map(|value| MetadataSection::encode(value, &options.metadata_args)).transpose()?;
        let mut header = Header::new(Version::V3);
        header.offsets = options.offsets;
        header.metadata = metadata.is_some();
        header.checksum = options.checksum;
        header.typesize = typesize;
        header.chunk_size = Some(plan.chunk_size);
        header.last_chunk = Some(plan.last_chunk);
        header.nchunks = Some(plan.nchunks);
        header.max_app_chunks = if options.offsets { options.max_app_chunks.for_chunks(plan.nchunks) } else { 0 };
        let layout = Layout::new(&header, metadata.as_ref().map_or(0, |metadata| metadata.header().section_len()))?;
        Ok(Front { header, plan, metadata, layout })
    }

    /// Replaces the typesize by the one that was chosen for the data.
    pub(crate) fn with_typesize(mut self, chosen: Option<u8>) -> Front {
        self.header.typesize = chosen.unwrap_or(self.header.typesize);
        self
    }

    /// Writes the header again if it was changed. Seeks.
    pub(crate) fn rewrite_header<W: Write + Seek>(&self, output: &mut W) -> Result<(), Error> {
        let bytes = self.header.to_bytes()?;
        output.seek(SeekFrom::Start(0)).and_then(|_| output.write_all(&bytes)).map_err(Error::writing)
    }

    /// Writes the parts. `entries` are the known offsets. All others are written as -1.
    pub(crate) fn write(&self, output: &mut impl Write, entries: &[i64], options: &PackOptions) -> Result<(), Error> {
        options.observer.tell(Event::Header(&self.header));
        if let (Some(section), Some(value)) = (&self.metadata, &options.metadata) {
            options.observer.tell(Event::Metadata { header: section.header(), value });
        }
        let mut bytes = self.header.to_bytes()?;
        if let Some(section) = &self.metadata {
            memory::extend(&mut bytes, &section.to_bytes()?)?;
        }
        memory::extend(&mut bytes, &offsets::encode(entries)?)?;
        let room = self.layout.offsets.end - self.layout.offsets.start;
        let spare = room.saturating_sub(entries.len() as u64 * offsets::ENTRY_LEN);
        let written = output.write_all(&bytes);
        let spare = &mut io::repeat(offsets::SPARE_BYTE).take(spare);
        written.and_then(|()| io::copy(spare, output)).map_err(Error::writing)?;
        Ok(())
    }
}

/// Divides `size` bytes into chunks of the options' size.
pub(crate) fn plan(options: &PackOptions, size: u64) -> Result<ChunkPlan, Error> {
    ChunkPlan::new(size, options.chunk_size).map_err(Error::argument)
}

fn typesize_error(typesize: usize) -> Error {
    let value = i64::try_from(typesize).unwrap_or(i64::MAX);
    let part = bloscpack_format::Part::Header;
    FormatError::OutOfRange { part, offset: 7, field: "typesize", value, min: 1, max: 255 }.into()
}
