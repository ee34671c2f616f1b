//! `blpk convert`: writes the content of one container to another, whose kind follows from the output's name.
//!
//! | file | contents |
//! |---|---|
//! | `plan` | input, output, target and options |
//! | `conversion` | the target, and the options and outputs that are refused for it |
//! | `options` | the options of a conversion |
//! | `warnings` | warnings about metadata that the output does not keep |

mod conversion;
mod options;
mod plan;
mod warnings;

pub(super) use plan::Plan;

use crate::path_or_stdio::PathOrStdio;
use crate::privacy::Privacy;
use crate::session::Session;
use crate::size::pretty_size;
use crate::staging;
use crate::streams::open_source;
use crate::url;
use anyhow::{Context as _, Error as AnyError, Result, anyhow, bail};
use bloscpack_io::{AnySource, ConvertReport, Error, LocalSource, Target, convert};

pub(super) fn run(plan: &Plan, session: &Session) -> Result<()> {
    let _privacy = Privacy::of(&plan.input, &plan.output)?;
    if let PathOrStdio::Url(url) = &plan.output
        && plan.conversion.target.is_directory()
    {
        url::check_output_directory(url)?;
    }
    let converted = match &plan.output {
        PathOrStdio::Url(url) if plan.conversion.target == Target::Zarr => {
            let to_zarr = url::to_zarr(url)?;
            on_source(plan, session, |source| to_zarr(source, &plan.options))?
        }
        _ => staged(plan, session)?,
    };
    warnings::warn(&converted, &plan.output, &session.report);
    session.report.verbose(format!("plain size: {}", pretty_size(converted.nbytes)));
    session.report.verbose("done");
    Ok(())
}

/// Converts to a file or directory, which is uploaded if the output is at a URL.
fn staged(plan: &Plan, session: &Session) -> Result<ConvertReport> {
    let target = plan.conversion.target;
    if cfg!(not(feature = "csv")) && target == Target::Csv {
        bail!("this blpk was built without the feature csv");
    }
    let mut converted = ConvertReport::default();
    staging::write_output(&plan.output, session, |output| {
        let PathOrStdio::File(output) = output else { bail!("name an output file") };
        converted = on_source(plan, session, |source| convert(source, output, target, &plan.options))?;
        Ok(())
    })?;
    Ok(converted)
}

/// Runs a conversion of the input.
fn on_source(
    plan: &Plan,
    session: &Session,
    convert: impl FnOnce(AnySource) -> Result<ConvertReport, Error>,
) -> Result<ConvertReport> {
    let source = match (plan.conversion.has_columns, &plan.input) {
        (true, PathOrStdio::File(path)) => LocalSource::open(path).map(AnySource::from).map_err(AnyError::from),
        // Errors of opening the input already name it.
        _ => Ok(open_source(&plan.input, &session.cancel())?),
    };
    let converted = source.and_then(|source| convert(source).map_err(|error| of_flag(error, plan.typing_flag)));
    converted.with_context(|| plan.input.to_string())
}

/// Adds the flag whose value does not fit to the error.
fn of_flag(error: Error, typing_flag: Option<&'static str>) -> AnyError {
    let flag = match &error {
        Error::Unrecognised { .. } => return anyhow!("{error}; raw bytes need --dtype"),
        Error::ArrayCut { shape, .. } => format!("--{shape}"),
        Error::NotANumpyArray { .. } => match typing_flag {
            Some(flag) => flag.into(),
            None => return error.into(),
        },
        _ => return error.into(),
    };
    AnyError::from(error).context(flag)
}
