//! `blpk decompress`: the inputs, their outputs, and the other options.

use super::output::NameRules;
use crate::args::{DecompressArgs, DigestArg};
use crate::commands::destination::destination;
use crate::file_kind::is_container_directory;
use crate::inputs::{self, InputFile};
use crate::outputs::Outputs;
use crate::session::Session;
use anyhow::Result;
use std::path::PathBuf;

/// A run of `blpk decompress`.
pub(in crate::commands) struct Plan {
    pub(super) items: Vec<Result<InputFile>>,
    pub(super) outputs: Outputs,
    pub(super) rules: NameRules,
    /// The column of a ctable that is decompressed.
    pub(super) column: Option<String>,
    /// The output of the metadata. Without one, the metadata is printed.
    pub(super) metadata_out: Option<PathBuf>,
    pub(super) digest: Option<DigestArg>,
    pub(super) memory: Option<u64>,
}

impl Plan {
    pub(in crate::commands) fn new(args: &DecompressArgs, session: &Session) -> Plan {
        session.report.verbose("getting ready for decompression");
        let (names, second) = args.many.split(&args.files);
        Plan {
            items: inputs::items(names, args.many.recursive, is_container_directory),
            outputs: Outputs::new(destination(&args.many, second), args.many.rm),
            rules: NameRules { are_any: args.no_check_extension, are_tables: args.column.is_some() },
            column: args.column.clone(),
            metadata_out: args.metadata_out.clone(),
            digest: args.digest.clone(),
            memory: args.memory,
        }
    }
}
