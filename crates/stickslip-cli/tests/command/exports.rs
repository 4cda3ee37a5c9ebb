//! `stickslip report --png, --svg, --gltf, --mcap`: what is written is read back and compared with the run's own files.

use crate::common::{TempDir, outcome, read};
use serde_json::Value;

/// A run of a scene, and its trajectory by columns.
fn run(scene: &str, name: &str) -> (TempDir, String) {
    let temp = TempDir::new(name);
    let dir = temp.join("run");
    assert_eq!(outcome(&["run", scene, "--until", "0.3", "--out", &dir]).0, 0);
    (temp, dir)
}

fn columns(dir: &str, names: &[&str]) -> Vec<Vec<f64>> {
    let text = read(dir, "trajectory.csv");
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at: Vec<usize> = names.iter().map(|n| head.iter().position(|h| h == n).unwrap()).collect();
    let rows: Vec<Vec<&str>> = lines.map(|l| l.split(',').collect()).collect();
    at.iter().map(|i| rows.iter().map(|r| r[*i].parse().unwrap()).collect()).collect()
}

/// The bytes behind base64, by the definition.
fn decode(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|c| *c != b'=').map(digit).collect();
    let bits = digits.chunks(4).flat_map(|chunk| {
        let word = chunk.iter().fold(0u32, |w, d| w << 6 | u32::from(*d)) << (6 * (4 - chunk.len()));
        word.to_be_bytes()[1..chunk.len()].to_vec()
    });
    bits.collect()
}

/// The numbers of an accessor of a glTF file.
fn floats(file: &Value, bytes: &[u8], accessor: &Value) -> Vec<f32> {
    let a = &file["accessors"][accessor.as_u64().unwrap() as usize];
    let view = &file["bufferViews"][a["bufferView"].as_u64().unwrap() as usize];
    let start = view["byteOffset"].as_u64().unwrap() as usize;
    let length = view["byteLength"].as_u64().unwrap() as usize;
    let width = match a["type"].as_str().unwrap() {
        "SCALAR" => 1,
        "VEC3" => 3,
        _ => 4,
    };
    assert_eq!(length, 4 * width * a["count"].as_u64().unwrap() as usize);
    bytes[start..start + length].chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn a_gltf_file_moves_as_the_run_did() {
    let (temp, dir) = run("slide-to-roll", "exports-gltf");
    let file = temp.join("run.gltf");
    assert_eq!(outcome(&["report", &dir, "--gltf", &file]), (0, format!("{file}\n"), String::new()));
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(file["asset"]["version"], "2.0");
    let uri = file["buffers"][0]["uri"].as_str().unwrap();
    let bytes = decode(uri.strip_prefix("data:application/octet-stream;base64,").unwrap());
    assert_eq!(bytes.len() as u64, file["buffers"][0]["byteLength"].as_u64().unwrap());
    let nodes = file["nodes"].as_array().unwrap();
    let sphere = nodes.iter().position(|n| n["name"] == "sphere").unwrap();
    let animation = &file["animations"][0];
    let names = ["t", "sphere.x", "sphere.y", "sphere.z", "sphere.qx", "sphere.qy", "sphere.qz", "sphere.qw"];
    let expected = columns(&dir, &names);
    for (path, of, width) in [("translation", 1, 3), ("rotation", 4, 4)] {
        let channels = animation["channels"].as_array().unwrap();
        let channel =
            channels.iter().find(|c| c["target"]["node"] == sphere && c["target"]["path"] == path).unwrap();
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        let times = floats(&file, &bytes, &sampler["input"]);
        let values = floats(&file, &bytes, &sampler["output"]);
        assert_eq!(times, expected[0].iter().map(|t| *t as f32).collect::<Vec<_>>());
        for (i, row) in values.chunks(width).enumerate() {
            let exact: Vec<f64> = (0..width).map(|k| expected[of + k][i]).collect();
            // a rotation and its negative are the same
            let sign = if width == 4 && f64::from(row[3]) * exact[3] < 0.0 { -1.0 } else { 1.0 };
            for k in 0..width {
                assert!((f64::from(row[k]) * sign - exact[k]).abs() < 1e-6, "{path} {i}");
            }
        }
        println!("{path}: {} frames as in trajectory.csv", times.len());
    }
    // every vertex of the ball is at its radius, with the normal outwards
    let ball = nodes[sphere]["children"][0].as_u64().unwrap() as usize;
    let primitive = &file["meshes"][nodes[ball]["mesh"].as_u64().unwrap() as usize]["primitives"][0];
    let positions = floats(&file, &bytes, &primitive["attributes"]["POSITION"]);
    let normals = floats(&file, &bytes, &primitive["attributes"]["NORMAL"]);
    let radius = |p: &[f32]| p.iter().map(|x| x * x).sum::<f32>().sqrt();
    let first = radius(&positions[..3]);
    for (p, n) in positions.chunks(3).zip(normals.chunks(3)) {
        assert!((radius(p) - first).abs() < 1e-6 * first);
        assert!((0..3).all(|k| (p[k] / first - n[k]).abs() < 1e-5));
    }
}

/// A record of an MCAP file: what kind, where it begins, what is in it.
type Record<'a> = (u8, usize, &'a [u8]);

fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    bytes[at..at + width].iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
}

/// The records one after the other, to the last byte.
fn records(bytes: &[u8], from: usize) -> Vec<Record<'_>> {
    let (mut at, mut out) = (from, Vec::new());
    while at < bytes.len() {
        let length = number(bytes, at + 1, 8) as usize;
        out.push((bytes[at], at, &bytes[at + 9..at + 9 + length]));
        at += 9 + length;
    }
    assert_eq!(at, bytes.len());
    out
}

/// The messages of a chunk.
fn messages(chunk: &[u8]) -> Vec<Record<'_>> {
    // times, size, checksum, no compression, size again
    let inside = &chunk[40..];
    let size = inside.len() as u64;
    assert_eq!([number(chunk, 16, 8), number(chunk, 28, 4), number(chunk, 32, 8)], [size, 0, size]);
    let messages = records(inside, 0);
    assert!(messages.iter().all(|m| m.0 == 5));
    messages
}

/// How many messages an index after a chunk names, each by channel, time and place.
fn entries(index: &[u8], messages: &[Record<'_>]) -> usize {
    for entry in index[6..].chunks(16) {
        let (_, _, body) = messages.iter().find(|m| m.1 as u64 == number(entry, 8, 8)).unwrap();
        assert_eq!([number(body, 0, 2), number(body, 6, 8)], [number(index, 0, 2), number(entry, 0, 8)]);
    }
    index[6..].len() / 16
}

#[test]
fn an_mcap_file_has_every_row_in_chunks_with_an_index() {
    let (temp, dir) = run("woodpecker", "exports-mcap");
    let file = temp.join("run.mcap");
    assert_eq!(outcome(&["report", &dir, "--mcap", &file]).0, 0);
    let bytes = std::fs::read(&file).unwrap();
    let magic = b"\x89MCAP0\r\n";
    assert!(bytes.starts_with(magic) && bytes.ends_with(magic));
    let whole = &bytes[..bytes.len() - 8];
    let all = records(whole, 8);
    let chunks: Vec<&Record> = all.iter().filter(|r| r.0 == 6).collect();
    let (mut states, mut modes) = (Vec::new(), Vec::new());
    for (_, start, body) in &chunks {
        let messages = messages(body);
        for (_, _, body) in &messages {
            let message: Value = serde_json::from_slice(&body[22..]).unwrap();
            match number(body, 0, 2) {
                3 => modes.extend(message["contacts"].as_array().unwrap().iter().map(|c| c["mode"].clone())),
                4 => states.push((number(body, 6, 8), message)),
                _ => {}
            }
        }
        let after = all.iter().filter(|r| r.0 == 7 && r.1 > *start);
        let indices = after.take_while(|r| chunks.iter().all(|c| c.1 <= *start || c.1 > r.1));
        let entries: usize = indices.map(|(_, _, index)| entries(index, &messages)).sum();
        assert_eq!(entries, messages.len());
    }
    // the summary leads to every chunk
    let listed: Vec<u64> = all.iter().filter(|r| r.0 == 8).map(|r| number(r.2, 16, 8)).collect();
    assert_eq!(listed, chunks.iter().map(|c| c.1 as u64).collect::<Vec<_>>());
    let foot = all.last().unwrap();
    let summary = records(whole, number(foot.2, 0, 8) as usize);
    assert_eq!((foot.0, summary[0].0, summary[8].0), (2, 3, 8));
    let expected = columns(&dir, &["t", "phi_S", "energy.kinetic"]);
    assert_eq!(states.len(), expected[0].len());
    for (i, (time, state)) in states.iter().enumerate() {
        assert_eq!(*time, (expected[0][i] * 1e9).round() as u64);
        // all digits
        assert_eq!(state["phi_S"].as_f64(), Some(expected[1][i]));
        assert_eq!(state["energy.kinetic"].as_f64(), Some(expected[2][i]));
    }
    let contacts = read(&dir, "contacts.csv");
    let exact: Vec<&str> = contacts.lines().skip(1).map(|l| l.split(',').nth(2).unwrap()).collect();
    assert_eq!(modes, exact);
    println!(
        "{} rows, {} contacts, {} chunks, {} bytes",
        states.len(),
        modes.len(),
        chunks.len(),
        bytes.len()
    );
    assert!(chunks.len() >= 2);
}

#[test]
fn an_mcap_file_of_a_long_run_has_as_many_rows_as_its_page() {
    let temp = TempDir::new("exports-mcap-long");
    let (dir, file) = (temp.join("run"), temp.join("run.mcap"));
    let options = ["--until", "5", "--step", "1e-3", "--out", &dir];
    assert_eq!(outcome(&[&["run", "slide-to-roll"], &options[..]].concat()).0, 0);
    assert_eq!(outcome(&["report", &dir, "--mcap", &file]).0, 0);
    let bytes = std::fs::read(&file).unwrap();
    let all = records(&bytes[..bytes.len() - 8], 8);
    let inside = all.iter().filter(|r| r.0 == 6).flat_map(|(_, _, body)| records(&body[40..], 0));
    let times: Vec<u64> = inside.filter(|m| number(m.2, 0, 2) == 4).map(|m| number(m.2, 6, 8)).collect();
    println!("{} of 5001 rows, {} bytes", times.len(), bytes.len());
    assert!(times.len() == 4000 && times[0] == 0 && times[3999] == 5_000_000_000);
}

#[test]
fn every_plot_of_a_page_becomes_an_svg_file() {
    let (temp, dir) = run("slide-to-roll", "exports-svg");
    let folder = temp.join("plots");
    let (code, out, _) = outcome(&["report", &dir, "--svg", &folder]);
    let figures = read(&dir, "report.html").matches("<figure>").count();
    println!("{figures} plots");
    assert!(code == 0 && figures > 5 && out.lines().count() == figures);
    for file in out.lines() {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.starts_with("<svg xmlns=") && text.ends_with("</svg>\n"), "{file}");
        // nothing that only a browser understands
        assert!(!text.contains("var(") && !text.contains("class=") && !text.contains("NaN"), "{file}");
    }
}

#[test]
fn a_still_is_the_same_each_time_and_says_what_is_wrong() {
    let (temp, dir) = run("slide-to-roll", "exports-png");
    let [a, b] = ["a.png", "b.png"].map(|n| temp.join(n));
    for file in [&a, &b] {
        assert_eq!(outcome(&["report", &dir, "--png", file, "--at", "0.1", "--size", "320x240"]).0, 0);
    }
    let bytes = std::fs::read(&a).unwrap();
    assert!(bytes == std::fs::read(&b).unwrap());
    assert_eq!(bytes[16..24], [0, 0, 1, 64, 0, 0, 0, 240]);
    let fails = |args: &[&str]| {
        let (code, _, error) = outcome(&[&["report", &dir, "--png", &a], args].concat());
        assert_eq!(code, 2, "{error}");
        error
    };
    assert!(fails(&["--at", "7"]).contains("from 0 to 0.3 s"));
    assert!(fails(&["--size", "9000x10"]).contains("16 to 2400"));
    assert!(fails(&["--size", "big"]).contains("such as 1200x900"));
    assert!(
        !std::fs::read_dir(&temp.0).unwrap().any(|f| f
            .unwrap()
            .file_name()
            .to_string_lossy()
            .ends_with(".tmp"))
    );
}
