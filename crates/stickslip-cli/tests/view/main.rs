//! `stickslip view`: who is served what (here), and that it follows what is going on (`following.rs`).

#[path = "../common/mod.rs"]
mod common;
mod following;

use common::{TempDir, outcome};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The program with the signals of a terminal: whoever runs the tests in the background may have it ignore interrupts.
fn command() -> Command {
    let program = env!("CARGO_BIN_EXE_stickslip");
    if !cfg!(target_os = "linux") {
        return Command::new(program);
    }
    let mut command = Command::new("env");
    command.args(["--default-signal=INT", program]);
    command
}

/// A server that is ended with the test.
struct Server {
    child: Child,
    port: u16,
    token: String,
}

impl Server {
    fn start(dir: &str) -> Self {
        let mut child =
            command().args(["view", dir]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let rest = line.trim().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = rest.split_once('/').unwrap();
        Self { child, port: port.parse().unwrap(), token: token.trim_end_matches('/').to_owned() }
    }

    /// What is answered to the bytes of a request.
    fn raw(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _ = stream.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let status = text.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        (status, text)
    }

    /// The answer for a path below the token.
    fn get(&self, path: &str) -> (u16, String) {
        self.raw(&format!("GET /{}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.token, self.port))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A directory with a run in it.
fn run(name: &str) -> (TempDir, String) {
    let temp = TempDir::new(name);
    let dir = temp.join("run");
    assert_eq!(outcome(&["run", "slide-to-roll", "--out", &dir]).0, 0);
    (temp, dir)
}

#[test]
fn the_page_and_its_files_are_served_with_the_token_only() {
    let (_temp, dir) = run("view-token");
    let server = Server::start(&dir);
    assert_eq!(server.token.len(), 32);
    let (status, page) = server.get("");
    assert_eq!(status, 200);
    assert!(
        page.contains("Certified") && page.contains("Content-Security-Policy") && page.contains(".state")
    );
    let (status, csv) = server.get("trajectory.csv");
    assert!(status == 200 && csv.contains("text/csv") && csv.contains("sphere.x"));
    assert_eq!(server.get("nothing.csv").0, 404);
    let port = server.port;
    let other = "0".repeat(32);
    for path in
        ["/", "/report.html", "/trajectory.csv", &format!("/{other}/"), &format!("/{}x/", server.token), ""]
    {
        let (status, text) = server.raw(&format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"));
        assert!(matches!(status, 403 | 400), "{path}: {text}");
        assert!(!text.contains("sphere"), "{path}");
    }
    let another = Server::start(&dir);
    assert_ne!(another.token, server.token);
}

#[test]
fn another_host_is_refused() {
    let (_temp, dir) = run("view-host");
    let server = Server::start(&dir);
    let (token, port) = (&server.token, server.port);
    let with = |hosts: &str| server.raw(&format!("GET /{token}/ HTTP/1.1\r\n{hosts}\r\n")).0;
    assert_eq!(with(&format!("Host: localhost:{port}\r\n")), 200);
    for host in [
        String::new(),
        "Host: evil.example\r\n".to_owned(),
        format!("Host: evil.example:{port}\r\n"),
        "Host: 127.0.0.1\r\n".to_owned(),
        format!("Host: 127.0.0.1:{port}.evil.example\r\n"),
    ] {
        assert_eq!(with(&host), 403, "{host}");
    }
    assert_eq!(with(&format!("Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n")), 400);
}

#[test]
fn paths_upwards_are_refused() {
    let (temp, dir) = run("view-up");
    std::fs::write(temp.0.join("secret.txt"), "secret").unwrap();
    let server = Server::start(&dir);
    for path in [
        "../secret.txt",
        "%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "%2E%2E%2Fsecret.txt",
        "x/../../secret.txt",
        "..\\secret.txt",
        "..%5csecret.txt",
        ".hidden",
        "%00",
        "%zz",
    ] {
        let (status, text) = server.get(path);
        assert!(status == 403 && !text.contains("\r\n\r\nsecret"), "{path}: {text}");
    }
    // an absolute path is one below the directory
    assert_eq!(server.get("/etc/passwd").0, 404);
}

#[cfg(unix)]
#[test]
fn links_out_of_the_directory_are_refused() {
    let (temp, dir) = run("view-link");
    std::fs::write(temp.0.join("secret.txt"), "secret").unwrap();
    std::fs::create_dir(temp.0.join("outside")).unwrap();
    std::fs::write(temp.0.join("outside/secret.txt"), "secret").unwrap();
    let link =
        |to: &str, name: &str| std::os::unix::fs::symlink(to, std::path::Path::new(&dir).join(name)).unwrap();
    link("../secret.txt", "link.txt");
    link("../outside", "folder");
    link("trajectory.csv", "inside.csv");
    let server = Server::start(&dir);
    for path in ["link.txt", "folder/secret.txt", "folder/"] {
        let (status, text) = server.get(path);
        assert!(status == 403 && !text.contains("\r\n\r\nsecret"), "{path}: {text}");
    }
    assert_eq!(server.get("inside.csv").0, 200);
}

#[cfg(target_os = "linux")]
#[test]
fn it_listens_on_the_loopback_address_only() {
    let (_temp, dir) = run("view-loopback");
    let server = Server::start(&dir);
    // local address and state of each socket; 0A is listening
    let end = format!(":{:04X}", server.port);
    let sockets: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .flat_map(|f| {
            std::fs::read_to_string(f).unwrap_or_default().lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .filter(|l| {
            let words: Vec<&str> = l.split_whitespace().collect();
            words.len() > 3 && words[1].ends_with(&end) && words[3] == "0A"
        })
        .map(|l| l.split_whitespace().nth(1).unwrap().to_owned())
        .collect();
    println!("listening: {sockets:?}");
    assert_eq!(sockets, [format!("0100007F{end}")]);
}

#[test]
fn requests_are_bounded() {
    let (_temp, dir) = run("view-bounds");
    let server = Server::start(&dir);
    let (token, port) = (&server.token, server.port);
    // one who never finishes keeps nobody waiting
    let mut slow = TcpStream::connect(("127.0.0.1", port)).unwrap();
    slow.write_all(b"GET / HT").unwrap();
    assert_eq!(
        server
            .raw(&format!(
                "GET /{token}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX: {}\r\n\r\n",
                "x".repeat(20_000)
            ))
            .0,
        431
    );
    assert_eq!(server.raw(&format!("POST /{token}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")).0, 405);
    for nonsense in [
        "\r\n\r\n",
        "GET\r\n\r\n",
        "GET / / HTTP/1.1\r\n\r\n",
        "GET / SSH\r\n\r\n",
        "GET / HTTP/1.1\r\nnonsense\r\n\r\n",
    ] {
        assert_eq!(server.raw(nonsense).0, 400, "{nonsense:?}");
    }
    let (status, head) = server.raw(&format!("HEAD /{token}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"));
    assert!(status == 200 && head.ends_with("\r\n\r\n"));
    assert_eq!(server.get("").0, 200);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it() {
    let (_temp, dir) = run("view-end");
    let mut server = Server::start(&dir);
    assert!(Command::new("kill").args(["-INT", &server.child.id().to_string()]).status().unwrap().success());
    let start = Instant::now();
    while server.child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(5), "still there");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(TcpStream::connect(("127.0.0.1", server.port)).is_err());
}

#[test]
fn what_is_no_directory_is_said() {
    let (code, _, error) = outcome(&["view", "/nonexistent/run"]);
    assert!(code == 2 && error.contains("/nonexistent/run"), "{error}");
}
