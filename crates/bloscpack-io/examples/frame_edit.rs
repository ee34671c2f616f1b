//! Changes a Blosc2 frame by commands on stdin, for scripts that compare the results of other readers and writers.
//!
//! ```text
//! frame_edit FRAME < lines
//!
//! create contiguous|sparse TYPESIZE CODEC CLEVEL FILTER,FILTER,...     first, if the frame is not there yet
//! append FILE          insert N FILE       update N FILE       delete N       reorder N,N,...
//! special zeros|nan|uninit NBYTES          meta NAME FILE      vlmeta NAME FILE       rmvlmeta NAME
//! slice A:B,A:B FILE   resize N,N          commit
//! ```
//!
//! The files contain uncompressed data. The last command commits, whatever it is.

use std::error::Error;
use std::io::BufRead as _;
use std::path::Path;
use std::{fs, io};

use blosc_core::{Codec, Filter, FilterPipeline, Special};
use bloscpack_format::frame::{FrameType, Region};
use bloscpack_io::frame::{FrameParams, FrameStore, FrameWriter};

type Done<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Done {
    let path = std::env::args_os().nth(1).ok_or("frame_edit FRAME < lines")?;
    let mut lines = io::stdin().lock().lines().collect::<Result<Vec<_>, _>>()?.into_iter().peekable();
    match lines.next_if(|line| line.starts_with("create ")) {
        Some(line) => {
            let words: Vec<&str> = line.split(' ').collect();
            let [_, kind, typesize, codec, clevel, filters] = words.as_slice() else { return Err(line.into()) };
            let frame_type = if *kind == "sparse" { FrameType::Sparse } else { FrameType::Contiguous };
            let filters: Option<Vec<Filter>> = filters.split(',').filter(|name| *name != "none").map(filter).collect();
            let filters = filters.and_then(|filters| FilterPipeline::try_from_iter(filters).ok()).ok_or("filters")?;
            let params = FrameParams::new(typesize.parse()?).clevel(clevel.parse()?).filters(filters);
            let params = params.codec(Codec::from_name(codec).ok_or("codec")?);
            let mut frame = FrameWriter::create(Path::new(&path), frame_type, false, params)?;
            edit(&mut frame, lines)?;
            frame.finish()?;
        }
        None => {
            let mut frame = FrameWriter::open(Path::new(&path))?;
            edit(&mut frame, lines)?;
            frame.commit()?;
        }
    }
    Ok(())
}

fn filter(name: &str) -> Option<Filter> {
    (0..40).filter_map(|id| Filter::from_id(id, 0)).find(|filter| filter.name() == name)
}

fn numbers(text: &str) -> Done<Vec<u64>> {
    Ok(text.split(',').filter(|number| !number.is_empty()).map(str::parse).collect::<Result<_, _>>()?)
}

fn edit<S: FrameStore>(frame: &mut FrameWriter<S>, lines: impl Iterator<Item = String>) -> Done {
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["append", file] => frame.append(&fs::read(file)?)?,
            ["insert", at, file] => frame.insert(at.parse()?, &fs::read(file)?)?,
            ["update", at, file] => frame.update(at.parse()?, &fs::read(file)?)?,
            ["delete", at] => frame.delete(at.parse()?)?,
            ["reorder", order] => frame.reorder(&numbers(order)?)?,
            ["special", kind, nbytes] => {
                let special = match *kind {
                    "zeros" => Special::Zeros,
                    "nan" => Special::Nan,
                    _ => Special::Uninit,
                };
                frame.append_special(special, nbytes.parse()?)?;
            }
            ["meta", name, file] => frame.add_metalayer(name, &fs::read(file)?)?,
            ["vlmeta", name, file] => frame.set_vlmetalayer(name, &fs::read(file)?)?,
            ["rmvlmeta", name] => frame.remove_vlmetalayer(name)?,
            ["slice", slices, file] => {
                let (mut start, mut stop) = (Vec::new(), Vec::new());
                for slice in slices.split(',').filter(|slice| !slice.is_empty()) {
                    let (a, b) = slice.split_once(':').ok_or("a slice is A:B")?;
                    start.push(a.parse()?);
                    stop.push(b.parse()?);
                }
                frame.write_slice(&Region { start, stop }, &fs::read(file)?)?;
            }
            ["resize", shape] => frame.resize(&numbers(shape)?)?,
            ["commit"] => frame.commit()?,
            _ => return Err(line.into()),
        }
    }
    Ok(())
}
