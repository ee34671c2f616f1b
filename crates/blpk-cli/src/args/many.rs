//! Options of commands that take many files at once.

use clap::Args;
use std::path::{Path, PathBuf};

/// Arguments that turn `<in_file> [<out_file>]` into a list of inputs and their outputs.
#[derive(Debug, Args)]
#[command(next_help_heading = "files")]
pub(crate) struct ManyArgs {
    /// process all files in directories
    #[arg(short, long, conflicts_with = "output")]
    pub(crate) recursive: bool,
    /// all names are inputs, even if there are only two
    #[arg(long, conflicts_with = "output")]
    pub(crate) each: bool,
    /// write to this file, or - for stdout
    #[arg(long, value_name = "file", conflicts_with_all = ["output_dir", "stdout"])]
    pub(crate) output: Option<PathBuf>,
    /// write to files in this directory, which is created if necessary
    #[arg(long, value_name = "directory", conflicts_with = "stdout")]
    pub(crate) output_dir: Option<PathBuf>,
    /// write to stdout
    #[arg(long)]
    pub(crate) stdout: bool,
    /// remove each input when its output is durable
    #[arg(long, conflicts_with = "stdout")]
    pub(crate) rm: bool,
}

impl ManyArgs {
    /// Splits the names into the inputs and the output. The output is the second of exactly two names, unless an option
    /// says otherwise.
    pub(crate) fn split<'a>(&self, files: &'a [PathBuf]) -> (&'a [PathBuf], Option<&'a Path>) {
        let says_otherwise =
            self.recursive || self.each || self.stdout || self.output.is_some() || self.output_dir.is_some();
        match files {
            [input, output] if !says_otherwise => (std::slice::from_ref(input), Some(output)),
            files => (files, None),
        }
    }

    /// Whether the data goes to stdout.
    pub(crate) fn is_to_stdout(&self, files: &[PathBuf]) -> bool {
        let is_dash = |path: &Path| path.as_os_str() == "-";
        let (inputs, named) = self.split(files);
        match named.or(self.output.as_deref()) {
            Some(output) => is_dash(output),
            None => self.stdout || (self.output_dir.is_none() && inputs.iter().any(|input| is_dash(input))),
        }
    }

    /// Returns an error message for options that exclude each other. Several bloscpack files cannot be written to one
    /// output: a bloscpack file has one content.
    pub(super) fn check(&self, files: &[PathBuf], joinable: bool) -> Result<(), String> {
        let (inputs, _) = self.split(files);
        let count = inputs.len();
        if self.output.is_some() && count > 1 {
            return Err(format!("argument --output: takes one input, not {count}; use --output-dir"));
        }
        if self.stdout && !joinable && (count > 1 || self.recursive) {
            return Err("argument --stdout: takes one input: bloscpack files cannot be joined".into());
        }
        let standard = self.is_to_stdout(files) || inputs.iter().any(|input| input.as_os_str() == "-");
        if self.rm && standard {
            return Err("argument --rm: not allowed with stdin or stdout".into());
        }
        Ok(())
    }
}
