//! The class of an open file.

use blosc_core::memory;
use bloscpack_format::detect::DIRECTORY_FILES;
use bloscpack_format::numpy::{NumpyMeta, Order, npy};
use bloscpack_format::{Json, numpy};
use bloscpack_io::{Array, Error, ErrorKind};
use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::error::{error, invalid, of_io};
use crate::opened::{self, Opened, unpack_options};
use crate::text::Lines;
use crate::{describe, items, rest};

/// An open file or directory.
#[wasm_bindgen(js_name = Opened)]
pub struct File {
    opened: Opened,
    /// The parts that the last call of `readRest` could not read.
    lost: String,
    /// The items of which `textPart` has not returned all.
    lines: Option<Lines>,
}

impl File {
    fn of(opened: Result<Opened, Error>) -> Result<File, JsValue> {
        let file = |opened| File { opened, lost: "[]".into(), lines: None };
        opened.map(file).map_err(|error| of_io(&error))
    }

    fn array(&self) -> Result<&Array<'static>, JsValue> {
        self.opened.as_array().ok_or_else(|| invalid("a table or group has no items of its own; open a member"))
    }

    fn read_into(
        &self,
        slice: &str,
        read: impl FnOnce(&Array<'_>, &numpy::Selection, &mut [u8]) -> Result<(), Error>,
    ) -> Result<Vec<u8>, JsValue> {
        let array = self.array()?;
        let read = || {
            let selection = opened::select(array, slice)?;
            let mut items = opened::room(array, &selection)?;
            read(array, &selection, &mut items)?;
            items::to_little_endian(&array.meta().dtype, &mut items);
            Ok(items)
        };
        read().map_err(|error| of_io(&error))
    }
}

#[wasm_bindgen(js_class = Opened)]
impl File {
    /// Opens a file. With `raw`, its bytes are the array.
    ///
    /// # Errors
    /// As opening an array.
    #[wasm_bindgen(js_name = openFile)]
    pub fn open_file(number: u32, raw: bool) -> Result<File, JsValue> {
        File::of(Opened::file(number, raw))
    }

    /// Opens a directory.
    ///
    /// # Errors
    /// As opening an array.
    #[wasm_bindgen(js_name = openDirectory)]
    pub fn open_directory(number: u32) -> Result<File, JsValue> {
        match Opened::directory(number) {
            Ok(Some(opened)) => File::of(Ok(opened)),
            Ok(None) => {
                let files = DIRECTORY_FILES.join(", ");
                Err(error(ErrorKind::NotFound, &format!("nothing that can be read: expected one of the files {files}")))
            }
            Err(error) => File::of(Err(error)),
        }
    }

    /// Opens a column of a table, or an array of a group.
    ///
    /// # Errors
    /// As opening an array.
    pub fn member(&self, name: &str) -> Result<File, JsValue> {
        File::of(self.opened.member(name))
    }

    /// Returns kind, format, sizes and dtype as JSON.
    ///
    /// # Errors
    /// A lack of memory.
    pub fn describe(&self) -> Result<String, JsValue> {
        describe::describe(&self.opened).map_err(|error| of_io(&error))
    }

    /// Returns the facts as `blpk info` prints them.
    ///
    /// # Errors
    /// Metadata that cannot be read.
    #[cfg(feature = "info")]
    pub fn info(&self) -> Result<String, JsValue> {
        let texts = crate::info::texts(&self.opened).map_err(|error| of_io(&error))?;
        Ok(texts.iter().flat_map(|text| text.lines()).collect::<Vec<_>>().join("\n"))
    }

    /// Returns the shape of the items that a slice selects.
    ///
    /// # Errors
    /// A slice that does not fit the array.
    #[wasm_bindgen(js_name = shapeOf)]
    pub fn shape_of(&self, slice: &str) -> Result<Vec<f64>, JsValue> {
        let selection = opened::select(self.array()?, slice).map_err(|error| of_io(&error))?;
        Ok(selection.shape().into_iter().map(|len| len as f64).collect())
    }

    /// Returns the selected items in C order, little-endian.
    ///
    /// # Errors
    /// The damage.
    pub fn read(&self, slice: &str) -> Result<Uint8Array, JsValue> {
        let read = |array: &Array<'_>, selection: &numpy::Selection, items: &mut [u8]| {
            array.read_into(selection, items, &unpack_options())
        };
        self.read_into(slice, read).map(|items| Uint8Array::from(items.as_slice()))
    }

    /// Returns the same with zeros in place of items that cannot be read. `lost` then lists them.
    ///
    /// # Errors
    /// Errors other than damage.
    #[wasm_bindgen(js_name = readRest)]
    pub fn read_rest(&mut self, slice: &str) -> Result<Uint8Array, JsValue> {
        let mut lost = Vec::new();
        let items = self.read_into(slice, |array, selection, items| {
            lost = rest::read(array, selection, items, &unpack_options())?;
            Ok(())
        })?;
        let lost = lost.iter().map(describe::part).collect();
        self.lost = Json::Array(lost).dumps();
        Ok(Uint8Array::from(items.as_slice()))
    }

    /// Returns the parts that the last call of `readRest` could not read, as JSON.
    #[wasm_bindgen(getter)]
    pub fn lost(&self) -> String {
        self.lost.clone()
    }

    /// Returns the selected items as a `.npy` file.
    ///
    /// # Errors
    /// The damage.
    pub fn npy(&self, slice: &str) -> Result<Uint8Array, JsValue> {
        let array = self.array()?;
        let saved = || -> Result<Vec<u8>, Error> {
            let selection = opened::select(array, slice)?;
            let nbytes = opened::nbytes(array, &selection)?;
            let meta = NumpyMeta { shape: selection.shape(), order: Order::C, ..array.meta().clone() };
            let head = npy::to_bytes(&meta)?;
            let mut file = memory::zeroed(head.len().saturating_add(usize::try_from(nbytes).unwrap_or(usize::MAX)))?;
            let (start, items) = file.split_at_mut(head.len());
            start.copy_from_slice(&head);
            // One read, because what is not here yet is fetched for a whole read.
            array.read_into(&selection, items, &unpack_options())?;
            Ok(file)
        };
        saved().map(|bytes| Uint8Array::from(bytes.as_slice())).map_err(|error| of_io(&error))
    }

    /// Reads the selected items, which `textPart` then returns as text.
    ///
    /// # Errors
    /// The damage.
    #[wasm_bindgen(js_name = textStart)]
    pub fn text_start(&mut self, slice: &str) -> Result<(), JsValue> {
        let array = self.array()?;
        let read = || {
            let selection = opened::select(array, slice)?;
            let mut items = opened::room(array, &selection)?;
            array.read_into(&selection, &mut items, &unpack_options())?;
            Lines::new(array.meta(), items)
        };
        self.lines = Some(read().map_err(|error| of_io(&error))?);
        Ok(())
    }

    /// Returns lines of comma-separated values with `across` items, at most `most` and at most a few MiB. An empty part is
    /// the last.
    ///
    /// # Errors
    /// A lack of memory.
    #[wasm_bindgen(js_name = textPart)]
    pub fn text_part(&mut self, most: u32, across: u32) -> Result<Uint8Array, JsValue> {
        let Some(lines) = &mut self.lines else { return Ok(Uint8Array::new_with_length(0)) };
        let text = lines.next(most, across as usize).map_err(|error| of_io(&error))?;
        if text.is_empty() {
            self.lines = None;
        }
        Ok(Uint8Array::from(text.as_slice()))
    }

    /// Returns a range of the uncompressed bytes.
    ///
    /// # Errors
    /// The damage.
    #[wasm_bindgen(js_name = readBytes)]
    pub fn read_bytes(&self, start: f64, stop: f64) -> Result<Uint8Array, JsValue> {
        let archive = self.array()?.archive();
        let mut bytes = Vec::new();
        let range = start as u64..stop as u64;
        let mut read = || {
            let nbytes = range.end.saturating_sub(range.start);
            opened::limits().check_output(nbytes, nbytes)?;
            archive.copy_range_with(range.clone(), &mut bytes, &unpack_options())
        };
        read().map(|()| Uint8Array::from(bytes.as_slice())).map_err(|error| of_io(&error))
    }

    /// Returns how chunks are stored, as a JSON list. The facts of a damaged chunk are its problem.
    ///
    /// # Errors
    /// A table or group.
    pub fn chunks(&self, start: f64, stop: f64) -> Result<String, JsValue> {
        let archive = self.array()?.archive();
        let chunks = start as u64..(stop as u64).min(archive.nchunks());
        let facts = chunks.map(|number| match archive.chunk_facts(number) {
            Ok(facts) => describe::chunk(&facts),
            Err(error) => describe::damaged_chunk(&error),
        });
        Json::Array(facts.collect()).try_dumps().map_err(|error| of_io(&error.into()))
    }
}
