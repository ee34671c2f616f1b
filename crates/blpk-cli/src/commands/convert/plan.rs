//! `blpk convert`: input, output, target and options.

use super::conversion::{Conversion, conversion, refuse_directory, refuse_foreign, refuse_idle};
use super::options::options;
use crate::args::ConvertArgs;
use crate::column_advice::ColumnAdvice;
use crate::files;
use crate::overwrite::Overwrite;
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::staging;
use anyhow::{Result, bail};
use bloscpack_io::ConvertOptions;

/// A run of `blpk convert`.
pub(in crate::commands) struct Plan {
    pub(super) input: PathOrStdio,
    pub(super) output: PathOrStdio,
    pub(super) conversion: Conversion,
    /// The flag to name in an error about dtype or shape.
    pub(super) typing_flag: Option<&'static str>,
    pub(super) options: ConvertOptions,
}

impl Plan {
    pub(in crate::commands) fn new(args: &ConvertArgs, session: &Session) -> Result<Plan> {
        let input = PathOrStdio::from(args.in_file.clone());
        // A trailing separator marks a directory, and is not part of the name.
        let output = match PathOrStdio::from(args.out_file.clone()) {
            PathOrStdio::File(path) => PathOrStdio::File(path.components().collect()),
            other => other,
        };
        let named = staging::output_path(&output, &args.out_file);
        if output == PathOrStdio::Standard {
            bail!("the name of the output determines its format: name a file");
        }
        let conversion = conversion(args, &input, &named)?;
        refuse_directory(conversion.target, &named)?;
        refuse_idle(args, conversion.target)?;
        if !conversion.has_columns {
            files::operand_must_exist("input file", &input, ColumnAdvice::UseOption)?;
        }
        files::check_output(&input, &output, Overwrite::CONTAINER, session)?;
        refuse_foreign(args, &input)?;
        let options = options(args, &input, session)?;
        let typing_flag = match (&args.shape, &args.dtype) {
            (Some(_), _) => Some("--shape"),
            (None, Some(_)) => Some("--dtype"),
            (None, None) => None,
        };
        Ok(Plan { input, output, conversion, typing_flag, options })
    }
}
