//! `blpk info` of a bcolz directory: the metadata of an array, or of a table's columns.

use crate::json::{Object, number, text};
use crate::report::Report;
use anyhow::Result;
use blosc_core::Filter;
use bloscpack_format::Json;
use bloscpack_format::bcolz::{Attrs, Cparams, Shuffle};
use bloscpack_io::bcolz::{Carray, Column, Ctable, Root};
use bloscpack_io::{AnyDirectory, Error, ReadDirectory, describe};

/// Returns the metadata as an object. No chunk is read, and unreadable attributes are left out.
pub(super) fn object(directory: AnyDirectory) -> Result<Object> {
    Ok(match Root::open(directory)? {
        Root::Carray(carray) => with_attrs(array(Object::new("bcolz-carray"), &carray)?, carray.attrs())?,
        Root::Ctable(table) => with_attrs(columns(&table)?, table.attrs())?,
    })
}

/// Prints the metadata as text.
pub(super) fn print(directory: AnyDirectory, report: &Report) -> Result<()> {
    describe::bcolz(&Root::open(directory)?)?.iter().for_each(|text| report.normal(text));
    Ok(())
}

fn columns(table: &Ctable<AnyDirectory>) -> Result<Object> {
    let named = || table.names().iter().zip(table.columns());
    let described = named().map(|(name, column)| {
        let object = array(Object::inner().with("name", text(name)), column)?;
        Ok(with_attrs(object, column.attrs())?.into_json())
    });
    let described = described.collect::<Result<Vec<_>>>()?;
    let sum = |of: fn(&Column<AnyDirectory>) -> i64| table.columns().iter().map(of).fold(0, i64::saturating_add);
    let atoms = |column: &Column<AnyDirectory>| column.rows().atomsize().cast_signed();
    Ok(Object::new("bcolz-ctable")
        .with("nbytes", Json::Int(sum(|column| column.nbytes().cast_signed())))
        .with("cbytes", Json::Int(sum(|column| column.sizes().cbytes)))
        .with("typesize", Json::Int(sum(atoms).max(1)))
        .with("nchunks", Json::Int(sum(|column| column.rows().nchunks().cast_signed())))
        .with("shape", Json::Array(vec![number(table.len())]))
        .with("dtype", Json::String(table.row_descr()?))
        .with("rows", number(table.len()))
        .with("columns", Json::Array(table.names().iter().map(|name| text(name)).collect()))
        .with("carrays", Json::Array(described)))
}

fn array<D: ReadDirectory>(object: Object, carray: &Carray<D>) -> Result<Object> {
    let cparams = carray.cparams();
    let object = object
        .with("nbytes", number(carray.nbytes()))
        .with("cbytes", Json::Int(carray.sizes().cbytes))
        .with("typesize", number(carray.dtype().typesize() as u64))
        .with("nchunks", number(carray.rows().nchunks()))
        .with("chunklen", number(carray.chunklen()))
        .with("codec", text(&cparams.cname))
        .with("clevel", number(cparams.clevel.into()))
        .with("filters", Json::Array(filters(cparams).map(text).collect()))
        .with("quantize", number(cparams.quantize.into()))
        .with("dflt", carray.dflt().try_clone()?);
    Ok(match carray.numpy() {
        Ok(meta) => object.with_array(&meta)?,
        // Python objects get NumPy's type string for them.
        Err(_) => {
            let shape = Json::Array(carray.shape().iter().map(|len| number(*len)).collect());
            object.with("shape", shape).with("dtype", text("|O")).with("order", text("C"))
        }
    })
}

fn filters(cparams: &Cparams) -> impl Iterator<Item = &'static str> {
    let name = match cparams.shuffle {
        Shuffle::None => None,
        Shuffle::Byte => Some(Filter::Shuffle.name()),
        Shuffle::Bit => Some(Filter::BitShuffle.name()),
    };
    name.into_iter()
}

fn with_attrs(object: Object, attrs: Result<&Attrs, Error>) -> Result<Object> {
    match attrs {
        Ok(attrs) => Ok(object.with("attrs", attrs.to_json()?)),
        Err(error) if error.out_of_memory().is_some() => Err(error.into()),
        Err(_) => Ok(object),
    }
}
