//! An HTTP server on loopback that does what a test wants, also what no server should.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    /// Path and query.
    pub target: String,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
    /// The number of requests before it.
    pub number: usize,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap()
    }

    pub fn query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }

    /// The range that the request asks for, its end included.
    pub fn range(&self) -> Option<(u64, u64)> {
        let (first, last) = self.header("range")?.strip_prefix("bytes=")?.split_once('-')?;
        Some((first.parse().unwrap(), last.parse().unwrap()))
    }
}

/// A response.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Only this number of bytes of the body are sent, then the connection is closed.
    pub cut: Option<usize>,
    /// The body repeats for ever.
    pub endless: bool,
    /// A pause before each piece of the body of 4 KiB, and before the head.
    pub pause: Duration,
    /// Nothing is sent at all.
    pub silent: bool,
}

impl Reply {
    pub fn status(status: u16) -> Reply {
        Reply { status, ..Reply::default() }
    }

    pub fn with(mut self, name: &str, value: &str) -> Reply {
        self.headers.retain(|(found, _)| !found.eq_ignore_ascii_case(name));
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Reply {
        self.body = body.into();
        self
    }

    /// The response of a good server to a request for a file, or a range of it.
    pub fn of_file(request: &Request, bytes: &[u8], etag: &str) -> Reply {
        if request.header("if-match").is_some_and(|wanted| wanted != etag) {
            return Reply::status(412);
        }
        let len = bytes.len() as u64;
        let Some((first, last)) = request.range() else {
            return Reply::status(200).with("ETag", etag).body(bytes);
        };
        if first >= len {
            return Reply::status(416).with("Content-Range", &format!("bytes */{len}"));
        }
        let last = last.min(len - 1);
        let part = Range { start: first as usize, end: last as usize + 1 };
        Reply::status(206)
            .with("ETag", etag)
            .with("Content-Range", &format!("bytes {first}-{last}/{len}"))
            .body(&bytes[part])
    }
}

/// A running server. Dropping it ends it.
pub struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    most: Arc<AtomicUsize>,
    ended: Arc<AtomicBool>,
}

impl Server {
    pub fn start(handler: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (requests, ended) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (active, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let server = Server {
            address: listener.local_addr().unwrap(),
            requests: Arc::clone(&requests),
            most: Arc::clone(&most),
            ended: Arc::clone(&ended),
        };
        let handler = Arc::new(handler);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if ended.load(Ordering::SeqCst) {
                    return;
                }
                let (handler, requests) = (Arc::clone(&handler), Arc::clone(&requests));
                let (active, most) = (Arc::clone(&active), Arc::clone(&most));
                std::thread::spawn(move || {
                    let _ = serve(&stream.unwrap(), &*handler, &requests, &active, &most);
                });
            }
        });
        server
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    pub fn host(&self) -> String {
        self.address.to_string()
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The largest number of requests that were in flight at the same time.
    pub fn most_in_flight(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(
    stream: &TcpStream,
    handler: &dyn Fn(&Request) -> Reply,
    requests: &Mutex<Vec<Request>>,
    active: &AtomicUsize,
    most: &AtomicUsize,
) -> std::io::Result<()> {
    let mut input = BufReader::new(stream);
    loop {
        let Some(mut request) = read(&mut input)? else { return Ok(()) };
        {
            let mut requests = requests.lock().unwrap();
            request.number = requests.len();
            requests.push(request.clone());
        }
        most.fetch_max(active.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let reply = handler(&request);
        let sent = send(stream, &request, &reply);
        active.fetch_sub(1, Ordering::SeqCst);
        if !sent? {
            return Ok(());
        }
    }
}

fn read(input: &mut impl BufRead) -> std::io::Result<Option<Request>> {
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap().to_owned(), words.next().unwrap_or_default().to_owned());
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        input.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let len = headers.get("content-length").map_or(0, |len| len.parse().unwrap());
    let mut body = vec![0; len];
    input.read_exact(&mut body)?;
    Ok(Some(Request { method, target, headers, body, number: 0 }))
}

/// Returns whether the connection stays open.
fn send(mut stream: &TcpStream, request: &Request, reply: &Reply) -> std::io::Result<bool> {
    std::thread::sleep(reply.pause);
    if reply.silent {
        return Ok(false);
    }
    let has = |name: &str| reply.headers.iter().any(|(found, _)| found.eq_ignore_ascii_case(name));
    let mut head = format!("HTTP/1.1 {} X\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !has("content-length") && !has("transfer-encoding") && !reply.endless {
        head.push_str(&format!("Content-Length: {}\r\n", reply.body.len()));
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    if request.method == "HEAD" {
        return Ok(true);
    }
    let body = &reply.body[..reply.cut.unwrap_or(reply.body.len())];
    loop {
        for piece in body.chunks(4096) {
            std::thread::sleep(reply.pause);
            stream.write_all(piece)?;
        }
        if !reply.endless {
            return Ok(reply.cut.is_none());
        }
    }
}
