//! Outputs in an object store: they appear when they are complete, or not at all.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bloscpack_io::{Cancel, Error, Remote};

use crate::options;
use crate::s3::{Store, client, url};
use crate::server::{Reply, Server};

/// A file of 20 MiB, which takes 3 parts.
fn large(dir: &std::path::Path) -> (std::path::PathBuf, Vec<u8>) {
    let (path, bytes) = (dir.join("large"), crate::plain(20 << 20));
    std::fs::write(&path, &bytes).unwrap();
    (path, bytes)
}

#[test]
fn files_arrive() {
    let dir = tempfile::tempdir().unwrap();
    let (path, bytes) = large(dir.path());
    let (store, small) = (Store::default(), dir.path().join("small"));
    std::fs::write(&small, b"small").unwrap();
    let server = store.serve();
    let remote = client(&server);
    remote.upload_file(&path, &url("a/large"), false).unwrap();
    remote.upload_file(&small, &url("a/small"), false).unwrap();
    store.with(|state| {
        assert!(state.objects["a/large"] == bytes && state.objects["a/small"] == b"small");
        assert!(state.uploads.is_empty());
    });
    assert!(server.most_in_flight() > 1);
    // They are not replaced, unless it is asked for.
    for (file, name) in [(&path, "a/large"), (&small, "a/small")] {
        let error = remote.upload_file(file, &url(name), false).unwrap_err();
        assert!(matches!(error, Error::OutputExists(_)), "{error}");
        remote.upload_file(file, &url(name), true).unwrap();
    }
    assert!(matches!(remote.check_output(&url("a/small"), false), Err(Error::OutputExists(_))));
    remote.check_output(&url("a/small"), true).unwrap();
    remote.check_output(&url("a/new"), false).unwrap();
    assert!(remote.check_output(&server.url("x").parse().unwrap(), false).is_err());
    store.with(|state| assert!(state.uploads.is_empty(), "the parts of refused uploads are removed"));
}

#[test]
fn failures_leave_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (path, _) = large(dir.path());
    // A part, the completion with an error in a successful response, the start.
    for failing in ["partNumber=2", "POST uploadId", "uploads"] {
        let (store, served) = (Store::default(), Store::default());
        let fake = store.clone();
        let server = Server::start(move |request| {
            if format!("{} {}", request.method, request.query()).contains(failing) {
                return match failing {
                    "POST uploadId" => Reply::status(200).body(*b"<Error><Code>InternalError</Code></Error>"),
                    _ => Reply::status(500),
                };
            }
            fake.answer(request)
        });
        let error = client(&server).upload_file(&path, &url("x"), false).unwrap_err();
        assert!(error.report().to_string().contains("gave up after 3 attempts"), "{}", error.report());
        store.with(|state| assert!(state.objects.is_empty() && state.uploads.is_empty(), "{failing}"));
        drop(served);
    }
}

/// Passing failures are repeated.
#[test]
fn parts_are_sent_again() {
    let dir = tempfile::tempdir().unwrap();
    let (path, bytes) = large(dir.path());
    let (store, count) = (Store::default(), AtomicUsize::new(0));
    let fake = store.clone();
    let server = Server::start(move |request| match count.fetch_add(1, Ordering::SeqCst) % 2 {
        0 => Reply::status(503).body(*b"<Error><Code>SlowDown</Code></Error>"),
        _ => fake.answer(request),
    });
    let remote = Remote::new(options().attempts(20).connections(1).s3_endpoint(&server.url(""))).unwrap();
    remote.upload_file(&path, &url("x"), false).unwrap();
    store.with(|state| assert!(state.objects["x"] == bytes));
}

#[test]
fn cancelled_uploads_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let (path, _) = large(dir.path());
    let store = Store::default();
    let fake = store.clone();
    let server = Server::start(move |request| match request.query().contains("partNumber=2") {
        true => Reply { pause: Duration::from_secs(3), ..Reply::status(500) },
        false => fake.answer(request),
    });
    let cancel = Cancel::new();
    let remote = Remote::new(options().cancel(cancel.clone()).s3_endpoint(&server.url(""))).unwrap();
    std::thread::scope(|scope| {
        let upload = scope.spawn(|| remote.upload_file(&path, &url("x"), false));
        std::thread::sleep(Duration::from_millis(700));
        let start = Instant::now();
        cancel.cancel();
        assert!(upload.join().unwrap().is_err());
        assert!(start.elapsed() < Duration::from_secs(2));
    });
    store.with(|state| assert!(state.objects.is_empty() && state.uploads.is_empty()));
    let last = server.requests().pop().unwrap();
    assert_eq!(last.method, "DELETE");
}

/// The files by which a container is found come last.
#[test]
fn directories_are_complete_when_they_are_found() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["meta/sizes", "meta/storage", "data/__0.blp", "data/__1.blp", "__attrs__"] {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, name).unwrap();
    }
    let store = Store::default();
    let server = store.serve();
    let remote = client(&server);
    remote.upload_directory(dir.path(), &url("t.bcolz/")).unwrap();
    store.with(|state| {
        assert_eq!(state.objects["t.bcolz/meta/sizes"], b"meta/sizes");
        let (data, meta): (Vec<_>, Vec<_>) = (state.order[..2].to_vec(), state.order[2..].to_vec());
        assert!(data.iter().all(|name| name.contains("data/")) && meta.len() == 3, "{:?}", state.order);
    });
    // Old objects would become part of it.
    assert!(matches!(remote.upload_directory(dir.path(), &url("t.bcolz")), Err(Error::OutputExists(_))));
    // A failure leaves no metadata.
    let store = Store::default();
    let fake = store.clone();
    let server = Server::start(move |request| match request.path().contains("__1.blp") {
        true => Reply::status(403),
        false => fake.answer(request),
    });
    let error = client(&server).upload_directory(dir.path(), &url("t")).unwrap_err();
    assert_eq!(std::io::Error::from(error).kind(), ErrorKind::PermissionDenied);
    store.with(|state| assert!(!state.objects.keys().any(|name| name.contains("meta"))));
}

/// Zarr is written without a copy on this machine, its metadata last.
#[test]
fn zarr_is_converted_straight_to_objects() {
    let dir = tempfile::tempdir().unwrap();
    let plain: Vec<u8> = (0..40_000_u32).flat_map(u32::to_le_bytes).collect();
    let packed = dir.path().join("a.blp");
    let options = bloscpack_io::PackOptions::new().typesize(4).chunk_size(40_000);
    std::fs::write(&packed, bloscpack_io::pack_bytes(&plain, &options).unwrap()).unwrap();
    let store = Store::default();
    let server = store.serve();
    let remote = client(&server);
    let typing =
        bloscpack_io::Typing::new().dtype(Some(bloscpack_format::numpy::Dtype::from_type_string("<u4").unwrap()));
    let options = bloscpack_io::ConvertOptions::new().typing(typing);
    let source = || bloscpack_io::LocalSource::open(&packed).unwrap();
    bloscpack_io::convert_to_url(source(), &remote, &url("a.zarr"), &options).unwrap();
    store.with(|state| {
        assert_eq!(state.order.last().unwrap(), "a.zarr/zarr.json");
        assert_eq!(state.order.len(), 5);
    });
    let opened = remote.open_source(&url("a.zarr"), &bloscpack_io::OpenOptions::new()).unwrap();
    let archive = bloscpack_io::Archive::open(opened).unwrap();
    assert_eq!(archive.format(), bloscpack_format::Format::ZarrArray);
    assert!(archive.read_range(0..160_000).unwrap() == plain);
    let again = bloscpack_io::convert_to_url(source(), &remote, &url("a.zarr"), &options);
    assert!(matches!(again, Err(Error::OutputExists(_))));
    // A failure leaves no metadata.
    let store = Store::default();
    let fake = store.clone();
    let server = Server::start(move |request| match request.path().contains("c/2") {
        true => Reply::status(403),
        false => fake.answer(request),
    });
    let failed = bloscpack_io::convert_to_url(source(), &client(&server), &url("a.zarr"), &options);
    assert_eq!(std::io::Error::from(failed.unwrap_err()).kind(), ErrorKind::PermissionDenied);
    store.with(|state| assert!(!state.objects.keys().any(|name| name.contains("zarr.json"))));
}
