//! The header of a `.npy` file.
//!
//! ```text
//! 0  93 'N' 'U' 'M' 'P' 'Y'     magic
//! 6  major minor                1.0, 2.0 or 3.0
//! 8  u16 (1.0) or u32           length of what follows, up to the data
//!    {'descr': '<f8', 'fortran_order': False, 'shape': (10, 12), }    spaces, newline
//! ```
//!
//! The text is Latin-1 in versions 1.0 and 2.0, UTF-8 in 3.0. Spaces align the data to a multiple of 64.

use super::dtype::tuple;
use super::literal::Literal;
use super::{Dtype, NumpyError, NumpyMeta, Order};
use crate::error::{FormatError, Part, TextProblem};
use blosc_core::memory;

/// The first six bytes of a `.npy` file.
pub const MAGIC: [u8; 6] = *b"\x93NUMPY";

/// Maximum length of a header. NumPy itself accepts 10 000 characters unless told to trust the file.
pub const MAX_HEADER_LEN: u32 = 1 << 20;

/// Alignment of the data.
const ALIGN: usize = 64;

/// NumPy leaves room for the growing axis to reach 21 digits, the length of the number of bits in 2⁶⁴ bytes.
const GROWTH_AXIS_DIGITS: usize = 21;

/// Parses the header at the start of `bytes`. Also returns the offset of the data.
///
/// # Errors
///
/// [`FormatError::Truncated`] if `bytes` is too short, [`FormatError::LimitExceeded`] for a header of more than
/// [`MAX_HEADER_LEN`] bytes, [`FormatError::Text`] or [`FormatError::Numpy`] if it is malformed.
pub fn parse(bytes: &[u8]) -> Result<(NumpyMeta, usize), FormatError> {
    let truncated = |needed: usize| FormatError::Truncated {
        part: Part::NpyHeader,
        needed: needed as u64,
        found: bytes.len() as u64,
    };
    if bytes.iter().zip(MAGIC).any(|(byte, magic)| *byte != magic) {
        return Err(NumpyError::NpyMagic.into());
    }
    let [_, _, _, _, _, _, major, minor, rest @ ..] = bytes else {
        return Err(truncated(8));
    };
    let (len, text_at) = match ((*major, *minor), rest) {
        ((1, 0), [a, b, ..]) => (u32::from(u16::from_le_bytes([*a, *b])), 10),
        ((1, 0), _) => return Err(truncated(10)),
        ((2 | 3, 0), [a, b, c, d, ..]) => (u32::from_le_bytes([*a, *b, *c, *d]), 12),
        ((2 | 3, 0), _) => return Err(truncated(12)),
        ((major, minor), _) => return Err(NumpyError::NpyVersion { major, minor }.into()),
    };
    if len > MAX_HEADER_LEN {
        return Err(FormatError::LimitExceeded { part: Part::NpyHeader, limit: u64::from(MAX_HEADER_LEN) });
    }
    let data_at = text_at + len as usize;
    let text = bytes.get(text_at..data_at).ok_or_else(|| truncated(data_at))?;
    let text = match major {
        3 => String::from_utf8(memory::copy_of(text)?).map_err(|e| FormatError::Text {
            part: Part::NpyHeader,
            offset: e.utf8_error().valid_up_to() as u64,
            problem: TextProblem::NotUtf8,
        })?,
        _ => {
            memory::check_free(2 * text.len())?;
            text.iter().copied().map(char::from).collect()
        }
    };
    Ok((meta(&Literal::parse(&text, Part::NpyHeader)?)?.checked()?, data_at))
}

/// Encodes the header of an array, in the oldest version that can represent it.
///
/// # Errors
///
/// [`FormatError::LimitExceeded`] if it would be longer than [`MAX_HEADER_LEN`].
pub fn to_bytes(meta: &NumpyMeta) -> Result<Vec<u8>, FormatError> {
    let fortran_order = match meta.order {
        Order::C => "False",
        Order::F => "True",
    };
    let shape = tuple(&meta.shape);
    let dtype = &meta.dtype;
    let mut text = memory::format(format_args!(
        "{{'descr': {dtype}, 'fortran_order': {fortran_order}, 'shape': {shape}, }}{:GROWTH_AXIS_DIGITS$}",
        ""
    ))?;
    text.truncate(text.len() - GROWTH_AXIS_DIGITS);
    let growing = match meta.order {
        Order::C => meta.shape.first(),
        Order::F => meta.shape.last(),
    };
    if let Some(axis) = growing {
        let room = GROWTH_AXIS_DIGITS.saturating_sub(axis.to_string().len());
        text.extend(std::iter::repeat_n(' ', room));
    }
    let latin1 = match text.chars().all(|c| u8::try_from(c).is_ok()) {
        // Each character is a Latin-1 byte.
        true => Some(memory::collect(text.chars().map(|c| c as u8))?),
        false => None,
    };
    let (version, text) = match latin1 {
        Some(latin1) if padded_len(10, latin1.len()) <= usize::from(u16::MAX) => (1, latin1),
        Some(latin1) => (2, latin1),
        None => (3, text.into_bytes()),
    };
    let text_at = if version == 1 { 10 } else { 12 };
    let len = padded_len(text_at, text.len());
    let len = u32::try_from(len)
        .ok()
        .filter(|len| *len <= MAX_HEADER_LEN)
        .ok_or(FormatError::LimitExceeded { part: Part::NpyHeader, limit: u64::from(MAX_HEADER_LEN) })?;
    let mut bytes = memory::with_capacity(text_at + len as usize)?;
    bytes.extend(MAGIC);
    bytes.extend([version, 0]);
    // The two high bytes of a length below 2¹⁶ are zero.
    bytes.extend(&len.to_le_bytes()[..text_at - 8]);
    bytes.extend(text);
    bytes.resize(text_at + len as usize - 1, b' ');
    bytes.push(b'\n');
    Ok(bytes)
}

/// Returns the length to write: the text, at least one space (NumPy writes a full line of them rather than none), a
/// newline.
fn padded_len(text_at: usize, text_len: usize) -> usize {
    let unpadded = text_at + text_len + 1;
    unpadded + (ALIGN - unpadded % ALIGN) - text_at
}

fn meta(header: &Literal) -> Result<NumpyMeta, NumpyError> {
    let Literal::Dict(members) = header else {
        return Err(NumpyError::Descr("the header of a .npy file must be a dict"));
    };
    let get = |key: &'static str| {
        // If a key occurs twice, the last one counts, as in any Python dict.
        let found = members.iter().rev().find(|(name, _)| matches!(name, Literal::Str(name) if name == key));
        found.map(|(_, value)| value).ok_or(NumpyError::Key(key))
    };
    let order = match get("fortran_order")? {
        Literal::Bool(false) => Order::C,
        Literal::Bool(true) => Order::F,
        _ => return Err(NumpyError::Key("fortran_order")),
    };
    let axis = |item: &Literal| match item {
        Literal::Int(n) => u64::try_from(*n).map_err(|_| NumpyError::Key("shape")),
        _ => Err(NumpyError::Key("shape")),
    };
    let shape = match get("shape")? {
        Literal::Tuple(items) => items.iter().map(axis).collect::<Result<_, _>>()?,
        _ => return Err(NumpyError::Key("shape")),
    };
    Ok(NumpyMeta { dtype: Dtype::from_literal(get("descr")?)?, shape, order })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(descr: &str, shape: &[u64], order: Order) -> NumpyMeta {
        NumpyMeta { dtype: Dtype::parse(descr).unwrap(), shape: shape.to_vec(), order }
    }

    #[test]
    fn version_follows_from_the_text() {
        let long = format!("[{}]", (0..9000).map(|i| format!("('{i}', '<i4')")).collect::<Vec<_>>().join(", "));
        for (descr, version) in [("'<f8'", 1), ("[('é', '<f8')]", 1), (&long, 2), ("[('☃', '<f8')]", 3)] {
            let meta = of(descr, &[3, 4], Order::F);
            let bytes = to_bytes(&meta).unwrap();
            assert_eq!(bytes[6], version);
            assert_eq!(bytes.len() % ALIGN, 0);
            assert_eq!(parse(&bytes), Ok((meta, bytes.len())));
        }
    }

    #[test]
    fn every_truncation_says_how_much_is_needed() {
        let bytes = to_bytes(&of("'<f8'", &[], Order::C)).unwrap();
        for cut in 0..bytes.len() {
            let needed = parse(&bytes[..cut]).unwrap_err().bytes_needed().unwrap();
            assert!(needed as usize > cut && needed as usize <= bytes.len(), "{cut} {needed}");
        }
    }

    #[test]
    fn reads_what_python_2_wrote() {
        let text = b"{'descr': [(u'a', '<f4')], 'fortran_order': False, 'shape': (5L,), }\n";
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text);
        assert_eq!(parse(&bytes), Ok((of("[('a', '<f4')]", &[5], Order::C), 10 + text.len())));
    }
}
