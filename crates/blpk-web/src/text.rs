//! Items as lines of comma-separated values, some lines at a time: all of them may need many times the memory of the items.

use blosc_core::{OutOfMemory, memory};
use bloscpack_format::numpy::{Leaf, NumpyMeta};
use bloscpack_io::Error;

/// Items, of which the first [`done`](Self::done) were returned as lines.
pub(crate) struct Lines {
    leaves: Vec<Leaf>,
    itemsize: usize,
    items: Vec<u8>,
    done: usize,
}

/// No more lines are added to a part of this size.
const PART: usize = 1 << 20;

impl Lines {
    /// Takes the selected items of an array.
    ///
    /// # Errors
    /// Too many scalars in an item.
    pub(crate) fn new(meta: &NumpyMeta, items: Vec<u8>) -> Result<Self, Error> {
        let itemsize = (meta.dtype.itemsize() as usize).max(1);
        Ok(Lines { leaves: meta.dtype.leaves()?.unwrap_or_default(), itemsize, items, done: 0 })
    }

    /// Returns the next lines of `across` items, at most `most` lines, each with a newline. None are left if there are none.
    ///
    /// # Errors
    /// A lack of memory.
    pub(crate) fn next(&mut self, most: u32, across: usize) -> Result<Vec<u8>, Error> {
        let (mut text, mut field) = (Vec::new(), Vec::new());
        for _ in 0..most {
            let at = self.done.saturating_mul(self.itemsize);
            let line = self.items.get(at..).unwrap_or_default();
            let line = &line[..line.len().min(across.saturating_mul(self.itemsize))];
            if line.len() < self.itemsize || text.len() >= PART {
                break;
            }
            let mut is_first = true;
            for item in line.chunks_exact(self.itemsize) {
                if self.leaves.is_empty() {
                    hexadecimal(item, &mut text)?;
                }
                for leaf in &self.leaves {
                    for bytes in leaf.scalars(item) {
                        field.clear();
                        match leaf.scalar.has_text() {
                            true => leaf.scalar.text_of(bytes, &mut field)?,
                            false => hexadecimal(bytes, &mut field)?,
                        }
                        put(&mut text, &field, is_first)?;
                        is_first = false;
                    }
                }
            }
            memory::push(&mut text, b'\n')?;
            self.done += across;
        }
        Ok(text)
    }
}

/// Appends a field, after a comma unless it is the first, and in quotes where its text needs them.
fn put(line: &mut Vec<u8>, field: &[u8], is_first: bool) -> Result<(), OutOfMemory> {
    let is_quoted = field.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r'));
    memory::reserve(line, 3 + 2 * field.len())?;
    if !is_first {
        line.push(b',');
    }
    if !is_quoted {
        line.extend_from_slice(field);
        return Ok(());
    }
    line.push(b'"');
    for byte in field {
        if *byte == b'"' {
            line.push(b'"');
        }
        line.push(*byte);
    }
    line.push(b'"');
    Ok(())
}

/// Appends bytes in hexadecimal: scalars without a text form, and items without a list of scalars.
fn hexadecimal(bytes: &[u8], text: &mut Vec<u8>) -> Result<(), OutOfMemory> {
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            memory::push(text, b"0123456789abcdef"[usize::from(digit)])?;
        }
    }
    Ok(())
}
