//! Conversion of MessagePack to JSON.

use super::tagged;
use crate::json::{Json, MAX_DEPTH};
use blosc_core::{OutOfMemory, memory};

/// Maximum number of levels of a value. An object with it as a member has one level more.
const MAX_HEIGHT: usize = MAX_DEPTH - 1;

/// Decodes `content`. `None` if it is not exactly one value of MessagePack, or if its JSON nests too deep for
/// [`Json::parse`] to read it as a member of an object.
///
/// # Errors
///
/// [`OutOfMemory`].
pub fn to_json(content: &[u8]) -> Result<Option<Json>, OutOfMemory> {
    let mut reader = Reader { rest: content };
    match reader.value(0) {
        Ok(Value { json, height }) => Ok((height <= MAX_HEIGHT && reader.rest.is_empty()).then_some(json)),
        Err(Stop::Malformed) => Ok(None),
        Err(Stop::OutOfMemory(error)) => Err(error),
    }
}

/// The reason why decoding ended early.
enum Stop {
    Malformed,
    OutOfMemory(OutOfMemory),
}

impl From<OutOfMemory> for Stop {
    fn from(error: OutOfMemory) -> Stop {
        Stop::OutOfMemory(error)
    }
}

/// A value, and its number of nested levels of arrays and objects.
struct Value {
    json: Json,
    height: usize,
}

impl From<Json> for Value {
    fn from(json: Json) -> Value {
        Value { json, height: 0 }
    }
}

/// Decodes from the start of `rest`. Memory grows with the bytes that were read, never by a count in the input.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Value, Stop> {
        let marker = self.byte()?;
        let small = |bits: u8| usize::from(marker & bits);
        let json = match marker {
            0x00..=0x7f => Json::Int(marker.into()),
            0x80..=0x8f => return self.map(small(0x0f), depth),
            0x90..=0x9f => return self.array(small(0x0f), depth),
            0xa0..=0xbf => return self.text(small(0x1f)),
            0xc0 => Json::Null,
            0xc1 => return Err(Stop::Malformed),
            0xc2 | 0xc3 => Json::Bool(marker == 0xc3),
            0xc4..=0xc6 => {
                let len = self.len(marker - 0xc4)?;
                return Ok(Value { json: tagged::bytes(self.take(len)?)?, height: 1 });
            }
            0xc7..=0xc9 => {
                let len = self.len(marker - 0xc7)?;
                return self.ext(len);
            }
            0xca => Json::Float(f32::from_be_bytes(self.bytes()?).into()),
            0xcb => Json::Float(f64::from_be_bytes(self.bytes()?)),
            0xcc => Json::Int(self.byte()?.into()),
            0xcd => Json::Int(u16::from_be_bytes(self.bytes()?).into()),
            0xce => Json::Int(u32::from_be_bytes(self.bytes()?).into()),
            0xcf => {
                let value = u64::from_be_bytes(self.bytes()?);
                i64::try_from(value).map_or_else(|_| Json::BigInt(value.to_string().into()), Json::Int)
            }
            0xd0 => Json::Int(i8::from_be_bytes(self.bytes()?).into()),
            0xd1 => Json::Int(i16::from_be_bytes(self.bytes()?).into()),
            0xd2 => Json::Int(i32::from_be_bytes(self.bytes()?).into()),
            0xd3 => Json::Int(i64::from_be_bytes(self.bytes()?)),
            0xd4..=0xd8 => return self.ext(1 << (marker - 0xd4)),
            0xd9..=0xdb => {
                let len = self.len(marker - 0xd9)?;
                return self.text(len);
            }
            0xdc | 0xdd => {
                let len = self.len(marker - 0xdc + 1)?;
                return self.array(len, depth);
            }
            0xde | 0xdf => {
                let len = self.len(marker - 0xde + 1)?;
                return self.map(len, depth);
            }
            0xe0..=0xff => Json::Int(marker.cast_signed().into()),
        };
        Ok(json.into())
    }

    fn array(&mut self, count: usize, depth: usize) -> Result<Value, Stop> {
        let (mut items, mut height) = (Vec::new(), 0);
        for _ in 0..self.believed(count, depth)? {
            let item = self.value(depth + 1)?;
            height = height.max(item.height);
            memory::push(&mut items, item.json)?;
        }
        Ok(Value { json: Json::Array(items), height: height + 1 })
    }

    fn map(&mut self, count: usize, depth: usize) -> Result<Value, Stop> {
        let (mut pairs, mut height) = (Vec::new(), 0);
        for _ in 0..self.believed(count, depth)? {
            let (key, value) = (self.value(depth + 1)?, self.value(depth + 1)?);
            height = height.max(key.height).max(value.height);
            memory::push(&mut pairs, (key.json, value.json))?;
        }
        let (json, is_plain) = tagged::map(pairs)?;
        Ok(Value { json, height: height + if is_plain { 1 } else { 3 } })
    }

    /// Checks the count of an array or map at this depth. Each member takes at least one byte.
    fn believed(&self, count: usize, depth: usize) -> Result<usize, Stop> {
        if depth < MAX_HEIGHT && count <= self.rest.len() { Ok(count) } else { Err(Stop::Malformed) }
    }

    fn text(&mut self, len: usize) -> Result<Value, Stop> {
        let json = tagged::text(self.take(len)?)?;
        let height = usize::from(json.as_str().is_none());
        Ok(Value { json, height })
    }

    fn ext(&mut self, len: usize) -> Result<Value, Stop> {
        let code = i8::from_be_bytes(self.bytes()?);
        Ok(Value { json: tagged::ext(code, self.take(len)?)?, height: 2 })
    }

    /// Reads a length that is stored in `1 << size` bytes.
    fn len(&mut self, size: u8) -> Result<usize, Stop> {
        match size {
            0 => self.byte().map(usize::from),
            1 => self.bytes().map(u16::from_be_bytes).map(usize::from),
            _ => usize::try_from(u32::from_be_bytes(self.bytes()?)).map_err(|_| Stop::Malformed),
        }
    }

    fn byte(&mut self) -> Result<u8, Stop> {
        self.bytes().map(|[byte]| byte)
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(Stop::Malformed)?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], Stop> {
        let (bytes, rest) = self.rest.split_at_checked(len).ok_or(Stop::Malformed)?;
        self.rest = rest;
        Ok(bytes)
    }
}
