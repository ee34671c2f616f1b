//! Inputs and outputs at URLs, against servers on loopback.

use crate::common::{Run, Sandbox};
use server::{Reply, Request, Server};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[allow(dead_code, unreachable_pub)]
#[path = "../../../bloscpack-io/tests/remote/server.rs"]
mod server;

/// Runs without the settings of the machine for networks and stores.
fn run(sandbox: &Sandbox, endpoint: &str, args: &[&str]) -> Run {
    let mut command = sandbox.command(args);
    for name in
        ["AWS_PROFILE", "AWS_ENDPOINT_URL_S3", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"]
    {
        command.env_remove(name);
    }
    command.env("AWS_ENDPOINT_URL", endpoint).env("AWS_ACCESS_KEY_ID", "KEY").env("AWS_SECRET_ACCESS_KEY", "SECRET");
    command.env("HOME", sandbox.path(""));
    Run::of(args.join(" "), command.output().unwrap())
}

fn serve(sandbox: &Sandbox, name: &str) -> Server {
    let bytes = sandbox.read(name);
    Server::start(move |request| Reply::of_file(request, &bytes, "\"1\""))
}

/// A `.npy` file with 1,000,000 numbers.
fn with_array() -> Sandbox {
    let sandbox = Sandbox::new();
    let header = "{'descr': '<i4', 'fortran_order': False, 'shape': (1000, 1000), }";
    let mut bytes = b"\x93NUMPY\x01\0\x76\0".to_vec();
    bytes.extend(format!("{header:117}\n").bytes());
    bytes.extend((0..1_000_000_i32).flat_map(|number| (number.wrapping_mul(number) % 10_007).to_le_bytes()));
    sandbox.write("a.npy", &bytes);
    sandbox
}

#[test]
fn every_reading_command_takes_urls() {
    let sandbox = with_array();
    sandbox.run("compress a.npy a.npy.blp").ok();
    sandbox.run("convert a.npy a.b2nd").ok();
    for name in ["a.npy.blp", "a.b2nd", "a.npy"] {
        let server = serve(&sandbox, name);
        let url = server.url(&format!("d/{name}?X-Amz-Signature=secret"));
        let on = |args: &[&str]| {
            let args: Vec<&str> = args.iter().map(|arg| if *arg == "URL" { &url } else { *arg }).collect();
            let found = run(&sandbox, "http://127.0.0.1:9", &args);
            assert!(!String::from_utf8_lossy(&found.stdout).contains("secret") && !found.stderr.contains("secret"));
            found.ok()
        };
        let local = |args: &str| sandbox.run(args).ok().stdout;
        assert_eq!(on(&["info", "URL"]).stdout, local(&format!("info {name}")), "{name}");
        assert_eq!(on(&["cat", "--items", "5..400000", "URL"]).stdout, local(&format!("cat --items 5..400000 {name}")));
        assert!(String::from_utf8(on(&["verify", "URL"]).stdout).unwrap().contains("…: ok") || name == "a.npy");
        assert!(
            String::from_utf8(on(&["list", "URL"]).stdout).unwrap().contains(&format!("d/{name}?X-Amz-Signature=…"))
        );
        on(&["stats", "URL"]);
        on(&["-ff", "decompress", "URL", "out"]);
        let expected = if name == "a.b2nd" { sandbox.read("a.npy")[128..].to_vec() } else { sandbox.read("a.npy") };
        let plain = if name == "a.npy" { expected[128..].to_vec() } else { expected };
        assert!(sandbox.read("out") == plain, "{name}");
        if name != "a.npy.blp" {
            on(&["-f", "convert", "URL", "out.npy"]);
            assert!(sandbox.read("out.npy") == sandbox.read("a.npy"), "{name}");
        }
    }
}

#[test]
fn the_network_is_counted() {
    let sandbox = with_array();
    sandbox.run("convert a.npy a.b2nd").ok();
    let server = serve(&sandbox, "a.b2nd");
    let found = run(&sandbox, "", &["-v", "info", &server.url("a.b2nd")]).ok();
    let requests = server.requests().len();
    let text = String::from_utf8(found.stdout).unwrap();
    assert!(requests <= 3 && text.contains(&format!("blpk: network: {requests} request")), "{text}");
    assert!(!String::from_utf8(sandbox.run("-v info a.b2nd").ok().stdout).unwrap().contains("network:"));
}

#[test]
fn file_urls_are_paths() {
    let sandbox = with_array();
    let url = format!("file://{}", sandbox.path("a.npy").display());
    assert_eq!(sandbox.args(&["info", &url]).ok().stdout, sandbox.run("info a.npy").ok().stdout);
}

#[test]
fn errors_name_the_url() {
    let sandbox = Sandbox::new();
    let server = Server::start(|_| Reply::status(404));
    let url = server.url("x.blp?sig=secret");
    for args in [&["info"][..], &["verify"], &["cat", "--items", ".."], &["stats"]] {
        let args: Vec<&str> = args.iter().copied().chain([url.as_str()]).collect();
        let found = run(&sandbox, "", &args);
        assert_eq!(found.code, Some(1), "{found:?}");
        let line = format!("{}: opening: the server answered 404 (Not Found)", server.url("x.blp?sig=…"));
        assert!(found.stderr.contains(&line), "{found:?}");
    }
    let found = run(&sandbox, "", &["info", "http://"]);
    assert!(found.stderr.contains("invalid URL: it has"), "{found:?}");
    let found = run(&sandbox, "", &["decompress", &url]);
    assert_eq!(found.code, Some(1));
    for args in [&["append", &url, "x"][..], &["recover", &url, "x"], &["compact", &url], &["meta", "get", &url]] {
        let found = run(&sandbox, "", args);
        assert!(found.stderr.contains("URL") && !found.stderr.contains("secret"), "{found:?}");
    }
}

type Objects = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// A bucket: objects that are written by one request.
fn bucket() -> (Server, Objects) {
    let objects = Arc::new(Mutex::new(BTreeMap::new()));
    let stored = Arc::clone(&objects);
    let server = Server::start(move |request: &Request| {
        let mut objects = stored.lock().unwrap();
        let key = request.path().to_owned();
        match (request.method.as_str(), objects.get(&key)) {
            ("PUT", Some(_)) if request.header("if-none-match").is_some() => Reply::status(412),
            ("PUT", _) => {
                objects.insert(key, request.body.clone());
                Reply::status(200)
            }
            (_, Some(bytes)) => Reply::of_file(request, bytes, "\"1\""),
            ("GET", None) if request.query().contains("list-type=2") => {
                let prefix = request.query().rsplit("prefix=").next().unwrap().replace("%2F", "/");
                let below = objects.keys().filter_map(|key| key.strip_prefix(&format!("/bucket/{prefix}")));
                let names = below.map(|name| match name.split_once('/') {
                    Some((name, _)) => format!("<CommonPrefixes><Prefix>{prefix}{name}/</Prefix></CommonPrefixes>"),
                    None => format!("<Contents><Key>{prefix}{name}</Key></Contents>"),
                });
                let names: String = names.collect();
                Reply::status(200).body(format!("<ListBucketResult>{names}</ListBucketResult>"))
            }
            _ => Reply::status(404),
        }
    });
    (server, objects)
}

#[test]
fn outputs_go_to_buckets() {
    let sandbox = with_array();
    let (server, objects) = bucket();
    let on = |args: &[&str]| run(&sandbox, &server.url(""), args);
    on(&["compress", "a.npy", "s3://bucket/d/a.npy.blp"]).ok();
    on(&["convert", "a.npy", "s3://bucket/d/a.b2nd"]).ok();
    on(&["convert", "a.npy", "s3://bucket/d/a.bcolz"]).ok();
    {
        let objects = objects.lock().unwrap();
        assert!(objects["/bucket/d/a.npy.blp"].starts_with(b"blpk"));
        assert!(objects.contains_key("/bucket/d/a.b2nd") && objects.contains_key("/bucket/d/a.bcolz/meta/storage"));
    }
    for name in ["a.b2nd", "a.bcolz"] {
        on(&["-f", "convert", &format!("s3://bucket/d/{name}"), "back.npy"]).ok();
        assert!(sandbox.read("back.npy") == sandbox.read("a.npy"), "{name}");
    }
    let refused = on(&["compress", "a.npy", "s3://bucket/d/a.npy.blp"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("output file 's3://bucket/d/a.npy.blp' exists!"), "{refused:?}");
    on(&["-f", "compress", "a.npy", "s3://bucket/d/a.npy.blp"]).ok();
    // Objects that the new ones do not replace would become part of the new container.
    on(&["convert", "--chunkshape", "100,1000", "a.npy", "s3://bucket/d/a.zarr"]).ok();
    let before = objects.lock().unwrap().clone();
    for name in ["a.zarr", "a.zarr/", "a.bcolz"] {
        for force in [&[][..], &["-f"]] {
            let refused = on(&[force, &["convert", "a.npy", &format!("s3://bucket/d/{name}")]].concat());
            assert_eq!(refused.code, Some(1), "{refused:?}");
            assert!(refused.stderr.contains("there are objects below it, which would become part"), "{refused:?}");
        }
    }
    assert!(*objects.lock().unwrap() == before);
    let refused = on(&["compress", "a.npy", &server.url("a.blp")]);
    assert!(refused.stderr.contains("only s3:// can be written to"), "{refused:?}");
    assert!(sandbox.names().iter().all(|name| !name.contains("s3")));
}

/// The proxy of the environment gets the request, and no other host.
#[test]
fn proxies_are_used() {
    let sandbox = with_array();
    let bytes = sandbox.read("a.npy");
    let proxy = Server::start(move |request| match request.method.as_str() {
        "CONNECT" => Reply::status(200),
        _ => Reply::of_file(request, &bytes, "\"1\""),
    });
    let mut command = sandbox.command(&["info", "http://example.invalid/a.npy"]);
    command.env("HTTP_PROXY", proxy.url("")).env_remove("NO_PROXY").env_remove("no_proxy");
    Run::of("info".into(), command.output().unwrap()).ok();
    assert!(
        proxy.requests().iter().any(|request| request.target.contains("example.invalid")),
        "{:?}",
        proxy.requests()
    );
    let mut command = sandbox.command(&["info", "http://example.invalid/a.npy"]);
    command.env("HTTP_PROXY", "socks5://127.0.0.1:1");
    let refused = Run::of("info".into(), command.output().unwrap());
    assert!(refused.stderr.contains("SOCKS proxy is not supported"), "{refused:?}");
}

/// Ctrl-C ends a request that hangs.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_requests() {
    let sandbox = Sandbox::new();
    let server = Server::start(|_| Reply { pause: Duration::from_secs(20), ..Reply::status(200) });
    let child = sandbox.command(&["info", &server.url("x")]).spawn().unwrap();
    while server.requests().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let start = Instant::now();
    let kill = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"), "{output:?}");
}

/// A Zarr group in a zip archive is a file that can be compressed, and a store from which arrays are read.
#[test]
fn zip_archives_of_zarr_groups_are_files_and_stores() {
    let sandbox = Sandbox::new();
    let name = "v3/zip/stored.zip";
    sandbox.write("a.zip", &testdata::archive("zarr").remove(name).unwrap());
    let server = serve(&sandbox, "a.zip");
    let url = server.url("a.zip");
    let on = |args: &[&str]| run(&sandbox, "", args);
    for args in
        [&["cat", "--items", "..", &url][..], &["stats", &url], &["d", &url, "out"], &["convert", &url, "a.npy"]]
    {
        let error = on(args).failed();
        assert!(error.ends_with("is a Zarr group; choose an array with --column: \"x/y\""), "{error}");
    }
    on(&["d", "--column", "x/y", &url, "out"]).ok();
    sandbox.run("d --column x/y a.zip local").ok();
    assert!(sandbox.read("out") == sandbox.read("local"));
    assert!(String::from_utf8(on(&["list", &url]).ok().stdout).unwrap().contains("a.zip/x/y"));
    on(&["verify", &url]).ok();
    on(&["compress", &url, "packed.blp"]).ok();
    sandbox.run("d packed.blp unpacked").ok();
    assert!(sandbox.read("unpacked") == sandbox.read("a.zip"));
    // A damaged archive is a file as any other.
    let damaged = sandbox.read("a.zip")[..200].to_vec();
    sandbox.write("b.zip", &damaged);
    let server = serve(&sandbox, "b.zip");
    on(&["compress", &server.url("b.zip"), "b.blp"]).ok();
    on(&["cat", "--items", "..", &server.url("b.zip")]).failed();
}
