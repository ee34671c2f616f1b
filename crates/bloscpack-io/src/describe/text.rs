//! Headers of the formats as text. The original prints Python objects, so the text follows Python's spelling.

use std::fmt::Write as _;

use blosc_core::{OutOfMemory, memory};
use bloscpack_format::bloscpack::{Header, MetadataHeader};
use bloscpack_format::{Attrs, Json, python_bytes_repr, python_str_repr};

use super::size::double_pretty_size;
use crate::DroppedAttribute;

/// Names of fields, with the Python `repr` of their values.
type Fields = Vec<(&'static str, String)>;

/// `BloscpackHeader:` and a line for each field. Sizes are printed both rounded and in bytes.
pub fn header_block(header: &Header) -> String {
    let size = |size: Option<u32>| size.map_or("-1".into(), |size| double_pretty_size(size.into()));
    block("BloscpackHeader", &header_fields(header, size))
}

/// `BloscpackHeader(format_version=3, offsets=True, …)`
pub fn header_repr(header: &Header) -> String {
    let size = |size: Option<u32>| size.map_or("-1".into(), |size| size.to_string());
    let fields = header_fields(header, size).into_iter().map(|(name, value)| format!("{name}={value}"));
    format!("BloscpackHeader({})", fields.collect::<Vec<_>>().join(", "))
}

fn header_fields(header: &Header, size: impl Fn(Option<u32>) -> String) -> Fields {
    vec![
        ("format_version", header.version.number().to_string()),
        ("offsets", boolean(header.offsets)),
        ("metadata", boolean(header.metadata)),
        ("checksum", python_str_repr(header.checksum.name())),
        ("typesize", header.typesize.to_string()),
        ("chunk_size", size(header.chunk_size)),
        ("last_chunk", size(header.last_chunk)),
        ("nchunks", header.nchunks.map_or("-1".into(), |nchunks| nchunks.to_string())),
        ("max_app_chunks", header.max_app_chunks.to_string()),
    ]
}

/// `MetadataHeader:` and a line for each field.
pub fn metadata_header_block(header: &MetadataHeader) -> String {
    let size = |size: u32| double_pretty_size(size.into());
    let fields = vec![
        ("magic_format", magic(&header.magic_format)),
        ("meta_options", format!("'{:08b}'", header.meta_options)),
        ("meta_checksum", python_str_repr(header.meta_checksum.name())),
        ("meta_codec", python_str_repr(header.meta_codec.name())),
        ("meta_level", header.meta_level.to_string()),
        ("meta_size", size(header.meta_size)),
        ("max_meta_size", size(header.max_meta_size)),
        ("meta_comp_size", size(header.meta_comp_size)),
        ("user_codec", magic(&header.user_codec)),
    ];
    block("MetadataHeader", &fields)
}

/// A title and a line for each field, indented.
pub fn block(title: &str, fields: &[(&'static str, String)]) -> String {
    let lines = fields.iter().map(|(name, value)| format!("\n    {name}: {value}"));
    format!("{title}:{}", lines.collect::<String>())
}

/// Maximum length of a value that is shown in full, in characters of its JSON, which is ASCII.
const MAX_VALUE: usize = 100;
/// Maximum number of attributes shown.
const MAX_VALUES: usize = 100;

/// A title and a line for each attribute; long values are cut. `None` if there are none.
pub(super) fn values(
    title: &str,
    values: &Attrs,
    unreadable: &[DroppedAttribute],
) -> Result<Option<String>, OutOfMemory> {
    let name = |name: &str| Json::String(memory::text_of(name)?).try_dumps();
    let found = values.iter().map(|(key, value)| Ok(format!("\n    {}: {}", name(key)?, shortened(value))));
    let lost = unreadable.iter();
    let lost =
        lost.map(|lost| memory::format(format_args!("\n    {}: cannot be read: {}", name(&lost.name)?, lost.reason)));
    let number = values.len() + unreadable.len();
    if number == 0 {
        return Ok(None);
    }
    let mut lines = format!("{title}:");
    for line in found.chain(lost).take(MAX_VALUES) {
        memory::push_str(&mut lines, &line?)?;
    }
    if let Some(more) = number.checked_sub(MAX_VALUES).filter(|more| *more > 0) {
        memory::push_str(&mut lines, &format!("\n    … and {more} more; --json has all"))?;
    }
    Ok(Some(lines))
}

fn shortened(value: &Json) -> String {
    let text = value.start_spaced(MAX_VALUE + 1);
    match text.get(..MAX_VALUE) {
        Some(start) if text.len() > MAX_VALUE => {
            format!("{start}… ({} characters, all of them with 'blpk meta get')", value.len_spaced())
        }
        _ => text,
    }
}

/// Returns the fields of a chunk's header without checking their values.
pub(super) fn chunk_header(header: &[u8; 16]) -> [(&'static str, u32); 7] {
    let [version, versionlz, flags, typesize, sizes @ ..] = *header;
    let size = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| sizes.get(at + i).copied().unwrap_or(0)));
    [
        ("version", version.into()),
        ("versionlz", versionlz.into()),
        ("flags", flags.into()),
        ("typesize", typesize.into()),
        ("nbytes", size(0)),
        ("blocksize", size(4)),
        ("ctbytes", size(8)),
    ]
}

/// Returns the meaning of a chunk's flags byte. The original calls flag 0x10 `split_blocks`, although a set flag means
/// that blocks are not split.
pub(super) fn chunk_flags(flags: u8) -> Fields {
    vec![
        ("byte_shuffle", boolean(flags & 0x01 != 0)),
        ("pure_memcpy", boolean(flags & 0x02 != 0)),
        ("bit_shuffle", boolean(flags & 0x04 != 0)),
        ("split_blocks", boolean(flags & 0x10 != 0)),
        ("codec", python_str_repr(codec_name(flags))),
    ]
}

/// The name of the stream format in bits 5 to 7; `lz4` also covers lz4hc.
pub(super) fn codec_name(flags: u8) -> &'static str {
    ["blosclz", "lz4", "snappy", "zlib", "zstd"].get(usize::from(flags >> 5)).copied().unwrap_or("unknown")
}

/// `OrderedDict([('version', 2), ('versionlz', 1), …])`, as Python up to 3.11 prints it.
pub(super) fn ordered_dict<V: std::fmt::Display>(fields: &[(&'static str, V)]) -> String {
    let pairs = fields.iter().map(|(name, value)| format!("('{name}', {value})"));
    format!("OrderedDict([{}])", pairs.collect::<Vec<_>>().join(", "))
}

/// Formats a list as `[610, 1201]`. If an allocation fails, returns the error's text instead, so that debug output does
/// not end the run.
pub fn list(items: &[i64]) -> String {
    let mut list = memory::Text::default();
    let items = || items.iter().enumerate();
    let write = |list: &mut memory::Text| {
        list.write_str("[")?;
        items().try_for_each(|(at, item)| write!(list, "{}{item}", if at == 0 { "" } else { ", " }))?;
        list.write_str("]")
    };
    // `finish` returns the error.
    let _ = write(&mut list);
    list.finish().unwrap_or_else(|error| error.to_string())
}

pub fn boolean(value: bool) -> String {
    if value { "True" } else { "False" }.into()
}

/// Formats eight bytes without leading and trailing NULs.
fn magic(bytes: &[u8; 8]) -> String {
    let start = bytes.iter().position(|&byte| byte != 0).unwrap_or(8);
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(start, |last| last + 1);
    python_bytes_repr(&bytes[start..end])
}
