//! One process at a time in a directory of results; a lock that its owner did not give back is none.

use crate::common::{TempDir, outcome};
use std::fs::File;

fn write(tmp: &TempDir, name: &str, text: &str) -> String {
    let path = tmp.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

const SWEEP: &str = "[study]\nname = \"belt\"\ndescription = \"d\"\nkind = \"sweep\"\nscene = \"conveyor\"\n\
    [set]\n\"simulation.step\" = 0.05\n[parameters]\nfriction = { values = [0.3, 0.4, 0.5, 0.6] }\n[trials]\nchunk = 2\n";
const DESIGN: &str = "[study]\nname = \"belt\"\ndescription = \"d\"\nkind = \"design\"\nscene = \"conveyor\"\n\
    [set]\n\"simulation.step\" = 0.05\n[parameters]\nfriction = { start = 0.3, lower = 0.2, upper = 0.6 }\n\
    [quantities]\nx = { end = \"box.x\" }\n[design]\nobjective = \"x\"\nevaluations = 3\n";
const FIT: &str = "[study]\nname = \"belt\"\ndescription = \"d\"\nkind = \"fit\"\nscene = \"conveyor\"\n\
    [set]\n\"simulation.step\" = 0.05\n[parameters]\nfriction = { start = 0.35, lower = 0.2, upper = 0.6 }\n\
    [truth]\nfriction = 0.3\n[fit]\nmethods = [\"least-squares\"]\n\
    [[data]]\nname = \"a\"\nsynthetic = { every = 0.05, from = 0.05, to = 0.2 }\ncolumns = [{ signal = \"box.x\", deviation = 1e-3 }]\n";

#[test]
fn a_second_process_is_told_and_one_that_was_killed_is_in_nobody_s_way() {
    let tmp = TempDir::new("held");
    for (kind, text) in [("sweep", SWEEP), ("design", DESIGN), ("fit", FIT)] {
        let study = write(&tmp, &format!("{kind}.toml"), text);
        let out = tmp.join(&format!("out-{kind}"));
        let (code, _, error) = outcome(&[kind, &study, "--out", &out]);
        assert!(code < 2, "{kind}: {error}");
        // the file that a killed process leaves behind says nothing
        let lock = std::path::Path::new(&out).join(".lock");
        assert!(lock.is_file(), "{kind}");
        let (code, _, error) = outcome(&[kind, &study, "--out", &out, "--resume"]);
        assert!(code < 2, "{kind}: {error}");
        let holder = File::options().write(true).open(&lock).unwrap();
        holder.lock().unwrap();
        let before = std::fs::read_dir(&out).unwrap().count();
        let (code, stdout, error) = outcome(&[kind, &study, "--out", &out, "--resume", "--json"]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{kind}: {error}");
        assert!(error.contains("another process is at work"), "{kind}: {error}");
        assert_eq!(std::fs::read_dir(&out).unwrap().count(), before);
        drop(holder);
        assert!(outcome(&[kind, &study, "--out", &out, "--resume"]).0 < 2, "{kind}");
    }
}

#[test]
fn ranges_of_a_sweep_share_a_directory_and_a_whole_sweep_does_not() {
    let tmp = TempDir::new("held-ranges");
    let study = write(&tmp, "sweep.toml", SWEEP);
    let out = tmp.join("out");
    assert_eq!(outcome(&["sweep", &study, "--out", &out, "--range", "0..2"]).0, 0);
    let other = File::options().write(true).open(std::path::Path::new(&out).join(".lock")).unwrap();
    other.lock_shared().unwrap();
    let args = ["sweep", &study, "--out", &out, "--resume"];
    assert_eq!(outcome(&args).0, 2);
    assert_eq!(outcome(&[&args[..], &["--range", "2..4"]].concat()).0, 0);
}
