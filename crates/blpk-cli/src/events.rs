//! Output of `--debug` while a job runs: those of the original's lines that concern the file. With `--verbose`, the
//! choices of `--auto`.

use crate::choice;
use crate::describe::{header_block, header_repr, list, metadata_header_block};
use crate::report::Report;
use crate::size::double_pretty_size;
use crate::verbosity::Level;
use blosc_core::memory;
use bloscpack_format::bloscpack::{Header, MetaCodec, MetadataArgs, MetadataHeader, MetadataSection, offsets};
use bloscpack_format::checksum::{Checksum, Digest};
use bloscpack_format::{Json, python_bytes_repr, write_bytes_repr};
use bloscpack_io::Event;
use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};

/// Returns a callback that prints the events of packing or appending and updates the progress.
pub(crate) fn packing(
    report: &Report,
    checksum: Checksum,
    metadata_args: MetadataArgs,
) -> impl Fn(Event<'_>) + Send + Sync + 'static {
    let report = report.clone();
    move |event| {
        match event {
            Event::Chunk { nbytes, .. } => report.progress().add(nbytes),
            Event::Choice { .. } => chosen(&report, &event),
            _ => {}
        }
        if !report.prints(Level::Debug) {
            return;
        }
        match event {
            Event::Header(header) => {
                report.debug(format!("max_app_chunks was set to: {}", header.max_app_chunks));
                report.debug(header_block(header));
                report.debug(format!("raw_bloscpack_header: {}", raw_header(header)));
            }
            Event::Metadata { value, .. } => metadata_written(&report, value, &metadata_args),
            Event::Chunk { chunk, last, nbytes, cbytes, digest } => {
                report.debug(format!("Handle chunk '{chunk}'{}", if last { " (last)" } else { "" }));
                report.debug(match checksum {
                    Checksum::None => "no checksum".into(),
                    checksum => format!("checksum ({}): {}", checksum.name(), raw_digest(digest)),
                });
                report.debug(handled(nbytes, cbytes));
            }
            Event::Offsets(entries) => {
                report.debug(format!("Writing '{}' offsets: '{}'", entries.len(), list(entries)));
                report.debug(format!("Raw offsets: {}", raw_offsets(entries)));
            }
            _ => {}
        }
    }
}

/// Returns a callback that prints the events of unpacking and updates the progress.
pub(crate) fn unpacking(report: &Report) -> impl Fn(Event<'_>) + Send + Sync + 'static {
    let report = report.clone();
    let checksum = std::sync::OnceLock::new();
    move |event| match event {
        Event::Header(header) => {
            let _ = checksum.set(header.checksum); // a file has one header
            header_read(&report, header);
        }
        Event::Metadata { header, .. } => metadata_read(&report, header),
        Event::Offsets(entries) if report.prints(Level::Debug) => {
            report.debug(format!("Read raw offsets: {}", raw_offsets(entries)));
            report.debug(format!("Offsets: {}", list(entries)));
        }
        Event::Chunk { cbytes, digest, .. } if !report.prints(Level::Debug) => {
            report.progress().add(cbytes + digest.as_ref().len() as u64);
        }
        Event::Chunk { chunk, last, nbytes, cbytes, digest } => {
            report.debug(format!("decompressing chunk '{chunk}'{}", if last { " (last)" } else { "" }));
            if let Some(checksum) = checksum.get().filter(|checksum| **checksum != Checksum::None) {
                report.debug(format!("checksum OK ({}): {}", checksum.name(), raw_digest(digest)));
            }
            report.debug(handled(cbytes, nbytes));
        }
        _ => {}
    }
}

/// Returns a callback that shows the progress of verifying a frame of `nbytes` uncompressed bytes.
pub(crate) fn verifying(report: &Report, nbytes: u64) -> impl Fn(Event<'_>) + Send + Sync + 'static {
    let progress = report.progress().clone();
    let done = AtomicU64::new(0);
    move |event| {
        if let Event::Plain(more) = event {
            progress.is_at(done.fetch_add(more, Ordering::Relaxed) + more, nbytes);
        }
    }
}

/// Returns a callback that shows the progress of a conversion, in uncompressed bytes.
pub(crate) fn converting(report: &Report) -> impl Fn(Event<'_>) + Send + Sync + 'static {
    let report = report.clone();
    move |event| match event {
        Event::Begin { nbytes } => report.progress().begin(Some(nbytes)),
        Event::Plain(more) => report.progress().add(more),
        _ => chosen(&report, &event),
    }
}

/// Returns a callback that prints the choices of `--auto`.
pub(crate) fn choosing(report: &Report) -> impl Fn(Event<'_>) + Send + Sync + 'static {
    let report = report.clone();
    move |event| chosen(&report, &event)
}

/// Prints a choice of `--auto` and its reason, with `-v`.
fn chosen(report: &Report, event: &Event<'_>) {
    if let Event::Choice { chunk, params, tried } = event
        && report.prints(Level::Verbose)
    {
        report.verbose(choice::line(*chunk, params, tried));
    }
}

/// Prints the header of a file.
pub(crate) fn header_read(report: &Report, header: &Header) {
    report.debug("reading bloscpack header");
    report.debug(format!("bloscpack_header_raw: {}", raw_header(header)));
    report.debug(format!("bloscpack header: {}", header_repr(header)));
}

/// Prints the metadata section of a file. Its size is printed from `-v` on.
pub(crate) fn metadata_read(report: &Report, header: &MetadataHeader) {
    let raw = header.to_bytes().map_or_else(|error| error.report().to_string(), |raw| python_bytes_repr(&raw));
    report.debug(format!("raw metadata header: {raw}"));
    report.debug(metadata_header_block(header));
    let compressed = kind(header.meta_codec);
    report.verbose(format!("read {compressed} metadata of size: '{}'", header.meta_comp_size));
}

fn metadata_written(report: &Report, value: &Json, args: &MetadataArgs) {
    // Encodes the metadata a second time, exactly as it is written: only the encoded section has the stored bytes.
    let Ok(section) = MetadataSection::encode(value, args) else { return };
    let (header, digest) = (section.header(), section.digest());
    let (compressed, stored) = (kind(header.meta_codec), bytes_repr(section.stored()));
    report.debug(large(|out| write!(out, "Raw {compressed} metadata of size '{}': {stored}", header.meta_comp_size)));
    report.debug(format!("max meta size is deemed to be: {}", header.max_meta_size));
    if let Ok(raw) = header.to_bytes() {
        report.debug(format!("raw_metadata_header: {}", python_bytes_repr(&raw)));
    }
    let spare = header.max_meta_size.saturating_sub(header.meta_comp_size);
    report.debug(format!("metadata has {spare} preallocated empty bytes"));
    report.debug(format!("metadata checksum ({}): {}", header.meta_checksum.name(), raw_digest(&digest)));
    report.debug(format!("metadata section occupies a total of {}", double_pretty_size(header.section_len())));
}

fn kind(codec: MetaCodec) -> &'static str {
    match codec {
        MetaCodec::None => "uncompressed",
        _ => "compressed",
    }
}

fn handled(input: u64, output: u64) -> String {
    format!("chunk handled, in: {} out: {}", double_pretty_size(input), double_pretty_size(output))
}

fn raw_header(header: &Header) -> String {
    header.to_bytes().map_or_else(|error| error.report().to_string(), |raw| python_bytes_repr(&raw))
}

fn raw_digest(digest: &Digest) -> String {
    python_bytes_repr(digest.as_ref())
}

/// Builds a text that may be as large as the metadata. If an allocation fails, only this line is lost, and the error's
/// text replaces it.
fn large(write: impl FnOnce(&mut memory::Text) -> fmt::Result) -> String {
    let mut text = memory::Text::default();
    // `finish` returns the error.
    let _ = write(&mut text);
    text.finish().unwrap_or_else(|error| error.to_string())
}

fn bytes_repr(bytes: &[u8]) -> String {
    large(|out| write_bytes_repr(bytes, out))
}

fn raw_offsets(entries: &[i64]) -> String {
    offsets::encode(entries).map_or_else(|error| error.to_string(), |bytes| bytes_repr(&bytes))
}
