//! `blpk convert`: input, output, target and options.

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
    /// The flag to name in an error about dtype or shape.
    pub(super) typing_flag: Option<&'static str>,
    pub(super) options: ConvertOptions,
}

impl Plan {
    pub(in crate::commands) fn new(args: &ConvertArgs, session: &Session) -> Result<Plan> {
        let input = Place::from(args.in_file.clone());
        // A trailing separator marks a directory, and is not part of the name.
        let path = args.out_file.components().collect::<PathBuf>();
        let output = Place::from(path.clone());
        if output == Place::Standard {
            bail!("the name of the output says what it is to be: name a file");
        }
        let job = job(args, &input)?;
        refuse_directory(job.target, &args.out_file)?;
        refuse_idle(args, job.target)?;
        match job.has_columns {
            false => files::check(&input, &output, Overwrite::CONTAINER, session)?,
            true => files::check_output(&input, &output, Overwrite::CONTAINER, session)?,
        }
        refuse_foreign(args, &input)?;
        let options = options(args, session)?;
        let typing_flag = match (&args.shape, &args.dtype) {
            (Some(_), _) => Some("--shape"),
            (None, Some(_)) => Some("--dtype"),
            (None, None) => None,
        };
        Ok(Plan { input, in_file: args.in_file.clone(), output: path, job, typing_flag, options })
    }
}
