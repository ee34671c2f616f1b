//! The facts that `blpk info` prints.

use blosc_core::{Chunk, Header, LazyChunk, memory};
use bloscpack_format::zarr::ArrayMeta;
use bloscpack_format::{Format, Json};
use bloscpack_io::bcolz::{Below, Root};
use bloscpack_io::describe::{self, Contents};
use bloscpack_io::zarr::Group;
use bloscpack_io::{AnyDirectory, Archive, Array, Error, Input, ReadAt};

use crate::opened::{Opened, Place, limits};
use crate::source::HostFile;

/// Number of chunk files up to which the stored ones are counted. Each takes a look at its file.
const MAX_COUNTED: u64 = 1024;
/// Number of arrays of a group whose facts are listed.
const MAX_ARRAYS: usize = 16;

/// Returns the texts.
pub(crate) fn texts(opened: &Opened) -> Result<Vec<String>, Error> {
    match opened {
        Opened::Array(array, place) => of_array(array, place),
        Opened::Table(table) => describe::ctable(table),
        Opened::Columns { rows, problem, .. } => {
            Ok(vec![format!("{}: {rows} rows; not all columns can be read: {}", Format::Ctable, problem.report())])
        }
        Opened::Group { store, arrays, .. } => of_group(store, arrays),
    }
}

fn of_array(array: &Array<'_>, place: &Place) -> Result<Vec<String>, Error> {
    let archive = array.archive();
    if let Some(header) = archive.header() {
        let first = first_chunk(archive, place)?;
        return Ok(describe::bloscpack(archive, header, first.as_ref())?);
    }
    if let Some(frame) = archive.frame() {
        return describe::frame(archive, frame);
    }
    if let Some(meta) = archive.zarr() {
        return describe::zarr::array(archive, meta, None, is_counted(meta));
    }
    match place {
        Place::Directory(dir) if archive.carray().is_some() => describe::bcolz(&Root::open(dir.clone())?),
        Place::File(file) if archive.is_compressed() => of_chunk(file),
        _ if archive.numpy().is_some() => Ok(vec![describe::npy(array)?]),
        _ => Ok(vec![format!("{}: {}", archive.format(), describe::double_pretty_size(array.nbytes()))]),
    }
}

/// Returns whether the chunk files of an array are few. A shard is one file with many chunks.
fn is_counted(meta: &ArrayMeta) -> bool {
    let file = meta.codecs.sharding.as_ref().map_or(&meta.chunkshape, |sharding| &sharding.shape);
    let files = meta.shape.iter().zip(file).map(|(len, part)| len.div_ceil((*part).max(1)));
    files.fold(1, u64::saturating_mul) <= MAX_COUNTED
}

/// Reads the first bytes of the first chunk of a bloscpack file.
fn first_chunk(archive: &Archive<'_>, place: &Place) -> Result<Option<[u8; 16]>, Error> {
    let (Some(position), Place::File(file)) = (archive.chunk_position(0), place) else { return Ok(None) };
    let mut first = [0; 16];
    file.read_exact_at(position, &mut first)?;
    Ok(Some(first))
}

fn of_chunk(file: &HostFile) -> Result<Vec<String>, Error> {
    let refuse = |source| Error::Chunk { chunk: 0, offset: 0, source };
    let len = file.len()?;
    limits().check_memory("a chunk", len)?;
    let mut bytes = memory::zeroed(usize::try_from(len).unwrap_or(usize::MAX))?;
    file.read_exact_at(0, &mut bytes)?;
    let header = Header::parse(&bytes).map_err(refuse)?;
    let contents = match header.is_lazy() && header.special_value().is_none() {
        true => Contents::Lazy(LazyChunk::parse(&bytes).map_err(refuse)?),
        false => {
            let chunk = Chunk::parse(&bytes).map_err(refuse)?;
            Contents::Chunk { chunk, bstarts: chunk.bstarts().map_err(refuse)? }
        }
    };
    let header = if let Contents::Chunk { chunk, .. } = &contents { chunk.header() } else { header };
    let counts = contents.count().map_err(refuse)?;
    describe::chunk(&header, &contents, &counts).map_err(refuse)
}

/// Lists the facts of a group and of its first arrays. An array that cannot be read is named with the error.
fn of_group(store: &AnyDirectory, arrays: &[String]) -> Result<Vec<String>, Error> {
    let group = Group::open(store)?;
    let mut texts = describe::zarr::group(group.meta(), arrays.len())?;
    for name in arrays.iter().take(MAX_ARRAYS) {
        match of_member(store, name) {
            Ok(found) => texts.extend(found),
            Err(error) if error.out_of_memory().is_some() => return Err(error),
            Err(error) => {
                texts.push(format!("{}: cannot be read: {}", Json::from(name.as_str()).dumps(), error.report()))
            }
        }
    }
    if arrays.len() > MAX_ARRAYS {
        texts.push(format!("… and {} more arrays", arrays.len() - MAX_ARRAYS));
    }
    Ok(texts)
}

fn of_member(store: &AnyDirectory, name: &str) -> Result<Vec<String>, Error> {
    let archive = Archive::open(Input::directory(Below::new(store, name)))?;
    match archive.zarr() {
        Some(meta) => describe::zarr::array(&archive, meta, Some(name), is_counted(meta)),
        None => Ok(Vec::new()),
    }
}
