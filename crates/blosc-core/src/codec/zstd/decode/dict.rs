//! Dictionaries (RFC 8878, section 5).

use std::sync::Arc;

use super::super::MALFORMED_DICT;
use super::bits::number;
use super::codes::Code;
use super::sequences::Repeats;
use super::tables::Tables;
use crate::codec::StreamError;
use crate::memory;

const MAGIC: u64 = 0xEC30_A437;

/// A dictionary parsed for decompressing. Clones share it.
///
/// A dictionary that starts with the magic number `37 a4 30 ec` has entropy tables before its content. Any other
/// dictionary is raw content.
#[derive(Clone)]
pub(crate) struct DecodeDict(pub(super) Arc<Parts>);

pub(super) struct Parts {
    /// The number by which frames refer to it, or 0.
    pub(super) id: u32,
    pub(super) entropy: Option<(Box<Tables>, Repeats)>,
    pub(super) content: Vec<u8>,
}

impl DecodeDict {
    pub(crate) fn new(dict: &[u8]) -> Result<Self, StreamError> {
        if number(dict, 0, 4) != Some(MAGIC) || dict.len() < 8 {
            return Ok(DecodeDict(Arc::new(Parts { id: 0, entropy: None, content: memory::copy_of(dict)? })));
        }
        let id = number(dict, 4, 4).ok_or(MALFORMED_DICT)? as u32;
        let mut tables = Box::<Tables>::default();
        let (content, repeats) = read_entropy(dict, &mut tables).ok_or(MALFORMED_DICT)?;
        let content = memory::copy_of(&dict[content..])?;
        Ok(DecodeDict(Arc::new(Parts { id, entropy: Some((tables, repeats)), content })))
    }
}

/// Reads the tables and repeated offsets of `dict`, and returns where its content starts.
fn read_entropy(dict: &[u8], tables: &mut Tables) -> Option<(usize, Repeats)> {
    let mut at = tables.read_huffman(dict, 8, dict.len())?;
    for code in [Code::Offset, Code::MatchLength, Code::LiteralLength] {
        at += tables.read_code(code, dict.get(at..)?)?;
    }
    let content = at + 12;
    let len = dict.len().checked_sub(content)?;
    let mut repeats = [0; 3];
    for (i, repeat) in repeats.iter_mut().enumerate() {
        *repeat = number(dict, at + 4 * i, 4)? as u32;
        if *repeat == 0 || *repeat as usize > len {
            return None;
        }
    }
    Some((content, repeats))
}
