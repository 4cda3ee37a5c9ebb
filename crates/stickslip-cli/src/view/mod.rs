//! `stickslip view`: serves the page of a directory while a run or a study in it is going on, and follows it.
//!
//! For this machine only: bound to the loopback address, everything below a path that nobody can guess, for requests
//! that name this host (a page from elsewhere that is led here by its name server names another), from DIR only.

mod http;
mod live;
mod site;

use crate::{Failure, output};
use clap::Args;
use http::Limits;
use site::Site;
use std::hash::{BuildHasher, Hasher};
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Requests that are answered at the same time; what is beyond is turned away.
const AT_ONCE: usize = 16;

#[derive(Args)]
pub(crate) struct ViewArgs {
    /// The directory of a run or a study; may be empty still.
    dir: PathBuf,
    /// The port; a free one by default.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Print the address as one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
}

/// Runs the command, until it is interrupted.
pub(crate) fn view(args: ViewArgs) -> Result<u8, Failure> {
    let bad = |e: std::io::Error| Failure::Message(format!("{}: {e}", args.dir.display()));
    let advice = "expected a directory of a run or a study, or an empty one in which one will begin";
    let root = args.dir.canonicalize().map_err(|e| format!("{}: {e}; {advice}", args.dir.display()))?;
    if !root.is_dir() {
        return Err(Failure::Message(format!("{}: is no directory; {advice}", args.dir.display())));
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .map_err(|e| Failure::Message(format!("port {}: {e}; expected a free one", args.port)))?;
    let port = listener.local_addr().map_err(bad)?.port();
    let site = Arc::new(Site::new(root, token(), port));
    let address = format!("http://127.0.0.1:{port}/{}/", site.token());
    if args.json {
        output::print(&format!("{}\n", serde_json::json!({ "address": address })))?;
    } else {
        output::print(&format!("{address}\n"))?;
    }
    eprintln!("open this address in a browser on this machine; Ctrl-C ends");
    serve(&listener, &site);
    Ok(0)
}

/// Answers requests without end, each on a thread of its own.
fn serve(listener: &TcpListener, site: &Arc<Site>) {
    let busy = Arc::new(AtomicUsize::new(0));
    // a connection that broke before it was taken is nobody's loss
    for stream in listener.incoming().flatten() {
        let (site, busy) = (Arc::clone(site), Arc::clone(&busy));
        let turned_away = busy.fetch_add(1, Ordering::SeqCst) >= AT_ONCE;
        std::thread::spawn(move || {
            let limits = Limits::default();
            if turned_away {
                http::refuse(stream, &limits);
            } else {
                http::answer(stream, &limits, |request| site.respond(request));
            }
            busy.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

/// 128 random bits in hexadecimal digits.
fn token() -> String {
    let mut bytes = [0u8; 16];
    let system = std::fs::File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut bytes));
    if system.is_err() {
        // elsewhere: the keys that hash tables are protected with come from the system as well
        for half in bytes.chunks_mut(8) {
            let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
            half.copy_from_slice(&random.to_le_bytes());
        }
    }
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
