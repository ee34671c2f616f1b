//! Conversion of JSON to MessagePack, each value in its shortest form.

use super::tagged::{self, Tagged};
use crate::error::{FormatError, Part};
use crate::json::Json;
use blosc_core::{OutOfMemory, memory};

/// Encodes a value as MessagePack, as Python's `msgpack` does.
///
/// # Errors
///
/// [`FormatError::LimitExceeded`] for strings, arrays and objects of more than 2³² - 1 bytes or members;
/// [`FormatError::OutOfMemory`].
pub fn from_json(value: &Json) -> Result<Vec<u8>, FormatError> {
    let mut out = Vec::new();
    write(value, &mut out)?;
    Ok(out)
}

fn write(value: &Json, out: &mut Vec<u8>) -> Result<(), FormatError> {
    match value {
        Json::Null => memory::push(out, 0xc0)?,
        Json::Bool(value) => memory::push(out, if *value { 0xc3 } else { 0xc2 })?,
        Json::Int(value) => int(*value, out)?,
        Json::BigInt(digits) => match digits.parse::<u64>() {
            Ok(value) => put(0xcf, &value.to_be_bytes(), out)?,
            Err(_) => {
                memory::push(out, 0x81)?;
                text(tagged::INT.as_bytes(), out)?;
                text(digits.as_bytes(), out)?;
            }
        },
        Json::Float(value) => put(0xcb, &value.to_be_bytes(), out)?,
        Json::String(string) => text(string.as_bytes(), out)?,
        Json::Array(items) => {
            head(items.len(), Some((0x90, 15)), [None, Some(0xdc), Some(0xdd)], out)?;
            items.iter().try_for_each(|item| write(item, out))?;
        }
        Json::Object(members) => match Tagged::parse(members)? {
            Some(tagged) => write_tagged(&tagged, members, out)?,
            None => object(members, out)?,
        },
    }
    Ok(())
}

fn write_tagged(tagged: &Tagged<'_>, members: &[(String, Json)], out: &mut Vec<u8>) -> Result<(), FormatError> {
    match tagged {
        Tagged::Bytes(bytes) => {
            head(bytes.len(), None, [Some(0xc4), Some(0xc5), Some(0xc6)], out)?;
            memory::extend(out, bytes)?;
        }
        Tagged::Str(bytes) => text(bytes, out)?,
        Tagged::Ext(code, data) => {
            match data.len() {
                1 => memory::push(out, 0xd4)?,
                2 => memory::push(out, 0xd5)?,
                4 => memory::push(out, 0xd6)?,
                8 => memory::push(out, 0xd7)?,
                16 => memory::push(out, 0xd8)?,
                len => head(len, None, [Some(0xc7), Some(0xc8), Some(0xc9)], out)?,
            }
            memory::push(out, code.cast_unsigned())?;
            memory::extend(out, data)?;
        }
        Tagged::Map(pairs) => {
            map_head(pairs.len(), out)?;
            pairs.iter().filter_map(Json::as_array).flatten().try_for_each(|item| write(item, out))?;
        }
        // `$raw` is valid only as the whole content.
        Tagged::Raw(_) => object(members, out)?,
    }
    Ok(())
}

fn object(members: &[(String, Json)], out: &mut Vec<u8>) -> Result<(), FormatError> {
    map_head(members.len(), out)?;
    members.iter().try_for_each(|(name, value)| {
        text(name.as_bytes(), out)?;
        write(value, out)
    })
}

fn map_head(len: usize, out: &mut Vec<u8>) -> Result<(), FormatError> {
    head(len, Some((0x80, 15)), [None, Some(0xde), Some(0xdf)], out)
}

fn text(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), FormatError> {
    head(bytes.len(), Some((0xa0, 31)), [Some(0xd9), Some(0xda), Some(0xdb)], out)?;
    Ok(memory::extend(out, bytes)?)
}

/// Writes a length: in the marker up to a maximum, otherwise after a marker for 8, 16 or 32 bits.
fn head(
    len: usize,
    within: Option<(u8, usize)>,
    markers: [Option<u8>; 3],
    out: &mut Vec<u8>,
) -> Result<(), FormatError> {
    let [byte, short, long] = markers;
    if let Some((marker, max)) = within
        && len <= max
    {
        Ok(memory::push(out, marker | len as u8)?)
    } else if let (Some(marker), Ok(len)) = (byte, u8::try_from(len)) {
        Ok(put(marker, &[len], out)?)
    } else if let (Some(marker), Ok(len)) = (short, u16::try_from(len)) {
        Ok(put(marker, &len.to_be_bytes(), out)?)
    } else if let (Some(marker), Ok(len)) = (long, u32::try_from(len)) {
        Ok(put(marker, &len.to_be_bytes(), out)?)
    } else {
        Err(FormatError::LimitExceeded { part: Part::VlMetalayer, limit: u32::MAX.into() })
    }
}

fn int(value: i64, out: &mut Vec<u8>) -> Result<(), OutOfMemory> {
    if let Ok(value) = u64::try_from(value) {
        match value {
            0..=0x7f => memory::push(out, value as u8),
            0x80..=0xff => put(0xcc, &[value as u8], out),
            0x100..=0xffff => put(0xcd, &(value as u16).to_be_bytes(), out),
            0x1_0000..=0xffff_ffff => put(0xce, &(value as u32).to_be_bytes(), out),
            _ => put(0xcf, &value.to_be_bytes(), out),
        }
    } else if value >= -32 {
        memory::push(out, (value as i8).cast_unsigned())
    } else if let Ok(value) = i8::try_from(value) {
        put(0xd0, &value.to_be_bytes(), out)
    } else if let Ok(value) = i16::try_from(value) {
        put(0xd1, &value.to_be_bytes(), out)
    } else if let Ok(value) = i32::try_from(value) {
        put(0xd2, &value.to_be_bytes(), out)
    } else {
        put(0xd3, &value.to_be_bytes(), out)
    }
}

fn put(marker: u8, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), OutOfMemory> {
    memory::push(out, marker)?;
    memory::extend(out, bytes)
}
