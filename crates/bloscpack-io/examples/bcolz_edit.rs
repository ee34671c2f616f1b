//! Changes a bcolz directory by commands on stdin, for scripts that compare the results of other readers and writers.
//!
//! ```text
//! bcolz_edit ROOT < lines
//!
//! carray {"dtype": "int32", "shape": [3], "chunklen": 10, "expectedlen": 99, "cname": "lz4", "clevel": 5, "shuffle": 1,
//!         "quantize": 0, "dflt": 0}                    first, if there is to be a new one; all but dtype can be left out
//! ctable {"name": {...}, "name": {...}}                the same
//! append FILE,FILE,...  stream FILE,FILE,...           a file for each column
//! assign A:B:STEP FILE [COLUMN]     resize N           trim N           clear
//! attr NAME [JSON]      colattr COLUMN NAME [JSON]     without a value it is removed
//! addcol NAME AT FILE {...}         delcol NAME [keep] rename NAME NAME
//! flush                 dump FILE                      all rows, column after column, as they were at the last flush
//! ```
//!
//! The files contain uncompressed data. The last command flushes, whatever it is.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufRead as _};
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::Path;

use blosc_core::Codec;
use bloscpack_format::Json;
use bloscpack_format::bcolz::{Dtype, Shuffle};
use bloscpack_io::bcolz::{CarrayParams, CarrayWriter, CtableWriter, LocalDirectory, Root};
use bloscpack_io::{Cancel, Threads, UnpackOptions};

type Done<T = ()> = Result<T, Box<dyn Error>>;

/// The carray or ctable being changed.
enum Writer {
    Carray(Box<CarrayWriter>),
    Ctable(CtableWriter),
}

fn main() -> Done {
    let path = std::env::args_os().nth(1).ok_or("bcolz_edit ROOT < lines")?;
    let path = Path::new(&path);
    let mut lines = io::stdin().lock().lines().collect::<Result<Vec<_>, _>>()?.into_iter().peekable();
    let mut writer = None;
    if let Some(line) = lines.next_if(|line| line.starts_with("carray ") || line.starts_with("ctable ")) {
        writer = Some(create(path, &line)?);
    }
    for line in lines {
        if let Some(file) = line.strip_prefix("dump ") {
            close(writer.take())?;
            dump(path, Path::new(file))?;
            continue;
        }
        let open = match writer {
            Some(ref mut writer) => writer,
            None => writer.insert(match Root::open(LocalDirectory::open(path)?)? {
                Root::Carray(_) => Writer::Carray(Box::new(CarrayWriter::open(path)?)),
                Root::Ctable(_) => Writer::Ctable(CtableWriter::open(path)?),
            }),
        };
        match open {
            Writer::Carray(carray) => edit_carray(carray, &line)?,
            Writer::Ctable(ctable) => edit_ctable(ctable, &line)?,
        }
    }
    close(writer)
}

fn create(path: &Path, line: &str) -> Done<Writer> {
    let (kind, json) = line.split_once(' ').ok_or("params")?;
    let json = Json::parse(json)?;
    if kind == "carray" {
        return Ok(Writer::Carray(Box::new(CarrayWriter::create(path, true, &params(&json)?)?)));
    }
    let columns = json.as_object().ok_or("columns")?.iter();
    let columns: Vec<_> = columns.map(|(name, json)| Ok((name.as_str(), params(json)?))).collect::<Done<_>>()?;
    Ok(Writer::Ctable(CtableWriter::create(path, true, &columns)?))
}

fn close(writer: Option<Writer>) -> Done {
    match writer {
        Some(Writer::Carray(carray)) => carray.finish()?,
        Some(Writer::Ctable(ctable)) => ctable.finish()?,
        None => {}
    }
    Ok(())
}

fn params(json: &Json) -> Done<CarrayParams> {
    let number = |key: &str| json.get(key).and_then(Json::as_u64);
    let mut params = CarrayParams::new(Dtype::parse(json.get("dtype").and_then(Json::as_str).ok_or("dtype")?)?);
    if let Some(shape) = json.get("shape").and_then(Json::as_array) {
        params = params.atom_shape(&shape.iter().filter_map(Json::as_u64).collect::<Vec<_>>());
    }
    if let Some(chunklen) = number("chunklen") {
        params = params.chunklen(chunklen);
    }
    if let Some(expectedlen) = number("expectedlen") {
        params = params.expectedlen(expectedlen);
    }
    if let Some(cname) = json.get("cname").and_then(Json::as_str) {
        params = params.codec(Codec::from_name(cname).ok_or("codec")?);
    }
    if let Some(dflt) = json.get("dflt") {
        params = params.dflt(dflt.clone());
    }
    let shuffle = match number("shuffle") {
        Some(0) => Shuffle::None,
        Some(2) => Shuffle::Bit,
        _ => Shuffle::Byte,
    };
    let small = |key: &str, default: u32| number(key).and_then(|value| u32::try_from(value).ok()).unwrap_or(default);
    Ok(params.shuffle(shuffle).clevel(u8::try_from(small("clevel", 5))?).quantize(small("quantize", 0)))
}

fn slice(text: &str) -> Done<(Range<u64>, NonZeroU64)> {
    let numbers: Vec<u64> = text.split(':').map(str::parse).collect::<Result<_, _>>()?;
    let [start, stop, step] = numbers.as_slice() else { return Err("a slice is A:B:STEP".into()) };
    Ok((*start..*stop, NonZeroU64::new(*step).ok_or("step")?))
}

fn edit_carray(carray: &mut CarrayWriter, line: &str) -> Done {
    match line.splitn(3, ' ').collect::<Vec<_>>().as_slice() {
        ["append", file] => carray.append(&fs::read(file)?)?,
        ["stream", file] => drop(carray.append_stream(File::open(file)?, &Threads::Ambient, &Cancel::new())?),
        ["assign", rows, file] => {
            let (rows, step) = slice(rows)?;
            carray.assign(rows, step, &fs::read(file)?)?;
        }
        ["resize", len] => carray.resize(len.parse()?)?,
        ["trim", rows] => carray.trim(rows.parse()?)?,
        ["clear"] => carray.resize(0)?,
        ["attr", name, value] => drop(carray.set_attr(name, Json::parse(value)?)?),
        ["attr", name] => drop(carray.remove_attr(name)?),
        ["flush"] => carray.flush()?,
        _ => return Err(line.into()),
    }
    Ok(())
}

fn edit_ctable(ctable: &mut CtableWriter, line: &str) -> Done {
    match line.splitn(4, ' ').collect::<Vec<_>>().as_slice() {
        ["append", files] => {
            let rows = files.split(',').map(fs::read).collect::<Result<Vec<_>, _>>()?;
            ctable.append(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        }
        ["stream", files] => {
            let files = files.split(',').map(File::open).collect::<Result<Vec<_>, _>>()?;
            ctable.append_streams(files, &Threads::Ambient, &Cancel::new())?;
        }
        ["assign", rows, file, column] => {
            let (rows, step) = slice(rows)?;
            ctable.assign(column, rows, step, &fs::read(file)?)?;
        }
        ["resize", len] => ctable.resize(len.parse()?)?,
        ["trim", rows] => ctable.resize(ctable.len().saturating_sub(rows.parse()?))?,
        ["attr", name] => drop(ctable.remove_attr(name)?),
        ["attr", name, value @ ..] => drop(ctable.set_attr(name, Json::parse(value.join(" ").as_str())?)?),
        ["colattr", column, name] => drop(ctable.set_column_attr(column, name, None)?),
        ["colattr", column, name, value] => {
            ctable.set_column_attr(column, name, Some(Json::parse(value)?))?;
        }
        ["addcol", name, at, rest] => {
            let (file, json) = rest.split_once(' ').ok_or("params")?;
            let (at, input) = (at.parse().ok(), File::open(file)?);
            let params = params(&Json::parse(json)?)?;
            ctable.add_column(name, at, &params, input, &Threads::Ambient, &Cancel::new())?;
        }
        ["delcol", name, keep @ ..] => ctable.delete_column(name, !keep.is_empty())?,
        ["rename", from, to] => ctable.rename_column(from, to)?,
        ["flush"] => ctable.flush()?,
        _ => return Err(line.into()),
    }
    Ok(())
}

fn dump(path: &Path, file: &Path) -> Done {
    let mut output = File::create(file)?;
    let options = UnpackOptions::new();
    match Root::open(LocalDirectory::open(path)?)? {
        Root::Carray(carray) => carray.copy_rows(0..carray.len(), NonZeroU64::MIN, &mut output, &options)?,
        Root::Ctable(table) => {
            for column in table.columns() {
                column.copy_rows(0..table.len(), NonZeroU64::MIN, &mut output, &options)?;
            }
        }
    }
    Ok(())
}
