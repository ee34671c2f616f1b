//! Fuzzes editing a carray or a table: the data read back must match a model of the edits.
//!
//! The input is the files of a carray followed by the edits. If its last byte is odd, the edits are applied to a table
//! instead.
#![no_main]

use blosc_fuzz::{MAX_NBYTES, carray_files, serial};
use bloscpack_format::Json;
use bloscpack_format::bcolz::Dtype;
use bloscpack_io::bcolz::{Carray, CarrayParams, CarrayWriter, Ctable, CtableWriter, MemoryDirectory, verify};
use bloscpack_io::{Cancel, Error, OpenOptions, Threads};
use libfuzzer_sys::fuzz_target;
use std::num::NonZeroU64;

/// Number of trailing input bytes that select the edits.
const CHANGES: usize = 12;

fuzz_target!(|bytes: &[u8]| {
    let Some((files, changes)) = bytes.split_last_chunk::<CHANGES>() else { return };
    if changes[CHANGES - 1] & 1 == 0 { change_carray(files, changes) } else { change_table(changes) }
});

fn change_carray(files: &[u8], changes: &[u8; CHANGES]) {
    let dir = MemoryDirectory::of_files(carray_files(files));
    let Ok(old) = Carray::open(&dir) else { return };
    let atomsize = old.rows().atomsize() as usize;
    if old.nbytes() > MAX_NBYTES as u64 || old.len() > 10_000 || atomsize > 1 << 12 || old.cparams().quantize > 0 {
        return;
    }
    let old = old.limits(blosc_fuzz::limits());
    let Ok(mut rows) = old.read_all(&serial()) else { return };
    let done = CarrayWriter::with_directory(&dir, &OpenOptions::new()).and_then(|mut carray| {
        for (number, change) in changes.iter().enumerate() {
            let (what, amount) = (change % 6, u64::from(change / 6));
            let len = carray.len();
            let new = vec![number as u8 + 1; amount as usize * atomsize];
            match what {
                0 => {
                    carray.append(&new)?;
                    rows.extend(&new);
                }
                1 => {
                    carray.append_stream(new.as_slice(), &Threads::Serial, &Cancel::new())?;
                    rows.extend(&new);
                }
                2 => {
                    let cut = amount.min(len);
                    carray.trim(cut)?;
                    rows.truncate((len - cut) as usize * atomsize);
                }
                3 => {
                    let (range, step) = (amount.min(len)..len, NonZeroU64::new(amount % 5 + 1).expect("not 0"));
                    let row = vec![number as u8 + 100; atomsize];
                    carray.assign(range.clone(), step, &row)?;
                    for at in range.step_by(step.get() as usize) {
                        rows[at as usize * atomsize..][..atomsize].copy_from_slice(&row);
                    }
                }
                4 => drop(carray.set_attr("note", Json::Int(amount as i64))?),
                _ => carray.flush()?,
            }
        }
        carray.finish()
    });
    if done.is_err() {
        return;
    }
    let new = Carray::open(&dir).expect("what was flushed");
    assert!(new.read_all(&serial()).expect("what was flushed") == rows, "{changes:?}");
}

/// Expected contents of a table. For each column: name, bytes per row, and the rows.
type Model = Vec<(String, usize, Vec<u8>)>;

fn change_table(changes: &[u8; CHANGES]) {
    let dir = MemoryDirectory::new();
    let params = |atomsize: usize| {
        let dtype = Dtype::parse(["|u1", "<i2", "|S3", "<f4"][atomsize - 1]).expect("a dtype");
        CarrayParams::new(dtype).chunklen(7).clevel(1)
    };
    let mut table = CtableWriter::create_in(&dir, &[("a", params(1)), ("b", params(4))]).expect("a table");
    let mut model: Model = vec![("a".to_owned(), 1, Vec::new()), ("b".to_owned(), 4, Vec::new())];
    for (number, change) in changes.iter().enumerate() {
        let done = change_once(&mut table, &mut model, number, *change, params);
        done.unwrap_or_else(|error| panic!("{error}: {changes:?}, change {number}"));
        if change % 3 == 0 {
            table.flush().expect("a flush");
        }
        if change % 16 == 15 {
            table.flush().expect("a flush");
            drop(table);
            table = CtableWriter::with_directory(&dir, &OpenOptions::new()).expect("what was flushed");
        }
    }
    table.finish().expect("a flush");
    let report = verify(&dir, &serial()).expect("what was flushed");
    assert!(report.is_whole(), "{:?}; {changes:?}", report.faults);
    let table = Ctable::open(&dir).expect("what was flushed");
    assert!(table.names().iter().eq(model.iter().map(|(name, ..)| name)), "{changes:?}");
    let rows = table.read_rows(0..table.len()).expect("what was flushed");
    assert!(rows.iter().eq(model.iter().map(|(.., rows)| rows)), "{changes:?}");
}

fn change_once(
    table: &mut CtableWriter<&MemoryDirectory>,
    model: &mut Model,
    number: usize,
    change: u8,
    params: impl Fn(usize) -> CarrayParams,
) -> Result<(), Error> {
    let amount = usize::from(change / 8);
    let len = table.len() as usize;
    let chosen = amount % model.len();
    let name = model[chosen].0.clone();
    match change % 8 {
        0 | 1 => {
            let rows: Vec<Vec<u8>> = model.iter().map(|(_, size, _)| vec![number as u8 + 1; size * amount]).collect();
            let slices: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
            if change % 8 == 0 {
                table.append(&slices)?;
            } else {
                table.append_streams(slices, &Threads::Serial, &Cancel::new())?;
            }
            model.iter_mut().zip(&rows).for_each(|((.., column), rows)| column.extend(rows));
        }
        2 | 3 => {
            table.resize(amount as u64)?;
            model.iter_mut().for_each(|(_, size, rows)| rows.resize(*size * amount, 0));
        }
        4 => {
            let (start, size) = (amount.min(len), model[chosen].1);
            let row = vec![number as u8 + 100; size];
            table.assign(&name, start as u64..len as u64, NonZeroU64::MIN, &row)?;
            model[chosen].2[start * size..].chunks_mut(size).for_each(|to| to.copy_from_slice(&row));
        }
        5 => {
            let (new, size) = (format!("new{number}"), amount % 4 + 1);
            let rows = vec![number as u8 + 50; size * len];
            table.add_column(&new, Some(chosen), &params(size), rows.as_slice(), &Threads::Serial, &Cancel::new())?;
            model.insert(chosen, (new, size, rows));
        }
        6 if model.len() > 1 => {
            table.delete_column(&name, amount & 1 == 0)?;
            model.remove(chosen);
        }
        _ => {
            let new = format!("other{number}");
            table.rename_column(&name, &new)?;
            model[chosen].0 = new;
        }
    }
    Ok(())
}
