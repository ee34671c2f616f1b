//! Fuzzes `recover` on a bloscpack file, a frame, or the files of a carray. The output must verify, and recovering an
//! intact frame or carray must lose nothing.
#![no_main]

use blosc_fuzz::{MAX_NBYTES, carray_files, limits, scratch, serial};
use bloscpack_io::bcolz::{self, Carray, LocalDirectory};
use bloscpack_io::{Archive, Gaps, LocalSource, LostPart, RecoverOptions, RecoverReport, Source, recover, verify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // A frame's signature follows its first byte, the start of a MessagePack array.
    if bytes.get(2..9) == Some(b"b2frame") {
        salvage_frame(bytes);
    } else if bytes.starts_with(b"blpk") {
        salvage_bloscpack(bytes);
    } else {
        salvage_carray(bytes);
    }
});

/// Returns whether a chunk needs a codec or filter that this build lacks.
fn has_unchecked(report: &RecoverReport) -> bool {
    report.lost.iter().any(|lost| matches!(lost.part, LostPart::Unchecked { .. }))
}

fn salvage_bloscpack(bytes: &[u8]) {
    let folder = scratch::folder();
    let (input, output) = (folder.join("in.blp"), folder.join("out.blp"));
    std::fs::write(&input, bytes).expect("a scratch file");
    // An array may declare any number of zeros.
    let limits = limits().max_unearned(MAX_NBYTES);
    let Ok(report) = recover(&input, &output, &RecoverOptions::new().limits(limits)) else {
        assert!(!output.exists(), "it failed, but left something");
        return;
    };
    // This build cannot decode chunks of other codecs, which the report names.
    if has_unchecked(&report) {
        return;
    }
    let verified = verify(Source::file(&output), &serial());
    assert!(verified.is_ok(), "{verified:?}");
    // The output has a new digest, so that a shape in this metadata counts from now on. The data may be shorter.
    if report.lost.iter().any(|lost| matches!(lost.part, LostPart::UncheckedMetadata)) {
        return;
    }
    let again = folder.join("again.blp");
    let report = recover(&output, &again, &RecoverOptions::new().limits(limits)).expect("a whole file");
    assert!(report.lost.is_empty(), "{:?}", report.lost);
}

fn salvage_frame(bytes: &[u8]) {
    // A frame of zeros may declare any size. The time to write the zeros is not a finding.
    if Archive::open(bytes).is_ok_and(|archive| archive.nchunks() > 1000 || archive.nbytes() > MAX_NBYTES as u64) {
        return;
    }
    let folder = scratch::folder();
    let (input, output) = (folder.join("in.b2frame"), folder.join("out.b2frame"));
    std::fs::write(&input, bytes).expect("a scratch file");
    let Ok(report) = recover(&input, &output, &RecoverOptions::new()) else {
        assert!(!output.exists(), "it failed, but left something");
        return;
    };
    let Ok(recovered) = LocalSource::open(&output).and_then(Archive::open) else {
        panic!("what was salvaged does not open")
    };
    // Chunks of which little is in use may be large.
    let chunk = recovered.grid().map_or(0, |grid| grid.chunk_nbytes());
    if recovered.nbytes() > MAX_NBYTES as u64 || chunk > MAX_NBYTES {
        return;
    }
    // Chunks that need a plugin are kept and reported, but cannot be verified here.
    if !has_unchecked(&report) {
        let verified = verify(Source::file(&output), &serial());
        assert!(verified.is_ok(), "{verified:?}");
    }
    let Ok(whole) = Archive::open(bytes) else { return };
    if whole.verify(&serial()).is_ok() {
        assert!(report.lost.is_empty(), "{:?}", report.lost);
        let read = |archive: &dyn Fn(u64) -> Vec<u8>| (0..whole.nchunks()).map(archive).collect::<Vec<_>>();
        let old = read(&|chunk| whole.chunk(chunk).expect("verified"));
        assert!(
            recovered.nchunks() == whole.nchunks() && read(&|chunk| recovered.chunk(chunk).expect("verified")) == old
        );
    }
}

fn salvage_carray(bytes: &[u8]) {
    let Some((fill, bytes)) = bytes.split_last() else { return };
    let folder = scratch::folder();
    let (input, output) = (folder.join("in"), folder.join("out"));
    std::fs::create_dir(&input).expect("a folder");
    scratch::write(&input, &carray_files(bytes));
    let old = LocalDirectory::open(&input).and_then(Carray::open);
    if old.as_ref().is_ok_and(|carray| carray.nbytes() > MAX_NBYTES as u64 || carray.len() > 100_000) {
        return;
    }
    let gaps = if fill & 1 == 0 { Gaps::Trim } else { Gaps::Fill };
    let Ok(report) = recover(&input, &output, &RecoverOptions::new().gaps(gaps)) else {
        assert!(!output.exists(), "it failed, but left something");
        return;
    };
    let dir = LocalDirectory::open(&output).expect("what was salvaged");
    // If the shape is lost, a chunk determines the chunk size, even if the chunk is damaged.
    let salvaged = LocalDirectory::open(&output).and_then(Carray::open);
    if salvaged.is_ok_and(|carray| carray.rows().chunk_nbytes() > MAX_NBYTES as u64) {
        return;
    }
    let verified = bcolz::verify(&dir, &serial()).expect("what was salvaged");
    assert!(verified.is_whole(), "{:?}", verified.faults);
    let Ok(old) = old else { return };
    let whole = LocalDirectory::open(&input).and_then(|dir| bcolz::verify(&dir, &serial()));
    if whole.is_ok_and(|report| report.is_whole())
        && let Ok(rows) = old.read_all(&serial())
    {
        assert!(report.lost.is_empty(), "{:?}", report.lost);
        assert!(Carray::open(dir).expect("verified").read_all(&serial()).expect("verified") == rows);
    }
}
