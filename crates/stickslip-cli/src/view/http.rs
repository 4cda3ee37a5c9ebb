//! As much of HTTP/1.1 as a page needs [RFC 9112]: one GET or HEAD request a connection, its head bounded in size and
//! time.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// What a request may cost.
pub(super) struct Limits {
    /// Bytes of its head.
    pub head: usize,
    /// Time until it is there, and for each write of the answer.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { head: 8192, time: Duration::from_secs(10) }
    }
}

/// A request.
pub(super) struct Request {
    /// True for GET, false for HEAD.
    pub wants_body: bool,
    /// The path, as sent, without what follows a question mark.
    pub path: String,
    /// The host that it names.
    pub host: Option<String>,
}

/// An answer.
pub(super) struct Response {
    pub status: u16,
    pub kind: &'static str,
    pub body: Vec<u8>,
}

impl Response {
    /// A line of text.
    pub(super) fn text(status: u16, text: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: format!("{text}\n").into_bytes() }
    }

    /// A page.
    pub(super) fn page(html: String) -> Self {
        Self { status: 200, kind: "text/html; charset=utf-8", body: html.into_bytes() }
    }
}

/// Reads a request, answers it, closes.
pub(super) fn answer(mut stream: TcpStream, limits: &Limits, respond: impl FnOnce(&Request) -> Response) {
    let _ = stream.set_write_timeout(Some(limits.time));
    let (response, body) = match read(&mut stream, limits) {
        Ok(request) => (respond(&request), request.wants_body),
        Err(Some(response)) => (response, true),
        Err(None) => return,
    };
    // who has gone away does not need an answer
    let _ = write(&mut stream, &response, body);
}

/// Turns a connection away.
pub(super) fn refuse(mut stream: TcpStream, limits: &Limits) {
    let _ = stream.set_write_timeout(Some(limits.time));
    let _ = write(&mut stream, &Response::text(503, "too many requests at once"), true);
}

/// The request, or what to answer to what is none; nothing to one who says nothing.
fn read(stream: &mut TcpStream, limits: &Limits) -> Result<Request, Option<Response>> {
    let start = Instant::now();
    let mut head = Vec::new();
    let mut part = [0; 1024];
    let end = loop {
        if let Some(end) = head.windows(4).position(|w| w == b"\r\n\r\n") {
            break end;
        }
        if head.len() > limits.head {
            return Err(Some(Response::text(431, "the head of the request is too long")));
        }
        // one who sends a byte at a time does not get more time
        let left = limits.time.checked_sub(start.elapsed()).filter(|t| !t.is_zero());
        let Some(left) = left else {
            return Err(Some(Response::text(408, "the request did not come in time")));
        };
        let _ = stream.set_read_timeout(Some(left));
        match stream.read(&mut part) {
            Ok(0) => return Err(None),
            Ok(n) => head.extend_from_slice(&part[..n]),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return Err(Some(Response::text(408, "the request did not come in time"))),
        }
    };
    let bad = || Some(Response::text(400, "this is no request"));
    let head = std::str::from_utf8(&head[..end]).map_err(|_| bad())?;
    parse(head).ok_or_else(bad)?
}

/// The head of a request: nothing for what is none, a response for one that is not served.
fn parse(head: &str) -> Option<Result<Request, Option<Response>>> {
    let mut lines = head.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if !version.starts_with("HTTP/1.") || words.next().is_some() {
        return None;
    }
    let wants_body = match method {
        "GET" => true,
        "HEAD" => false,
        _ => return Some(Err(Some(Response::text(405, "only GET and HEAD are answered")))),
    };
    let mut host = None;
    for line in lines {
        let (name, value) = line.split_once(':')?;
        if name.eq_ignore_ascii_case("host") {
            // two of them are a trick
            if host.is_some() {
                return None;
            }
            host = Some(value.trim().to_owned());
        }
    }
    let path = target.split(['?', '#']).next()?.to_owned();
    Some(Ok(Request { wants_body, path, host }))
}

fn write(stream: &mut TcpStream, response: &Response, body: bool) -> std::io::Result<()> {
    let reason = match response.status {
        200 => "OK",
        302 => "Found",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Bad Request",
    };
    // pages bring their own script and style and load nothing from elsewhere; nobody may frame them or learn the
    // address
    let head = format!(
        "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
         img-src 'self' data: blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n\r\n",
        response.status,
        response.kind,
        response.body.len()
    );
    stream.write_all(head.as_bytes())?;
    if body {
        stream.write_all(&response.body)?;
    }
    stream.flush()
}
