//! Servers that fail, lie, or are slow.

use std::io::{ErrorKind, Read as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bloscpack_io::{Archive, Cancel, ConvertOptions, Error, ReadAt, Remote, RemoteFile, Target, UnpackOptions};

use crate::server::{Reply, Request, Server};
use crate::{options, remote};

/// A bloscpack file of some chunks, and its plain bytes.
fn data() -> &'static (Vec<u8>, Vec<u8>) {
    static DATA: OnceLock<(Vec<u8>, Vec<u8>)> = OnceLock::new();
    DATA.get_or_init(|| crate::file(Target::Bloscpack, 512, &ConvertOptions::new().chunk_size(128 << 10)))
}

fn good(request: &Request) -> Reply {
    Reply::of_file(request, &data().0, "\"1\"")
}

fn open(server: &Server) -> std::io::Result<RemoteFile> {
    remote().open(&server.url("x.blp").parse().unwrap())
}

/// Unpacks the file. Returns the text of the error.
fn unpacked(server: &Server, remote: &Remote) -> Result<Vec<u8>, String> {
    let file = remote.open(&server.url("x.blp?token=secret").parse().unwrap()).map_err(|error| error.to_string())?;
    let text = |error: Error| error.report().to_string();
    let archive = Archive::open(file).map_err(text)?;
    let mut plain = Vec::new();
    archive.unpack(&mut plain, &UnpackOptions::new()).map_err(text)?;
    Ok(plain)
}

/// Expects that the file cannot be read, with this in the text of the error.
fn refused(handler: impl Fn(&Request) -> Reply + Send + Sync + 'static, expected: &str) -> Server {
    let server = Server::start(handler);
    let error = unpacked(&server, &remote()).unwrap_err();
    assert!(error.contains(expected), "expected {expected:?} in {error:?}");
    assert!(!error.contains("secret"), "{error}");
    server
}

/// Expects that the file is read in spite of everything. Returns the number of requests.
fn read(handler: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> u64 {
    let server = Server::start(handler);
    // With several threads, the same range may meet a failure again and again.
    let remote = Remote::new(options().attempts(12)).unwrap();
    assert!(unpacked(&server, &remote).unwrap() == data().1);
    remote.traffic().requests
}

#[test]
fn every_third_request_may_fail() {
    for status in [408, 429, 500, 502, 503, 504] {
        let requests = read(move |request| match request.number % 3 {
            2 => Reply::status(status),
            _ => good(request),
        });
        assert!(requests > 3, "{status}: none has failed");
    }
}

#[test]
fn attempts_are_bounded() {
    let server = refused(|_| Reply::status(503), "503 (Service Unavailable); gave up after 3 attempts");
    assert_eq!(server.requests().len(), 3);
    // Other errors do not pass.
    for (status, kind) in [
        (400, ErrorKind::Other),
        (403, ErrorKind::PermissionDenied),
        (404, ErrorKind::NotFound),
        (501, ErrorKind::Other),
    ] {
        let server = Server::start(move |_| Reply::status(status));
        assert_eq!(open(&server).unwrap_err().kind(), kind);
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn a_busy_server_says_when_to_come_back() {
    let start = Instant::now();
    read(|request| match request.number {
        0 => Reply::status(429).with("Retry-After", "1"),
        _ => good(request),
    });
    assert!(start.elapsed() >= Duration::from_secs(1));
}

#[test]
fn a_long_wait_ends_with_the_cancel_flag() {
    let server = Server::start(|_| Reply::status(429).with("Retry-After", "100000"));
    cancelled(&server);
}

/// Expects that a request ends soon after the flag is set.
fn cancelled(server: &Server) {
    let cancel = Cancel::new();
    let remote = Remote::new(options().cancel(cancel.clone())).unwrap();
    let url = server.url("x").parse().unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(move || remote.open(&url).and_then(|file| file.read_exact_at(0, &mut [0; 100_000])));
        std::thread::sleep(Duration::from_millis(300));
        let start = Instant::now();
        cancel.cancel();
        let error = waiting.join().unwrap().unwrap_err();
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        assert!(matches!(Error::from(error), Error::Cancelled));
    });
}

#[test]
fn a_server_that_hangs_ends_with_the_cancel_flag() {
    cancelled(&Server::start(|_| Reply { pause: Duration::from_secs(5), ..Reply::status(200) }));
    cancelled(&Server::start(|request| match request.number {
        0 => good(request),
        _ => Reply { pause: Duration::from_secs(3), ..good(request) },
    }));
}

/// The next request asks for the rest.
#[test]
fn cut_bodies_are_continued() {
    let server = Server::start(|request| match request.number {
        1 => Reply { cut: Some(1000), ..good(request) },
        _ => good(request),
    });
    let file = open(&server).unwrap();
    let mut buf = vec![0; 50_000];
    file.read_exact_at(100_000, &mut buf).unwrap();
    assert!(buf == data().0[100_000..150_000]);
    let ranges: Vec<_> = server.requests().iter().map(|request| request.range().unwrap()).collect();
    assert_eq!(ranges[1..], [(100_000, 149_999), (101_000, 149_999)]);
    refused(|request| Reply { cut: Some(0), ..good(request) }, "the connection failed: Peer disconnected; gave up");
}

#[test]
fn closed_connections_are_opened_again() {
    read(|request| Reply { silent: request.number % 2 == 1, ..good(request) });
    let server = refused(|_| Reply { silent: true, ..Reply::default() }, "gave up after 3 attempts");
    assert!(server.requests().len() >= 3);
    let port = server.port();
    drop(server);
    let url = format!("http://127.0.0.1:{port}/x").parse().unwrap();
    assert!(remote().open(&url).unwrap_err().to_string().contains("the connection failed"));
}

#[test]
fn a_file_that_changes_is_refused() {
    let changed = "the file changed while it was being read";
    // By the header of the request, by the tag of the response, by the length.
    refused(|request| Reply::of_file(request, &data().0, if request.number == 0 { "\"1\"" } else { "\"2\"" }), changed);
    refused(|request| good(request).with("ETag", &format!("W/\"{}\"", request.number)), changed);
    refused(
        |request| match request.number {
            0 => good(request),
            _ => Reply::of_file(request, &[data().0.as_slice(), b"more"].concat(), "\"1\""),
        },
        changed,
    );
    refused(
        |request| {
            let mut reply = good(request).with("Last-Modified", &format!("{} Jan 2026", request.number));
            reply.headers.retain(|(name, _)| name != "ETag");
            reply
        },
        changed,
    );
}

#[test]
fn conditions_are_sent() {
    let server = Server::start(|request| good(request).with("Last-Modified", "x"));
    open(&server).unwrap().read_exact_at(100_000, &mut [0; 10]).unwrap();
    let requests = server.requests();
    assert_eq!(requests[0].header("accept-encoding"), Some("identity"));
    assert_eq!((requests[0].header("if-match"), requests[1].header("if-match")), (None, Some("\"1\"")));
}

#[test]
fn lies_are_refused() {
    refused(|request| good(request).with("Content-Encoding", "gzip"), "in the encoding \"gzip\"");
    refused(
        |request| match request.number {
            0 => good(request),
            _ => good(request).with("Content-Range", &format!("bytes 0-9/{}", data().0.len())),
        },
        "the server sends bytes 0..10, expected",
    );
    refused(
        |request| match request.number {
            0 => good(request),
            _ => Reply::status(206).body(vec![0; 10]),
        },
        "does not say which bytes it sends",
    );
    refused(
        |request| match request.number {
            0 => good(request),
            _ => Reply::status(200).body(data().0.clone()),
        },
        "the server answered 200 to a request for a range, expected 206",
    );
    // More bytes than the range has, or fewer.
    refused(
        |request| match request.number {
            0 => good(request),
            _ => good(request).with("Content-Length", "99999999999"),
        },
        "the server sends 99999999999 bytes, expected",
    );
    refused(|request| good(request).with("Content-Range", "bytes 0-16383/*"), "no valid range");
    refused(|request| good(request).with("Content-Range", "bytes 5-9/100"), "bytes 5..10 of 100");
}

/// A server that claims a huge file costs no memory: only what arrives is kept.
#[test]
fn huge_lengths_cost_nothing() {
    let huge = u64::MAX - 1;
    let claim = move |request: &Request| {
        let (first, last) = request.range().unwrap();
        let body = match first {
            0 => data().0[..16384].to_vec(),
            _ => Vec::new(),
        };
        Reply { cut: Some(body.len()), ..Reply::status(206) }
            .with("Content-Range", &format!("bytes {first}-{last}/{huge}"))
            .with("Content-Length", &(last - first + 1).to_string())
            .body(body)
    };
    let server = Server::start(claim);
    let file = open(&server).unwrap();
    assert_eq!(file.len().unwrap(), huge);
    file.prefetch(&[0..huge, 5..huge]);
    assert!(file.read_exact_at(huge - 5, &mut [0; 5]).is_err());
    assert!(Archive::open(file).and_then(|archive| archive.unpack(std::io::sink(), &UnpackOptions::new())).is_err());
}

#[test]
fn endless_bodies_end() {
    refused(
        |request| match request.number {
            0 => good(request),
            _ => Reply { endless: true, ..good(request).with("Transfer-Encoding", "identity") },
        },
        "",
    );
    // Without ranges, the limit of the temporary file ends it.
    let server = Server::start(|_| Reply { endless: true, ..Reply::status(200).body(vec![0; 4096]) });
    let remote = Remote::new(options().max_spool(1 << 20)).unwrap();
    let file = remote.open(&server.url("x").parse().unwrap()).unwrap();
    let error = file.len().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    assert!(remote.traffic().bytes < 3 << 20);
}

#[test]
fn slow_is_not_stalled() {
    // 25 ms for each 4 KiB, with a limit of 250 ms without a byte.
    let server = Server::start(|request| Reply { pause: Duration::from_millis(25), ..good(request) });
    let remote = Remote::new(options().stall_timeout(Duration::from_millis(250))).unwrap();
    let file = remote.open(&server.url("x").parse().unwrap()).unwrap();
    file.read_exact_at(50_000, &mut vec![0; 60_000]).unwrap();
    // Nothing at all for longer.
    let server = Server::start(|request| Reply { pause: Duration::from_millis(1500), ..good(request) });
    let start = Instant::now();
    let error = remote.open(&server.url("x").parse().unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn servers_without_ranges_are_read_from_the_start() {
    let server = Server::start(|_| Reply::status(200).body(data().0.clone()));
    let remote = remote();
    let file = remote.open(&server.url("x").parse().unwrap()).unwrap();
    let mut buf = vec![0; 1000];
    file.read_exact_at(data().0.len() as u64 - 1000, &mut buf).unwrap();
    assert!(buf == data().0[data().0.len() - 1000..]);
    let mut all = Vec::new();
    file.reader().read_to_end(&mut all).unwrap();
    assert!(all == data().0);
    assert!(unpacked(&server, &remote).unwrap() == data().1);
    assert_eq!(server.requests().len(), 2, "one for each URL");
    // The length is not known, the body is cut, the file is too large.
    read(|_| Reply::status(200).with("Transfer-Encoding", "chunked").body(chunked(&data().0)));
    refused(
        |_| Reply { cut: Some(100_000), ..Reply::status(200).body(data().0.clone()) },
        "the connection failed: Peer disconnected",
    );
    let small = Remote::new(options().max_spool(1000)).unwrap();
    let server = Server::start(|_| Reply::status(200).body(data().0.clone()));
    assert!(unpacked(&server, &small).unwrap_err().contains("limit of 1000 bytes"));
}

/// A body in the form `chunked`.
fn chunked(bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    for piece in bytes.chunks(10_000) {
        body.extend(format!("{:x}\r\n", piece.len()).bytes());
        body.extend(piece);
        body.extend(b"\r\n");
    }
    body.extend(b"0\r\n\r\n");
    body
}

#[test]
fn redirects_are_followed_without_credentials() {
    let other = Arc::new(Server::start(good));
    let to = format!("http://localhost:{}/y?sig=secret", other.port());
    let server = Server::start(move |_| Reply::status(302).with("Location", &to));
    let url = format!("http://me:word@{}/x", server.host()).parse().unwrap();
    let remote = remote();
    let file = remote.open(&url).unwrap();
    file.read_exact_at(100_000, &mut [0; 10]).unwrap();
    // base64 of "me:word"
    assert_eq!(server.requests()[0].header("authorization"), Some("Basic bWU6d29yZA=="));
    assert!(other.requests().iter().all(|request| request.header("authorization").is_none()));
    // The second request goes to the other server directly.
    assert_eq!((server.requests().len(), other.requests().len(), remote.traffic().requests), (1, 2, 3));
}

/// An address that a redirect gave may expire.
#[test]
fn expired_addresses_are_asked_for_again() {
    let count = Arc::new(AtomicUsize::new(0));
    let requests = read(move |request| match request.path() {
        "/x.blp" => Reply::status(307).with("Location", &format!("/real/{}", count.load(Ordering::SeqCst))),
        path if path == format!("/real/{}", count.load(Ordering::SeqCst)) => {
            if request.number == 3 {
                count.fetch_add(1, Ordering::SeqCst);
                return Reply::status(403);
            }
            good(request)
        }
        _ => Reply::status(403),
    });
    assert!(requests > 4);
}

#[test]
fn dangerous_redirects_are_refused() {
    refused(|_| Reply::status(302).with("Location", "/x.blp?token=secret"), "more than 5 redirects");
    refused(|_| Reply::status(302).with("Location", "ftp://h/x?a=secret"), "its scheme is not http or https");
    refused(|_| Reply::status(302), "names no location");
    refused(|_| Reply::status(302).with("Location", "http://"), "invalid URL");
}
