//! Writing to the terminal.

use crate::Failure;
use std::io::{self, IsTerminal, Write};

/// Writes to stdout. A reader that has gone away is not an error of ours.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Message(format!("cannot write to stdout: {e}")))
        }
        _ => Ok(()),
    }
}

/// Writes what people read to stdout, coloured at a terminal.
pub(crate) fn tell(text: &str) -> Result<(), Failure> {
    print(&crate::paint::for_stdout(text))
}

/// Says on stderr what went wrong: one line per problem, and the place in the file where a person reads it.
pub(crate) fn complain(failure: &Failure) {
    let text = match failure {
        Failure::Message(message) => format!("error: {message}"),
        Failure::Scene(error) if io::stderr().is_terminal() => {
            format!("{:?}", miette::Report::new(error.as_ref().clone()))
        }
        Failure::Scene(error) => format!("error: {error}"),
    };
    let _ = writeln!(io::stderr(), "{text}");
}
