//! Which request gets what.

use super::http::{Request, Response};
use super::live;
use std::path::{Path, PathBuf};

/// The largest file that is sent.
const LARGEST: u64 = 1 << 30;

/// The directory and who may see it.
pub(super) struct Site {
    root: PathBuf,
    token: String,
    hosts: [String; 2],
}

impl Site {
    /// A site of a directory, given by its canonical path.
    pub(super) fn new(root: PathBuf, token: String, port: u16) -> Self {
        Self { root, token, hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")] }
    }

    /// What the path of every address begins with.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Answers a request.
    pub(super) fn respond(&self, request: &Request) -> Response {
        if !request.host.as_ref().is_some_and(|h| self.hosts.contains(h)) {
            return Response::text(403, "refused: the request names another host");
        }
        let path = request.path.strip_prefix('/').unwrap_or("");
        let (token, rest) = path.split_once('/').unwrap_or((path, ""));
        if !same(token.as_bytes(), self.token.as_bytes()) {
            return Response::text(
                403,
                "refused: the address lacks its token; see what `stickslip view` printed",
            );
        }
        match rest {
            "" => live::page(&self.root),
            ".state" => live::state(&self.root),
            rest => self.file(rest),
        }
    }

    /// A file below the directory.
    fn file(&self, path: &str) -> Response {
        let refused = || Response::text(403, "refused: outside of the directory");
        let Some(path) = decoded(path) else { return refused() };
        let mut target = self.root.clone();
        for part in path.split('/').filter(|p| !p.is_empty()) {
            // hidden files are nobody's results; `..` is one of them
            if part.starts_with('.') || part.contains(['\\', ':']) {
                return refused();
            }
            target.push(part);
        }
        // links may lead anywhere: what counts is where the file really is
        let Ok(real) = target.canonicalize() else { return Response::text(404, "no such file") };
        if !real.starts_with(&self.root) {
            return refused();
        }
        if real.is_dir() {
            // relative links of a page need the slash
            return if path.ends_with('/') {
                live::page(&real)
            } else {
                Response::text(404, "a directory; its address ends with /")
            };
        }
        send(&real)
    }
}

fn send(file: &Path) -> Response {
    let kind = match file.extension().and_then(|e| e.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("json") => "application/json",
        Some("csv") => "text/csv; charset=utf-8",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        Some("toml" | "txt" | "jsonl") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    };
    match std::fs::metadata(file) {
        Ok(m) if !m.is_file() => Response::text(403, "refused: no plain file"),
        Ok(m) if m.len() > LARGEST => {
            Response::text(403, "refused: larger than 1 GB; open it from the directory")
        }
        _ => match std::fs::read(file) {
            Ok(body) => Response { status: 200, kind, body },
            Err(_) => Response::text(404, "no such file"),
        },
    }
}

/// The text behind %-signs; nothing when it is not UTF-8 or has control characters.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.chars().any(char::is_control))
}

/// Whether two texts are the same, in a time that does not tell where they differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |d, (a, b)| d | (a ^ b)) == 0
}
