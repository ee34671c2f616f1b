//! Any bytes as a bloscpack file, a frame, or the files of a carray, of which what stands is salvaged: what comes out
//! verifies, and of a whole frame or carray nothing is lost.
#![no_main]

use blosc_fuzz::{MAX_NBYTES, carray_files, limits, scratch, serial};
use bloscpack_io::bcolz::{self, Carray, LocalDirectory};
use bloscpack_io::{Archive, Gaps, LocalSource, LostPart, RecoverOptions, RecoverReport, Source, recover, verify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Behind the first byte, a MessagePack array, each frame says what it is.
    if bytes.get(2..9) == Some(b"b2frame") {
        salvage_frame(bytes);
    } else if bytes.starts_with(b"blpk") {
        salvage_bloscpack(bytes);
    } else {
        salvage_carray(bytes);
    }
});

/// Whether a chunk needs a codec or filter that this build lacks.
fn has_unchecked(report: &RecoverReport) -> bool {
    report.lost.iter().any(|lost| matches!(lost.part, LostPart::Unchecked { .. }))
}

fn salvage_bloscpack(bytes: &[u8]) {
    let folder = scratch::folder();
    let (input, output) = (folder.join("in.blp"), folder.join("out.blp"));
    std::fs::write(&input, bytes).expect("a scratch file");
    // An array may promise any number of zeros.
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
    let again = folder.join("again.blp");
    let report = recover(&output, &again, &RecoverOptions::new().limits(limits)).expect("a whole file");
    assert!(report.lost.is_empty(), "{:?}", report.lost);
}

fn salvage_frame(bytes: &[u8]) {
    // A frame of zeros may promise any number of them: what it takes to write them is no finding.
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
    // What wants a plugin is kept, and told: nobody here can check it.
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
    // Where the shape is lost, a chunk says how large it is, whatever became of it.
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
