//! References as JSON text, version 1 of kerchunk's.
//!
//! ```text
//! {"version": 1, "refs": {
//! ".zarray": "{\"zarr_format\": 2, …}",
//! ".zattrs": "{}",
//! "0.0": ["s3://bucket/a.b2nd", 146, 5120],
//! "0.1": "base64:AgGTIA…"
//! }}
//! ```

use std::io::{self, Write};

use blosc_core::OutOfMemory;
use bloscpack_format::{Attrs, Json};

use crate::Error;

use super::values::{ReferencedArray, ReferencedBytes, References};

impl References {
    /// Returns the references as JSON text.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn to_json(&self) -> Result<String, Error> {
        let mut text = Vec::new();
        self.write_json(&mut text).map_err(Error::writing)?;
        Ok(String::from_utf8(text).unwrap_or_default())
    }

    /// Writes the references as JSON text.
    ///
    /// # Errors
    /// The error of the writer; [`io::ErrorKind::OutOfMemory`].
    pub fn write_json(&self, output: &mut impl Write) -> io::Result<()> {
        let mut refs = Refs { output, separator: "" };
        refs.output.write_all(b"{\"version\": 1, \"refs\": {")?;
        if let Some(attributes) = &self.attributes {
            refs.text(".zgroup", r#"{"zarr_format": 2}"#)?;
            refs.text(".zattrs", &text_of(attributes)?)?;
        }
        for array in &self.arrays {
            refs.array(array)?;
        }
        refs.output.write_all(b"\n}}\n")
    }
}

/// The members of `refs`.
struct Refs<'a, W> {
    output: &'a mut W,
    separator: &'static str,
}

impl<W: Write> Refs<'_, W> {
    fn array(&mut self, array: &ReferencedArray) -> io::Result<()> {
        let prefix = array.name.as_ref().map_or(String::new(), |name| format!("{name}/"));
        self.text(&format!("{prefix}.zarray"), &array.metadata.try_dumps_spaced().map_err(refused)?)?;
        self.text(&format!("{prefix}.zattrs"), &text_of(&array.attributes)?)?;
        for chunk in &array.chunks {
            self.key(&key_of(&prefix, &chunk.at))?;
            match &chunk.bytes {
                ReferencedBytes::Stored { url, offset, length } => {
                    write!(self.output, "[{}, {offset}, {length}]", quoted(url)?)?;
                }
                ReferencedBytes::Inline(bytes) => {
                    let text = bloscpack_format::base64::encode(bytes).map_err(refused)?;
                    write!(self.output, "\"base64:{text}\"")?;
                }
            }
        }
        Ok(())
    }

    fn text(&mut self, key: &str, text: &str) -> io::Result<()> {
        self.key(key)?;
        self.output.write_all(quoted(text)?.as_bytes())
    }

    fn key(&mut self, key: &str) -> io::Result<()> {
        write!(self.output, "{}\n{}: ", self.separator, quoted(key)?)?;
        self.separator = ",";
        Ok(())
    }
}

/// Returns the key of a chunk: its position in the grid, `0` for an array without axes.
fn key_of(prefix: &str, at: &[u64]) -> String {
    let numbers: Vec<String> = at.iter().map(u64::to_string).collect();
    format!("{prefix}{}", if numbers.is_empty() { "0".into() } else { numbers.join(".") })
}

fn text_of(attributes: &Attrs) -> io::Result<String> {
    let json = attributes.try_clone().map_err(refused)?.into_members();
    Json::Object(json).try_dumps_spaced().map_err(refused)
}

fn quoted(text: &str) -> io::Result<String> {
    Json::String(text.to_owned()).try_dumps_spaced().map_err(refused)
}

fn refused(error: OutOfMemory) -> io::Error {
    error.into()
}
