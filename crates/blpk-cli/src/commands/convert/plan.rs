//! `blpk convert`: input, output, the kind of conversion and its options.

use super::job::{Job, job, refuse_directory, refuse_foreign, refuse_idle};
use super::options::options;
use crate::args::ConvertArgs;
use crate::files;
use crate::overwrite::Overwrite;
use crate::place::Place;
use crate::session::Session;
use anyhow::{Result, bail};
use bloscpack_io::ConvertOptions;
use std::path::PathBuf;

/// A run of `blpk convert`.
pub(in crate::commands) struct Plan {
    pub(super) input: Place,
    /// The input's path as typed. `-` is stdin; a table is never read from there.
    pub(super) in_file: PathBuf,
    pub(super) output: PathBuf,
    pub(super) job: Job,
    /// The column of a ctable that is converted.
    pub(super) column: Option<String>,
    pub(super) options: ConvertOptions,
}

impl Plan {
    pub(in crate::commands) fn new(args: &ConvertArgs, session: &Session) -> Result<Plan> {
        let input = Place::from(args.in_file.clone());
        // A separator at the end says that it is a directory, and is no part of the name.
        let path = args.out_file.components().collect::<PathBuf>();
        let output = Place::from(path.clone());
        if output == Place::Standard {
            bail!("the name of the output says what it is to be: name a file");
        }
        let job = job(args, &input)?;
        refuse_directory(job, &args.out_file)?;
        refuse_idle(args, job)?;
        match (job, &args.column) {
            (Job::One(_) | Job::Csv, None) => files::check(&input, &output, Overwrite::CONTAINER, session)?,
            _ => files::check_output(&input, &output, Overwrite::CONTAINER, session)?,
        }
        refuse_foreign(args, &input)?;
        let options = options(args, session)?;
        Ok(Plan { input, in_file: args.in_file.clone(), output: path, job, column: args.column.clone(), options })
    }
}
