//! Writes a stream of items to any output as text, as a `.npy` file or as raw bytes.

use std::io::{self, Write};

use blosc_core::memory;
use bloscpack_format::numpy::{Leaf, NumpyMeta, Order, npy};

use super::leaves::{each_text, text_leaves};
use crate::Error;

/// The format in which items are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ItemFormat {
    /// The raw bytes.
    Raw,
    /// A NumPy file: a header, then the bytes.
    Npy,
    /// Comma-separated values with a header line of names, and one line per index of the first axis.
    #[cfg(feature = "csv")]
    Csv,
    /// Text with spaces between items. An array of one axis has one line per item. Otherwise there is one line for each
    /// index of all axes but the last, and an empty line between planes.
    Text,
}

/// Writes items in a format. Their bytes must be written in C order.
#[derive(Debug)]
pub struct ItemWriter<W: Write>(Inner<W>);

#[derive(Debug)]
enum Inner<W: Write> {
    Bytes(W),
    #[cfg(feature = "csv")]
    Csv(Items, Box<csv::Writer<W>>),
    Text(Items, W),
}

/// Cuts bytes into items and items into lines.
#[derive(Debug)]
struct Items {
    leaves: Vec<Leaf>,
    itemsize: usize,
    /// Number of items in a line, and of lines in a plane.
    line: u64,
    plane: u64,
    /// Number of items written so far.
    done: u64,
    /// The start of an incomplete item.
    partial: Vec<u8>,
    text: Vec<u8>,
}

impl<W: Write> ItemWriter<W> {
    /// Starts writing the items of an array with the dtype and shape of `meta`. `name` is the name of its column.
    ///
    /// # Errors
    /// [`Error::NoText`] for items without a text form, or for more fields than a line can have; [`Error::Io`].
    pub fn new(output: W, format: ItemFormat, meta: &NumpyMeta, name: Option<&str>) -> Result<Self, Error> {
        let Some((_, inner)) = meta.shape.split_first() else {
            let meta = NumpyMeta { shape: vec![1], ..meta.clone() };
            return if format == ItemFormat::Npy {
                ItemWriter::npy(output, &NumpyMeta { shape: Vec::new(), ..meta })
            } else {
                ItemWriter::new(output, format, &meta, name)
            };
        };
        let inner = match format {
            ItemFormat::Raw => Inner::Bytes(output),
            ItemFormat::Npy => return ItemWriter::npy(output, meta),
            #[cfg(feature = "csv")]
            ItemFormat::Csv => {
                let items =
                    Items::new(meta, inner.iter().fold(1, |items, len| u64::saturating_mul(items, *len)), u64::MAX)?;
                let mut head = Vec::new();
                super::columns::field_names(name, inner, &items.leaves, &mut head)?;
                let mut writer = csv::Writer::from_writer(output);
                writer.write_record(&head).map_err(csv_error)?;
                Inner::Csv(items, Box::new(writer))
            }
            ItemFormat::Text => {
                let _ = name;
                let (line, plane) = match inner {
                    [] => (1, u64::MAX),
                    [last] => (*last, u64::MAX),
                    [.., lines, last] => (*last, *lines),
                };
                Inner::Text(Items::new(meta, line, plane)?, output)
            }
        };
        Ok(ItemWriter(inner))
    }

    fn npy(mut output: W, meta: &NumpyMeta) -> Result<Self, Error> {
        let head = npy::to_bytes(&NumpyMeta { order: Order::C, ..meta.clone() })?;
        output.write_all(&head).map_err(Error::writing)?;
        Ok(ItemWriter(Inner::Bytes(output)))
    }

    /// Writes the rest and returns the output.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(self) -> Result<W, Error> {
        let mut output = match self.0 {
            Inner::Bytes(output) | Inner::Text(_, output) => output,
            #[cfg(feature = "csv")]
            Inner::Csv(_, writer) => writer.into_inner().map_err(|error| Error::writing(error.into_error()))?,
        };
        output.flush().map_err(Error::writing)?;
        Ok(output)
    }
}

impl Items {
    fn new(meta: &NumpyMeta, line: u64, plane: u64) -> Result<Items, Error> {
        let leaves = text_leaves(&meta.dtype)?;
        let itemsize = meta.dtype.itemsize() as usize;
        Ok(Items { leaves, itemsize, line, plane, done: 0, partial: Vec::new(), text: Vec::new() })
    }

    /// Calls `write` with each whole item and the separator that follows it.
    fn take(
        &mut self,
        mut bytes: &[u8],
        mut write: impl FnMut(&[Leaf], &[u8], &mut Vec<u8>, End) -> Result<(), Error>,
    ) -> io::Result<()> {
        if self.itemsize == 0 {
            return Ok(());
        }
        while !bytes.is_empty() {
            let item = if self.partial.is_empty() && bytes.len() >= self.itemsize {
                let (item, rest) = bytes.split_at(self.itemsize);
                bytes = rest;
                item
            } else {
                let (more, rest) = bytes.split_at(bytes.len().min(self.itemsize - self.partial.len()));
                memory::extend(&mut self.partial, more)?;
                bytes = rest;
                if self.partial.len() < self.itemsize {
                    return Ok(());
                }
                &self.partial
            };
            let line = self.line.max(1);
            let end = End {
                starts_line: self.done.is_multiple_of(line),
                starts_plane: self.done > 0 && self.done.is_multiple_of(line.saturating_mul(self.plane.max(1))),
                ends_line: (self.done + 1).is_multiple_of(line),
            };
            write(&self.leaves, item, &mut self.text, end).map_err(into_io)?;
            self.done += 1;
            self.partial.clear();
        }
        Ok(())
    }
}

/// Position of an item in its line and plane.
#[derive(Clone, Copy)]
struct End {
    starts_line: bool,
    starts_plane: bool,
    ends_line: bool,
}

impl<W: Write> Write for ItemWriter<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Inner::Bytes(output) => return output.write(buf),
            #[cfg(feature = "csv")]
            Inner::Csv(items, writer) => items.take(buf, |leaves, item, text, end| {
                each_text(leaves, item, text, |text| writer.write_field(text).map_err(csv_error))?;
                if end.ends_line { writer.write_record(None::<&[u8]>).map_err(csv_error) } else { Ok(()) }
            })?,
            Inner::Text(items, output) => items.take(buf, |leaves, item, text, end| {
                if end.starts_plane {
                    output.write_all(b"\n").map_err(Error::writing)?;
                }
                let mut first = end.starts_line;
                each_text(leaves, item, text, |text| {
                    if !std::mem::replace(&mut first, false) {
                        output.write_all(b" ").map_err(Error::writing)?;
                    }
                    write_word(text, output).map_err(Error::writing)
                })?;
                if end.ends_line { output.write_all(b"\n").map_err(Error::writing) } else { Ok(()) }
            })?,
        }
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Inner::Bytes(output) | Inner::Text(_, output) => output.flush(),
            #[cfg(feature = "csv")]
            Inner::Csv(_, writer) => writer.flush(),
        }
    }
}

/// Writes a text as one word of a line. It is quoted and escaped if it is empty, contains spaces, or could control a
/// terminal.
fn write_word(text: &[u8], output: &mut impl Write) -> io::Result<()> {
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '"' | '\\');
    match std::str::from_utf8(text) {
        Ok(word) if !word.is_empty() && word.chars().all(plain) => output.write_all(text),
        Ok(word) => {
            output.write_all(b"\"")?;
            for c in word.chars() {
                if c == ' ' || plain(c) { write!(output, "{c}") } else { write!(output, "{}", c.escape_default()) }?;
            }
            output.write_all(b"\"")
        }
        Err(_) => write!(output, "\"{}\"", text.escape_ascii()),
    }
}

#[cfg(feature = "csv")]
pub(crate) fn csv_error(error: csv::Error) -> Error {
    if !error.is_io_error() {
        return Error::writing(io::Error::other(error));
    }
    Error::writing(match error.into_kind() {
        // Returns the error of the output itself, so that callers can recognise a closed pipe.
        csv::ErrorKind::Io(error) => error,
        _ => io::ErrorKind::Other.into(),
    })
}

/// Returns the error of the output itself, so that callers can recognise a closed pipe.
fn into_io(error: Error) -> io::Error {
    match error {
        Error::Io { source, .. } => source,
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use bloscpack_format::numpy::Dtype;

    use super::*;

    fn written(format: ItemFormat, dtype: &str, shape: &[u64], bytes: &[u8]) -> String {
        let meta = NumpyMeta { dtype: Dtype::parse(dtype).unwrap(), shape: shape.to_vec(), order: Order::C };
        let mut writer = ItemWriter::new(Vec::new(), format, &meta, None).unwrap();
        // The pieces are not aligned to items.
        bytes.chunks(3).for_each(|piece| writer.write_all(piece).unwrap());
        String::from_utf8_lossy(&writer.finish().unwrap()).into_owned()
    }

    #[test]
    fn lines_of_text() {
        let two: Vec<u8> = (1..=12u16).flat_map(u16::to_le_bytes).collect();
        assert_eq!(written(ItemFormat::Text, "'<u2'", &[3], &two[..6]), "1\n2\n3\n");
        assert_eq!(written(ItemFormat::Text, "'<u2'", &[2, 2], &two[..8]), "1 2\n3 4\n");
        assert_eq!(written(ItemFormat::Text, "'<u2'", &[2, 2, 3], &two), "1 2 3\n4 5 6\n\n7 8 9\n10 11 12\n");
        assert_eq!(written(ItemFormat::Text, "'<u2'", &[], &two[..2]), "1\n");
        assert_eq!(
            written(ItemFormat::Text, "'|S4'", &[3], b"a b\0\0\0\0\0\xff\"\x1b\0"),
            "\"a b\"\n\"\"\n\"\\xff\\\"\\x1b\"\n"
        );
        assert_eq!(
            written(ItemFormat::Text, "[('a', '<u2'), ('b', '|S2')]", &[2], b"\x01\0xy\x02\0zz"),
            "1 xy\n2 zz\n"
        );
    }

    #[cfg(feature = "csv")]
    #[test]
    fn lines_of_a_table() {
        let two: Vec<u8> = (1..=12u16).flat_map(u16::to_le_bytes).collect();
        assert_eq!(written(ItemFormat::Csv, "'<u2'", &[2], &two[..4]), "f0\n1\n2\n");
        assert_eq!(written(ItemFormat::Csv, "'<u2'", &[2, 2], &two[..8]), "f0_0,f0_1\n1,2\n3,4\n");
        assert_eq!(written(ItemFormat::Csv, "'<u2'", &[1, 2, 2], &two[..8]), "f0_0_0,f0_0_1,f0_1_0,f0_1_1\n1,2,3,4\n");
        let dtype = "[('a', '<u2'), ('', '|V2'), ('b', [('x', '<u2', (2,))])]";
        assert_eq!(written(ItemFormat::Csv, dtype, &[1], &two[..8]), "a,b.x_0,b.x_1\n1,3,4\n");
        assert_eq!(written(ItemFormat::Csv, "'|S3'", &[2], b"a,b\"\"\0"), "f0\n\"a,b\"\n\"\"\"\"\"\"\n");
    }

    #[test]
    fn a_numpy_file_has_its_header() {
        let bytes = written(ItemFormat::Npy, "'|u1'", &[2, 2], b"abcd");
        assert!(bytes.contains("'shape': (2, 2)") && bytes.ends_with("\nabcd"), "{bytes:?}");
    }
}
