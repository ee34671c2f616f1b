//! A bcolz directory as text: the metadata of an array, or of a table's columns.

use blosc_core::{Filter, OutOfMemory};
use bloscpack_format::Json;
use bloscpack_format::bcolz::{Attrs, Cparams, Shuffle};

use super::size::double_pretty_size;
use super::text::{block, values};
use crate::Error;
use crate::bcolz::{Carray, Ctable, Root};
use crate::source::ReadDirectory;

/// Returns the metadata. No chunk is read.
///
/// # Errors
/// [`Error::OutOfMemory`]. Attributes that cannot be read are named with the error.
pub fn bcolz<D: ReadDirectory>(root: &Root<D>) -> Result<Vec<String>, Error> {
    match root {
        Root::Carray(carray) => one(carray, "Carray"),
        Root::Ctable(table) => ctable(table),
    }
}

/// As [`bcolz`], of a table.
///
/// # Errors
/// As [`bcolz`].
pub fn ctable<D: ReadDirectory>(table: &Ctable<D>) -> Result<Vec<String>, Error> {
    let mut texts = vec![block("Ctable", &[("rows", table.len().to_string())])];
    texts.extend(attributes(table.attrs())?);
    for (name, column) in table.names().iter().zip(table.columns()) {
        texts.extend(one(column, &Json::String(name.clone()).dumps())?);
    }
    Ok(texts)
}

fn one<D: ReadDirectory>(carray: &Carray<D>, title: &str) -> Result<Vec<String>, Error> {
    let mut texts = vec![block(title, &fields(carray)?)];
    texts.extend(attributes(carray.attrs())?);
    Ok(texts)
}

fn filters(cparams: &Cparams) -> impl Iterator<Item = &'static str> {
    let name = match cparams.shuffle {
        Shuffle::None => None,
        Shuffle::Byte => Some(Filter::Shuffle.name()),
        Shuffle::Bit => Some(Filter::BitShuffle.name()),
    };
    name.into_iter()
}

fn fields<D: ReadDirectory>(carray: &Carray<D>) -> Result<Vec<(&'static str, String)>, OutOfMemory> {
    let cparams = carray.cparams();
    Ok(vec![
        ("shape", format!("{:?}", carray.shape())),
        ("dtype", carray.dtype().to_string()),
        ("nbytes", double_pretty_size(carray.nbytes())),
        ("nchunks", carray.rows().nchunks().to_string()),
        ("chunklen", carray.chunklen().to_string()),
        ("codec", cparams.cname.clone()),
        ("clevel", cparams.clevel.to_string()),
        ("filters", filters(cparams).collect::<Vec<_>>().join(", ")),
        ("quantize", cparams.quantize.to_string()),
        ("dflt", carray.dflt().try_dumps_spaced()?),
    ])
}

fn attributes(attrs: Result<&Attrs, Error>) -> Result<Option<String>, Error> {
    match attrs {
        Ok(attrs) => Ok(values("Attributes", attrs, &[])?),
        Err(error) if error.out_of_memory().is_some() => Err(error),
        Err(error) => Ok(Some(format!("Attributes: cannot be read: {}", error.report()))),
    }
}
