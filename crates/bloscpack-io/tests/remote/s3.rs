//! The protocol of S3, against a store in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bloscpack_io::{ReadDirectory as _, Remote, RemoteUrl};

use crate::options;
use crate::server::{Reply, Request, Server};

/// A store with one bucket.
#[derive(Clone, Default)]
pub struct Store(Arc<Mutex<State>>);

#[derive(Default)]
pub struct State {
    pub objects: BTreeMap<String, Vec<u8>>,
    /// Unfinished uploads, with their parts.
    pub uploads: BTreeMap<String, BTreeMap<u32, Vec<u8>>>,
    /// The order in which objects appeared.
    pub order: Vec<String>,
}

/// Number of names in a page.
const PAGE: usize = 3;

impl Store {
    pub fn insert(&self, key: &str, bytes: &[u8]) {
        self.0.lock().unwrap().objects.insert(key.into(), bytes.to_vec());
    }

    pub fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.0.lock().unwrap())
    }

    pub fn serve(&self) -> Server {
        let store = self.clone();
        Server::start(move |request| store.answer(request))
    }

    pub fn answer(&self, request: &Request) -> Reply {
        let state = &mut *self.0.lock().unwrap();
        let Some(key) = request.path().trim_start_matches('/').strip_prefix("bucket/") else {
            return Reply::status(404).body(*b"<Error><Code>NoSuchBucket</Code><Message>x &amp; y</Message></Error>");
        };
        let key = key.replace("%20", " ").replace("%2B", "+");
        let query: BTreeMap<&str, &str> =
            request.query().split('&').map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
        let is_taken = request.header("if-none-match") == Some("*") && state.objects.contains_key(&key);
        match request.method.as_str() {
            "GET" if key.is_empty() => state.list(&query),
            "GET" | "HEAD" => match state.objects.get(&key) {
                Some(bytes) => Reply::of_file(request, bytes, "\"1\""),
                None => Reply::status(404).body(*b"<Error><Code>NoSuchKey</Code></Error>"),
            },
            "POST" if query.contains_key("uploads") => {
                let id = format!("id/{}", state.uploads.len());
                state.uploads.insert(id.clone(), BTreeMap::new());
                Reply::status(200).body(format!("<R><UploadId>{id}</UploadId></R>"))
            }
            "PUT" if query.contains_key("uploadId") => {
                let parts = state.uploads.get_mut(&query["uploadId"].replace("%2F", "/")).unwrap();
                parts.insert(query["partNumber"].parse().unwrap(), request.body.clone());
                let reply = Reply { pause: Duration::from_millis(100), ..Reply::status(200) };
                reply.with("ETag", &format!("\"t{}\"", query["partNumber"]))
            }
            "POST" | "PUT" if is_taken => Reply::status(412),
            "POST" => {
                let parts = state.uploads.remove(&query["uploadId"].replace("%2F", "/")).unwrap();
                let body = String::from_utf8(request.body.clone()).unwrap();
                assert!(
                    parts
                        .keys()
                        .all(|part| body.contains(&format!("<PartNumber>{part}</PartNumber><ETag>\"t{part}\"")))
                );
                state.put(&key, parts.into_values().flatten().collect());
                Reply::status(200)
                    .body(*b"<CompleteMultipartUploadResult><ETag>\"x\"</ETag></CompleteMultipartUploadResult>")
            }
            "PUT" => {
                state.put(&key, request.body.clone());
                Reply::status(200).with("ETag", "\"x\"")
            }
            "DELETE" => {
                state.uploads.remove(&query["uploadId"].replace("%2F", "/"));
                Reply::status(204)
            }
            _ => Reply::status(400),
        }
    }
}

impl State {
    fn put(&mut self, key: &str, bytes: Vec<u8>) {
        self.objects.insert(key.into(), bytes);
        self.order.push(key.into());
    }

    fn list(&self, query: &BTreeMap<&str, &str>) -> Reply {
        let prefix = query["prefix"].replace("%2F", "/");
        let after = query.get("continuation-token").copied().unwrap_or_default().replace("%2F", "/");
        let mut names = BTreeSet::new();
        for rest in self.objects.keys().filter_map(|key| key.strip_prefix(&prefix)) {
            let name = rest.split_inclusive('/').next().unwrap();
            names.insert(name.to_owned());
        }
        let rest: Vec<_> = names.into_iter().filter(|name| *name > after).collect();
        let mut xml = String::from("<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
        xml.push_str("<EncodingType>url</EncodingType>");
        for name in rest.iter().take(PAGE) {
            let key = format!("{prefix}{name}").replace('+', "%2B").replace(' ', "+");
            xml.push_str(&match name.ends_with('/') {
                true => format!("<CommonPrefixes><Prefix>{key}</Prefix></CommonPrefixes>"),
                false => {
                    let nbytes = self.objects.get(&format!("{prefix}{name}")).map_or(0, Vec::len);
                    format!("<Contents><Key>{key}</Key><Size>{nbytes}</Size></Contents>")
                }
            });
        }
        let last = rest.get(PAGE - 1).filter(|_| rest.len() > PAGE);
        if let Some(last) = last {
            xml.push_str(&format!("<NextContinuationToken>{last}</NextContinuationToken>"));
        }
        xml.push_str(&format!("<IsTruncated>{}</IsTruncated></ListBucketResult>", last.is_some()));
        Reply::status(200).body(xml)
    }
}

/// A client of a server that signs.
pub fn client(server: &Server) -> Remote {
    Remote::new(options().s3_endpoint(&server.url("")).s3_keys("KEY", "SECRET", Some("TOKEN"))).unwrap()
}

pub fn url(key: &str) -> RemoteUrl {
    format!("s3://bucket/{key}").parse().unwrap()
}

#[test]
fn directories_are_listed_page_by_page() {
    let store = Store::default();
    for name in ["a", "b c+d", "sub/x", "sub/y", "e", "f", "g", "z"] {
        store.insert(&format!("d/{name}"), b"1");
    }
    store.insert("other", b"1");
    let server = store.serve();
    let directory = client(&server).directory(&url("d"));
    let mut names = directory.list("").unwrap();
    names.sort();
    assert_eq!(names, ["a", "b c+d", "e", "f", "g", "sub", "z"]);
    assert_eq!(directory.list("sub").unwrap(), ["x", "y"]);
    assert_eq!(directory.list("none").unwrap_err().kind(), std::io::ErrorKind::NotFound);
    assert!(server.requests().len() >= 5);
    // Names in the path are encoded.
    assert_eq!(directory.open("b c+d").unwrap().len().unwrap(), 1);
    assert_eq!(server.requests().last().unwrap().target, "/bucket/d/b%20c%2Bd");
}

#[test]
fn requests_are_signed() {
    let store = Store::default();
    store.insert("x", b"1");
    let server = store.serve();
    client(&server).open(&url("x")).unwrap();
    let request = &server.requests()[0];
    let signature = request.header("authorization").unwrap();
    assert!(signature.starts_with("AWS4-HMAC-SHA256 Credential=KEY/"), "{signature}");
    let names = "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,";
    assert!(signature.contains(names), "{signature}");
    assert_eq!(request.header("x-amz-security-token"), Some("TOKEN"));
    // Without keys, nothing is signed.
    let anonymous = Remote::new(options().s3_endpoint(&server.url(""))).unwrap();
    anonymous.open(&url("x")).unwrap();
    assert!(server.requests()[1].header("authorization").is_none());
}

#[test]
fn errors_have_their_code_and_no_secrets() {
    let server = Store::default().serve();
    let error = client(&server).open(&"s3://none/x".parse().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "the server answered 404 (Not Found), NoSuchBucket: x & y");
    let server = Server::start(|_| {
        Reply::status(301).with("x-amz-bucket-region", "eu-west-7").with("Location", "http://127.0.0.2/")
    });
    let error = client(&server).open(&url("x")).unwrap_err().to_string();
    assert!(error.contains("the bucket is in region eu-west-7, set AWS_REGION"), "{error}");
    assert!(!format!("{:?}", client(&server)).contains("SECRET"));
}

#[test]
fn hostile_lists_are_refused() {
    let page = |inner: &str| format!("<ListBucketResult>{inner}</ListBucketResult>");
    let endless = page("<IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>");
    let bomb = format!(
        "<!DOCTYPE x [<!ENTITY a \"{}\">]>{}",
        "x".repeat(1000),
        page("<Contents><Key>&a;&a;</Key></Contents>")
    );
    for (xml, expected) in [
        (endless, "does not end"),
        (page("<IsTruncated>true</IsTruncated>"), "damaged"),
        ("<ListBucketResult>".into(), "damaged"),
        ("<a>".repeat(1 << 20), "damaged"),
        (String::from("\u{0}\u{1}"), "damaged"),
        (page(&"<Contents><Key>x</Key></Contents>".repeat(600_000)), "more than 16777216 bytes"),
        // Nothing is expanded, and names that lead elsewhere are dropped.
        (bomb, "entity not found"),
        (
            page("<Contents><Key>d/../../etc/passwd</Key></Contents><Contents><Key>/x</Key></Contents>"),
            "entity not found",
        ),
    ] {
        let server = Server::start(move |_| Reply::status(200).body(xml.clone()));
        let error = client(&server).directory(&url("d")).list("").unwrap_err();
        assert!(error.to_string().contains(expected), "expected {expected:?} in {error}");
    }
}
