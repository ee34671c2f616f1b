//! Rows as Arrow arrays. Numbers in the byte order of the machine are not copied.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, StringArray, StructArray};
use arrow_buffer::{BooleanBuffer, Buffer, OffsetBuffer, ScalarBuffer};

use super::layout::{Layout, Member};
use super::value::{Refusal, fixed, swapped};

impl Layout {
    /// Returns `count` items as an array.
    ///
    /// # Errors
    /// [`Refusal`] of the first value that has no place in it.
    pub(super) fn array(&self, plain: Vec<u8>, count: usize) -> Result<ArrayRef, Refusal> {
        if plain.len() != count.saturating_mul(self.size()) {
            let what = format!("{} bytes instead of {count} items of {}", plain.len(), self.size());
            return Err(Refusal { index: 0, what });
        }
        match self {
            Layout::Bool => {
                let bits = BooleanBuffer::collect_bool(count, |index| plain.get(index).is_some_and(|byte| *byte != 0));
                Ok(Arc::new(BooleanArray::new(bits, None)))
            }
            Layout::Plain { data_type, size, swap } => {
                let plain = if *swap { swapped(plain, *size) } else { plain };
                fixed(data_type.clone(), count, plain, None)
            }
            Layout::Bytes { size, binary } => bytes(&plain, *size, *binary),
            Layout::Text { size, swap } => text(&plain, *size, *swap),
            Layout::Ticks(ticks) => ticks.array(plain, count),
            Layout::List { item, len } => {
                let items = item.array(plain, count.saturating_mul(*len));
                let items = items.map_err(|refusal| Refusal { index: refusal.index / len, ..refusal })?;
                let list = FixedSizeListArray::try_new(item.item_field(), *len as i32, items, None);
                Ok(Arc::new(list.map_err(Refusal::arrow)?))
            }
            Layout::Struct { members, size } => {
                let array = |member: &Member| member.layout.array(gathered(&plain, *size, member), count);
                let arrays = members.iter().map(array).collect::<Result<Vec<_>, _>>()?;
                let array = StructArray::try_new_with_length(Self::fields(members), arrays, None, count);
                Ok(Arc::new(array.map_err(Refusal::arrow)?))
            }
        }
    }
}

/// Returns the bytes of one member of each struct.
fn gathered(plain: &[u8], size: usize, member: &Member) -> Vec<u8> {
    let range = member.offset..member.offset.saturating_add(member.layout.size());
    plain.chunks_exact(size.max(1)).flat_map(|item| item.get(range.clone()).unwrap_or_default()).copied().collect()
}

/// Returns bytes without the NULs that pad them.
fn bytes(plain: &[u8], size: usize, binary: bool) -> Result<ArrayRef, Refusal> {
    let mut values = Values::with_capacity(plain.len(), size);
    for item in plain.chunks_exact(size) {
        let len = item.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        values.bytes.extend_from_slice(item.get(..len).unwrap_or_default());
        values.end_item()?;
    }
    if binary {
        let array = BinaryArray::try_new(values.offsets(), Buffer::from_vec(values.bytes), None);
        return Ok(Arc::new(array.map_err(Refusal::arrow)?));
    }
    // One check of all bytes is faster than one of each item. It accepts an item that ends within a character, the
    // array does not.
    if std::str::from_utf8(&values.bytes).is_err() {
        return Err(not_text(plain, size));
    }
    let array = StringArray::try_new(values.offsets(), Buffer::from_vec(values.bytes), None);
    Ok(Arc::new(array.map_err(|_| not_text(plain, size))?))
}

fn not_text(plain: &[u8], size: usize) -> Refusal {
    let trimmed = |item: &[u8]| item.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let is_text = |item: &[u8]| std::str::from_utf8(item.get(..trimmed(item)).unwrap_or_default()).is_ok();
    let index = plain.chunks_exact(size).position(|item| !is_text(item)).unwrap_or(0);
    Refusal { index, what: "the bytes are not UTF-8; read the column as bytes, arrow(binary=[...])".into() }
}

/// Returns UTF-32 as UTF-8.
fn text(plain: &[u8], size: usize, swap: bool) -> Result<ArrayRef, Refusal> {
    let mut values = Values::with_capacity(plain.len() / 4, size);
    for (index, item) in plain.chunks_exact(size).enumerate() {
        let (points, _) = item.as_chunks::<4>();
        let len = points.iter().rposition(|point| *point != [0; 4]).map_or(0, |last| last + 1);
        for point in points.iter().take(len) {
            let code = u32::from_ne_bytes(*point);
            let code = if swap { code.swap_bytes() } else { code };
            let Some(character) = char::from_u32(code) else {
                return Err(Refusal { index, what: format!("{code:#x} is not a character of Unicode") });
            };
            let mut utf8 = [0; 4];
            values.bytes.extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
        }
        values.end_item()?;
    }
    let array = StringArray::try_new(values.offsets(), Buffer::from_vec(values.bytes), None);
    Ok(Arc::new(array.map_err(Refusal::arrow)?))
}

/// Values of different lengths, one after the other.
struct Values {
    bytes: Vec<u8>,
    ends: Vec<i32>,
}

impl Values {
    fn with_capacity(nbytes: usize, size: usize) -> Self {
        let mut ends = Vec::with_capacity(nbytes / size.max(1) + 1);
        ends.push(0);
        Values { bytes: Vec::with_capacity(nbytes), ends }
    }

    fn end_item(&mut self) -> Result<(), Refusal> {
        let refusal = || Refusal { index: self.ends.len() - 1, what: "the text of a batch exceeds 2 GiB".into() };
        let end = i32::try_from(self.bytes.len()).map_err(|_| refusal())?;
        self.ends.push(end);
        Ok(())
    }

    fn offsets(&mut self) -> OffsetBuffer<i32> {
        OffsetBuffer::new(ScalarBuffer::from(std::mem::take(&mut self.ends)))
    }
}
