//! A chunk as text: its header field by field, then a line for each block.

use blosc_core::{DecodeError, Header, Stream, StreamKind};
use bloscpack_format::python_str_repr;

use super::contents::{Block, Contents, Counts, codec_name};
use super::size::double_pretty_size;
use super::text::{block, boolean};

/// Maximum number of blocks shown, about a screen; `--json` has all.
const MAX_BLOCKS: usize = 32;
/// Maximum number of streams, or groups of equal streams, on a line.
const MAX_STREAMS: usize = 16;
/// Maximum number of bytes shown of a special value.
const MAX_VALUE: usize = 32;

/// Returns the texts of a chunk.
///
/// # Errors
/// The damage.
pub fn chunk(header: &Header, contents: &Contents<'_>, counts: &Counts) -> Result<Vec<String>, DecodeError> {
    let mut texts = Vec::new();
    let mut fields = header_fields(header);
    if let Some(special) = header.special_value() {
        fields.push(("special", python_str_repr(special.name())));
    }
    if let Some(value) = contents.value().filter(|value| !value.is_empty()) {
        fields.push(("value", value_text(value)));
    }
    if let Some(len) = contents.dictionary() {
        fields.push(("dictionary", double_pretty_size(len)));
    }
    match contents {
        Contents::Lazy(lazy) => {
            fields.push(("lazy", boolean(true)));
            fields.push(("nchunk", lazy.nchunk().to_string()));
            fields.push(("offset", lazy.offset().to_string()));
        }
        Contents::Chunk { bstarts, .. } if !bstarts.is_empty() => {
            let Counts { compressed, stored, zeros, runs } = counts;
            fields.push(("streams", format!("{compressed} compressed, {stored} stored, {zeros} zeros, {runs} runs")));
        }
        Contents::Chunk { .. } => {}
    }
    texts.push(block("BloscHeader", &fields));
    let lines = match contents {
        Contents::Lazy(lazy) => {
            let csizes = lazy.block_csizes().iter().enumerate().take(MAX_BLOCKS);
            let bstart = |index| lazy.bstarts().get(index).map_or(String::new(), |start| format!("at {start}: "));
            csizes.map(|(index, csize)| format!("{index} {}{csize} in the frame", bstart(index))).collect()
        }
        Contents::Chunk { .. } => {
            let blocks = contents.blocks().take(MAX_BLOCKS).enumerate();
            blocks.map(|(index, block)| Ok(block_line(index, &block?))).collect::<Result<Vec<_>, DecodeError>>()?
        }
    };
    if !lines.is_empty() {
        texts.push("Blocks:".into());
        texts.push(lines.iter().map(|line| format!("    {line}\n")).collect::<String>());
        if header.nblocks() > lines.len() {
            texts.push(format!("    … {} more; --json has all", header.nblocks() - lines.len()));
        }
    }
    Ok(texts)
}

fn header_fields(header: &Header) -> Vec<(&'static str, String)> {
    let mut fields = vec![
        ("version", header.version().to_string()),
        ("versionlz", header.versionlz().to_string()),
        ("flags", format!("'{:08b}'", header.flags())),
    ];
    if header.len() == Header::EXTENDED_LEN {
        fields.push(("blosc2_flags", format!("'{:08b}'", header.blosc2_flags())));
        fields.push(("blosc2_flags2", format!("'{:08b}'", header.blosc2_flags2())));
    }
    let filters = header.filters();
    let filters = if filters.as_slice().is_empty() { "none".into() } else { filters.to_string() };
    let blocksize = match header.has_vl_blocks() {
        true => "variable".into(),
        false => double_pretty_size(header.blocksize() as u64),
    };
    fields.extend([
        ("typesize", header.typesize().to_string()),
        ("nbytes", double_pretty_size(header.nbytes() as u64)),
        ("blocksize", blocksize),
        ("cbytes", double_pretty_size(header.cbytes() as u64)),
        ("codec", python_str_repr(&codec_name(header))),
    ]);
    if header.codec_meta() != 0 {
        fields.push(("codec_meta", header.codec_meta().to_string()));
    }
    fields.extend([
        ("filters", python_str_repr(&filters)),
        ("split", boolean(header.is_split())),
        ("memcpyed", boolean(header.is_memcpyed())),
        ("nblocks", header.nblocks().to_string()),
    ]);
    if header.is_instrumented() {
        fields.push(("instrumented", boolean(true)));
    }
    fields
}

/// Formats a value byte by byte: `0x0000803f`.
fn value_text(value: &[u8]) -> String {
    let shown = value.iter().take(MAX_VALUE).map(|byte| format!("{byte:02x}")).collect::<String>();
    let more = if value.len() > MAX_VALUE { format!("… ({}B)", value.len()) } else { String::new() };
    format!("0x{shown}{more}")
}

/// `0 at 48, 65536 bytes: 812 at 52, 3 × zeros, 8192 stored at 880, 0x41 repeated`
fn block_line(index: usize, block: &Block) -> String {
    let mut groups: Vec<(usize, String)> = Vec::new();
    let mut streams = block.streams.iter();
    for stream in streams.by_ref() {
        let text = stream_text(stream);
        match groups.last_mut() {
            Some((count, last)) if *last == text => *count += 1,
            _ => groups.push((1, text)),
        }
        if groups.len() == MAX_STREAMS {
            break;
        }
    }
    let mut texts: Vec<_> =
        groups.into_iter().map(|(count, text)| if count == 1 { text } else { format!("{count} × {text}") }).collect();
    if streams.len() > 0 {
        texts.push(format!("… {} more", streams.len()));
    }
    format!("{index} at {}, {} bytes: {}", block.bstart, block.nbytes, texts.join(", "))
}

fn stream_text(stream: &Stream) -> String {
    match stream.kind {
        StreamKind::Run(0) => "zeros".into(),
        StreamKind::Run(value) => format!("{value:#04x} repeated"),
        StreamKind::Stored => format!("{} stored at {}", stream.cbytes, stream.offset),
        _ => format!("{} at {}", stream.cbytes, stream.offset),
    }
}
