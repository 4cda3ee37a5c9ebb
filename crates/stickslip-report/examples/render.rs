//! Writes the report of each run directory named on the command line.

use std::path::Path;

fn main() {
    for dir in std::env::args().skip(1) {
        match stickslip_report::write_report(Path::new(&dir)) {
            Ok(page) => println!("{}", page.display()),
            Err(error) => eprintln!("{error}"),
        }
    }
}
