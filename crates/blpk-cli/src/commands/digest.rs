//! `--digest`: the digest of uncompressed bytes, printed or compared.

use crate::args::DigestArg;
use crate::path_or_stdio::PathOrStdio;
use crate::report::Report;
use crate::streams::Output;
use anyhow::{Result, bail};
use bloscpack_format::checksum::{Checksum, Digest};
use bloscpack_io::Digesting;
use std::io::{self, Write};

/// Prints a digest in the format of `sha256sum`, so that `sha256sum -c` can read it. With several files, each line is
/// printed at once.
pub(super) fn print(digest: &Digest, name: &PathOrStdio, report: &Report) {
    report.raw_bytes(&line(&digest.to_string(), name.bytes()));
}

/// Returns the line for a name. In a name with a backslash or a line break, these are escaped, and a backslash at the
/// start of the line marks the escapes.
fn line(digest: &str, name: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::new();
    for byte in name {
        match byte {
            b'\\' => escaped.extend(b"\\\\"),
            b'\n' => escaped.extend(b"\\n"),
            b'\r' => escaped.extend(b"\\r"),
            byte => escaped.push(*byte),
        }
    }
    let mark: &[u8] = if escaped.len() > name.len() { b"\\" } else { b"" };
    [mark, digest.as_bytes(), b"  ", &escaped, b"\n"].concat()
}

/// Compares a digest with the expected one, or prints it for `name`, the uncompressed file.
pub(super) fn check(
    asked: &DigestArg,
    found: &Digest,
    input: &PathOrStdio,
    name: &PathOrStdio,
    report: &Report,
) -> Result<()> {
    match &asked.expected {
        Some(expected) if *expected != found.to_string() => {
            bail!("{input}: the {} of the plain bytes is {found}, expected {expected}", asked.checksum.name())
        }
        Some(_) => {}
        None => print(found, name, report),
    }
    Ok(())
}

/// An output that computes the digest of its bytes.
pub(super) struct CheckedOutput<'a> {
    output: Digesting<Output>,
    asked: Option<&'a DigestArg>,
}

impl<'a> CheckedOutput<'a> {
    pub(super) fn create(
        operand: &PathOrStdio,
        force: bool,
        asked: Option<&'a DigestArg>,
    ) -> Result<CheckedOutput<'a>> {
        let checksum = asked.map_or(Checksum::None, |asked| asked.checksum);
        Ok(CheckedOutput { output: Digesting::new(Output::create(operand, force)?, checksum), asked })
    }

    /// Commits the output if its digest is as expected.
    pub(super) fn commit(mut self, input: &PathOrStdio, operand: &PathOrStdio, report: &Report) -> Result<()> {
        self.output.flush()?;
        let (output, found) = self.output.into_parts();
        match self.asked {
            Some(asked) if asked.expected.is_some() => {
                check(asked, &found, input, operand, report)?;
                output.commit()
            }
            asked => {
                output.commit()?;
                asked.map_or(Ok(()), |asked| check(asked, &found, input, operand, report))
            }
        }
    }
}

impl Write for CheckedOutput<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.output.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
