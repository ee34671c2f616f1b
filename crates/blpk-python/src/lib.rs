//! The extension module `blpk._core`: the functions and classes of the Python package `blpk` that need Rust.
//!
//! Everything that only arranges Python values is in `python/blpk`. This crate converts arguments, releases the
//! interpreter during work, and turns errors into exceptions.
//!
//! | file | content |
//! |---|---|
//! | `buffer` | memory of Python objects, by the buffer protocol; the only `unsafe` code |
//! | `error` | errors as the exceptions of `blpk._errors` |
//! | `run` | long work without the interpreter, on the requested threads, ended by Ctrl-C |
//! | `settings` | parameters of compression, and limits, from keyword arguments |
//! | `source` | inputs: paths, buffers, file objects |
//! | `reader` | containers open for reading |
//! | `reference` | references to the chunks of containers |
//! | `write` | new containers |
//! | `edit` | changes of containers, one crash-safe change at a time |
//! | `chunk` | chunks: compress, decompress, items, facts |
//! | `ndchunk` | chunks of b2nd arrays |
//! | `command` | the command line `blpk` |
//! | `pack` | whole bloscpack files: pack, unpack, append |
//! | `packer` | a bloscpack file that is written piece by piece |
//! | `table`, `table_edit` | bcolz tables: described and read; created and changed |
//! | `scatter` | columns into records |
//! | `arrow` | tables as Arrow streams |
#![deny(unsafe_code)]

mod arrow;
#[allow(unsafe_code)]
mod buffer;
mod chunk;
mod command;
mod edit;
mod error;
mod ndchunk;
mod pack;
mod packer;
mod reader;
mod reference;
mod run;
mod scatter;
mod settings;
mod source;
mod table;
mod table_edit;
mod write;

use pyo3::prelude::*;

/// Compiled part of the package `blpk`.
#[pymodule(gil_used = false)]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        bloscpack_io::blosc_core::memory::set_left(bloscpack_io::memory_left);
        crate::run::prepare_for_forks(module.py())
    }

    #[pymodule_export]
    use crate::arrow::{table_schema, table_stream};
    #[pymodule_export]
    use crate::chunk::{chunk_info, compress, decompress, getitem};
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::edit::{append, resize, set_attribute, set_items, set_vlmeta};
    #[pymodule_export]
    use crate::ndchunk::{decode_ndchunk, encode_ndchunk};
    #[pymodule_export]
    use crate::pack::{append_to_file, pack_to_bytes, pack_to_file, unpack_into, unpack_to_bytes, unpack_to_file};
    #[pymodule_export]
    use crate::packer::Packer;
    #[pymodule_export]
    use crate::reader::Reader;
    #[pymodule_export]
    use crate::reference::reference;
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::table_edit::{
        add_column, append_rows, create_table, delete_column, rename_column, resize_table, set_table_attr,
    };
    #[pymodule_export]
    use crate::write::{create_array, save_array};
}
