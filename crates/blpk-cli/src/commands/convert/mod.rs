//! `blpk convert`: from one container to another, which the output's name tells.
//!
//! | file | contents |
//! |---|---|
//! | `plan` | input, output, the kind of conversion and its options |
//! | `job` | the kind of conversion, and what stands in its way |
//! | `options` | the options of a conversion |
//! | `csv` | arrays and tables as text |
//! | `lost` | warnings about what the output does not keep |

mod csv;
mod job;
mod lost;
mod options;
mod plan;

pub(super) use plan::Plan;

use self::job::Job;
use crate::place::Place;
use crate::privacy::Privacy;
use crate::session::Session;
use crate::size::pretty_size;
use crate::streams::open_source;
use anyhow::{Context as _, Result, anyhow};
use bloscpack_io::{ConvertOptions, Error, LocalSource, OpenOptions, convert, convert_table, convert_table_to_files};

pub(super) fn run(plan: &Plan, session: &Session) -> Result<()> {
    let Plan { input, in_file, output, job, column, options } = plan;
    let _privacy = in_file.metadata().ok().as_ref().map(Privacy::of);
    let source = || open_source(input, &options.cancel);
    let done = match (*job, column) {
        (Job::One(target), Some(column)) => {
            LocalSource::open_with(in_file, &OpenOptions::new().column(column.as_str()))
                .and_then(|source| convert(source, output, target, options))
                .map_err(Into::into)
        }
        // An error of opening the input names it already.
        (Job::One(target), None) => convert(source()?, output, target, options).map_err(Into::into),
        (Job::Table, _) => convert_table(in_file, output, options).map_err(Into::into),
        (Job::Files(files), _) => convert_table_to_files(in_file, output, files, options).map_err(Into::into),
        (Job::Csv, _) => csv::array(source()?, output, options),
        (Job::CsvOfTable, column) => csv::table(in_file, column.as_deref(), output, options),
    };
    let done = done.map_err(|error: anyhow::Error| match error.downcast_ref() {
        Some(Error::Unrecognised { .. }) => anyhow!("{error}; raw bytes need --dtype"),
        _ => of_option(error, options),
    });
    let converted = done.with_context(|| input.to_string())?;
    lost::warn(&converted, &Place::from(output.clone()), &session.report);
    session.report.verbose(format!("plain size: {}", pretty_size(converted.nbytes)));
    session.report.verbose("done");
    Ok(())
}

/// Names the option whose value does not fit.
fn of_option(error: anyhow::Error, options: &ConvertOptions) -> anyhow::Error {
    let option = match error.downcast_ref() {
        Some(Error::ArrayCut { shape, .. }) => format!("--{shape}"),
        Some(Error::NotANumpyArray { .. }) if options.shape.is_some() => "--shape".into(),
        Some(Error::NotANumpyArray { .. }) if options.dtype.is_some() => "--dtype".into(),
        _ => return error,
    };
    error.context(option)
}
