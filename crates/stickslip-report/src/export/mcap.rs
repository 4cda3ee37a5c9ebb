//! A run as an MCAP file (<https://mcap.dev/spec>), for Foxglove and other tools that read such logs. Messages are
//! JSON:
//!
//! ```text
//! /tf          foxglove.FrameTransforms   where the bodies are, frames "world" and the bodies' names
//! /scene       foxglove.SceneUpdate       what they look like, once; in the bodies' frames
//! /contacts    stickslip.Contacts         label, mode, point, normal, forces (m, N)
//! /state       stickslip.State            every column of trajectory.csv
//! ```
//!
//! As many rows are written as the run page has frames (all of them up to 4000, else evenly spaced), with all their
//! digits; times in ns. Messages are in chunks of about a megabyte, not compressed, each with an index, so that readers
//! can go to an instant without reading what is before it.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::contacts::Mode;
use crate::error::ReportError;
use crate::look::mesh::{Grain, Mesh};
use crate::look::{Drawing, Motion};
use crate::motion::kept_rows;
use crate::png::crc;
use crate::run::{Run, write_bytes};

const MAGIC: &[u8] = b"\x89MCAP0\r\n";

/// Reads a run directory and writes it as MCAP; the file has its name only when complete.
pub fn write_mcap(dir: &Path, file: &Path) -> Result<(), ReportError> {
    write_bytes(file, &mcap(&Run::read(dir)?)?)
}

/// The MCAP file of a run. A run without a drawing has its state and contacts only.
pub fn mcap(run: &Run) -> Result<Vec<u8>, ReportError> {
    let drawing = match Drawing::of(run) {
        Ok(drawing) => Some(drawing),
        Err(ReportError::NoLook) => None,
        Err(error) => return Err(error),
    };
    let mut log = Log::new();
    let mut contacts = run.contacts.rows.iter().peekable();
    let times = run.trajectory.time();
    for row in kept_rows(run) {
        let t = &times[row];
        if let Some(drawing) = &drawing {
            if row == 0 {
                log.message(Topic::Scene, *t, &scene(drawing));
            }
            log.message(Topic::Frames, *t, &frames(run, drawing, row));
        }
        let mut here = Vec::new();
        while let Some(c) = contacts.next_if(|c| c.time <= *t) {
            // of a row that is left out
            if c.time < *t {
                continue;
            }
            let mode = if c.mode == Mode::Slip { "slip" } else { "stick" };
            let mut one = json!({ "label": run.contacts.labels[c.contact], "mode": mode, "normal_force": c.normal_force,
                                  "friction": c.friction });
            if let Some(place) = c.place {
                one["point"] = vector(place.point);
                one["normal"] = vector(place.normal);
                one["friction_force"] = vector(place.friction);
            }
            here.push(one);
        }
        log.message(Topic::Contacts, *t, &json!({ "timestamp": stamp(*t), "contacts": here }));
        let mut state = Map::new();
        state.insert("timestamp".to_owned(), stamp(*t));
        for name in &run.trajectory.names()[1..] {
            if let Some(x) = run.trajectory.column(name).and_then(|c| c.get(row)) {
                state.insert(name.clone(), json!(x));
            }
        }
        log.message(Topic::State, *t, &Value::Object(state));
    }
    Ok(log.finish())
}

fn vector([x, y, z]: [f64; 3]) -> Value {
    json!({ "x": x, "y": y, "z": z })
}

/// Nanoseconds; times before zero are zero.
fn nanoseconds(t: f64) -> u64 {
    (t * 1e9).round() as u64
}

fn stamp(t: f64) -> Value {
    let n = nanoseconds(t);
    json!({ "sec": n / 1_000_000_000, "nsec": n % 1_000_000_000 })
}

fn frames(run: &Run, drawing: &Drawing, row: usize) -> Value {
    let t = run.trajectory.time()[row];
    let transforms: Vec<Value> = drawing
        .figures
        .iter()
        .map(|f| {
            let pose = drawing.pose(run, f, row);
            let (p, q) = (pose.translation.vector, pose.rotation);
            json!({ "timestamp": stamp(t), "parent_frame_id": "world", "child_frame_id": f.name,
                    "translation": vector(p.into()), "rotation": { "x": q.i, "y": q.j, "z": q.k, "w": q.w } })
        })
        .collect();
    json!({ "transforms": transforms })
}

/// The bodies as triangles in their frames, for ever.
fn scene(drawing: &Drawing) -> Value {
    let reach =
        |f: &crate::look::Figure| f.pose.iter().take(drawing.dimension).fold(0.0f64, |m, x| m.max(x.abs()));
    let size = drawing.figures.iter().map(reach).fold(0.0, f64::max);
    let grain = Grain { round: 24, size: if size > 0.0 { size } else { 1.0 } };
    let entity = |figure: &crate::look::Figure| {
        let [r, g, b] = match figure.motion {
            Motion::Fixed => [0.74, 0.77, 0.80],
            Motion::Driven => [0.87, 0.48, 0.23],
            Motion::Moving => [0.36, 0.63, 0.83],
        };
        let colour = json!({ "r": r, "g": g, "b": b, "a": 1 });
        let solids = figure.solids.iter().filter(|s| !s.solid.is_unbounded());
        let triangles: Vec<Value> = solids
            .map(|placed| {
                let mesh = Mesh::of(&placed.solid, drawing.is_flat(), grain);
                let points: Vec<Value> = mesh.positions.iter().map(|p| vector((*p).into())).collect();
                let indices: Vec<usize> = mesh.triangles.iter().flatten().copied().collect();
                let [w, x, y, z] = placed.orientation;
                json!({ "pose": { "position": vector(placed.position), "orientation": { "x": x, "y": y, "z": z, "w": w } },
                        "points": points, "color": colour, "colors": [], "indices": indices })
            })
            .collect();
        json!({ "timestamp": stamp(0.0), "frame_id": figure.name, "id": figure.name, "lifetime": { "sec": 0, "nsec": 0 },
                "frame_locked": true, "metadata": [], "arrows": [], "cubes": [], "spheres": [], "cylinders": [], "lines": [],
                "triangles": triangles, "texts": [], "models": [] })
    };
    json!({ "deletions": [], "entities": drawing.figures.iter().map(entity).collect::<Vec<_>>() })
}

/// What messages are about; the number is that of schema and channel.
#[derive(Clone, Copy)]
enum Topic {
    Frames = 1,
    Scene = 2,
    Contacts = 3,
    State = 4,
}

/// Name, schema and a description of the fields of each.
const TOPICS: [(Topic, &str, &str, &str); 4] = [
    (
        Topic::Frames,
        "/tf",
        "foxglove.FrameTransforms",
        r#"{"type":"object","properties":{"transforms":{"type":"array","items":{"type":"object","properties":{"timestamp":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"parent_frame_id":{"type":"string"},"child_frame_id":{"type":"string"},"translation":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"}}},"rotation":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"},"w":{"type":"number"}}}}}}}}"#,
    ),
    (
        Topic::Scene,
        "/scene",
        "foxglove.SceneUpdate",
        r#"{"type":"object","properties":{"deletions":{"type":"array","items":{"type":"object"}},"entities":{"type":"array","items":{"type":"object"}}}}"#,
    ),
    (
        Topic::Contacts,
        "/contacts",
        "stickslip.Contacts",
        r#"{"type":"object","properties":{"timestamp":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"contacts":{"type":"array","items":{"type":"object","properties":{"label":{"type":"string"},"mode":{"type":"string"},"normal_force":{"type":"number"},"friction":{"type":"number"},"point":{"type":"object"},"normal":{"type":"object"},"friction_force":{"type":"object"}}}}}}"#,
    ),
    (
        Topic::State,
        "/state",
        "stickslip.State",
        r#"{"type":"object","additionalProperties":{"type":"number"}}"#,
    ),
];

/// Where a chunk ends, bytes.
const CHUNK: usize = 1 << 20;

/// A file that grows.
struct Log {
    bytes: Vec<u8>,
    counts: [u32; 5],
    span: Option<(u64, u64)>,
    /// The messages of the chunk that is being filled.
    open: Chunk,
    /// The index of those that are there.
    index: Vec<Vec<u8>>,
}

/// Messages: their records, where each begins by channel, and the times of first and last.
#[derive(Default)]
struct Chunk {
    records: Vec<u8>,
    places: [Vec<(u64, u64)>; 5],
    span: Option<(u64, u64)>,
}

impl Log {
    fn new() -> Self {
        let mut log = Self {
            bytes: MAGIC.to_vec(),
            counts: [0; 5],
            span: None,
            open: Chunk::default(),
            index: Vec::new(),
        };
        let mut head = Vec::new();
        text("", &mut head);
        text(concat!("stickslip ", env!("CARGO_PKG_VERSION")), &mut head);
        record(0x01, &head, &mut log.bytes);
        definitions(&mut log.bytes);
        log
    }

    fn message(&mut self, topic: Topic, t: f64, message: &Value) {
        let (id, time) = (topic as u16, nanoseconds(t));
        let mut body = Vec::new();
        body.extend(id.to_le_bytes());
        body.extend(self.counts[usize::from(id)].to_le_bytes());
        body.extend(time.to_le_bytes());
        body.extend(time.to_le_bytes());
        body.extend(message.to_string().into_bytes());
        self.open.places[usize::from(id)].push((time, self.open.records.len() as u64));
        record(0x05, &body, &mut self.open.records);
        self.counts[usize::from(id)] += 1;
        let wider = |span: Option<(u64, u64)>| {
            let (first, last) = span.unwrap_or((time, time));
            Some((first.min(time), last.max(time)))
        };
        self.span = wider(self.span);
        self.open.span = wider(self.open.span);
        if self.open.records.len() >= CHUNK {
            self.close();
        }
    }

    /// Writes the chunk that is being filled, and an index of its messages by channel.
    fn close(&mut self) {
        let Chunk { records, places, span } = std::mem::take(&mut self.open);
        let Some((first, last)) = span else { return };
        let size = (records.len() as u64).to_le_bytes();
        let start = self.bytes.len() as u64;
        let mut body = [first.to_le_bytes(), last.to_le_bytes(), size].concat();
        body.extend(crc(&records).to_le_bytes());
        // not compressed
        text("", &mut body);
        body.extend(size);
        body.extend_from_slice(&records);
        record(0x06, &body, &mut self.bytes);
        let end = self.bytes.len() as u64;
        let mut offsets = Vec::new();
        for (id, places) in places.iter().enumerate().filter(|(_, places)| !places.is_empty()) {
            let id = (id as u16).to_le_bytes();
            offsets.extend(id);
            offsets.extend((self.bytes.len() as u64).to_le_bytes());
            let mut body = id.to_vec();
            body.extend((16 * places.len() as u32).to_le_bytes());
            places.iter().for_each(|(time, at)| body.extend([time.to_le_bytes(), at.to_le_bytes()].concat()));
            record(0x07, &body, &mut self.bytes);
        }
        let mut entry = [first, last, start, end - start].map(u64::to_le_bytes).concat();
        entry.extend((offsets.len() as u32).to_le_bytes());
        entry.extend(offsets);
        entry.extend((self.bytes.len() as u64 - end).to_le_bytes());
        text("", &mut entry);
        entry.extend([size, size].concat());
        self.index.push(entry);
    }

    /// The end of the data, what is in it and where, and the end of the file.
    fn finish(mut self) -> Vec<u8> {
        self.close();
        let sum = crc(&self.bytes);
        record(0x0f, &sum.to_le_bytes(), &mut self.bytes);
        let start = self.bytes.len();
        definitions(&mut self.bytes);
        let indices = self.bytes.len();
        self.index.iter().for_each(|entry| record(0x08, entry, &mut self.bytes));
        let statistics = self.bytes.len();
        record(0x0b, &self.statistics(), &mut self.bytes);
        let end = self.bytes.len();
        // where the chunks' index and the statistics are
        for (kind, from, to) in [(0x08, indices, statistics), (0x0b, statistics, end)] {
            let mut body = vec![kind];
            body.extend([from as u64, (to - from) as u64].map(u64::to_le_bytes).concat());
            record(0x0e, &body, &mut self.bytes);
        }
        let mut foot = [start as u64, end as u64].map(u64::to_le_bytes).concat();
        // the checksum covers the footer up to itself
        let mut summary = self.bytes[start..].to_vec();
        summary.push(0x02);
        summary.extend(20u64.to_le_bytes());
        summary.extend_from_slice(&foot);
        foot.extend(crc(&summary).to_le_bytes());
        record(0x02, &foot, &mut self.bytes);
        self.bytes.extend_from_slice(MAGIC);
        self.bytes
    }

    fn statistics(&self) -> Vec<u8> {
        let (first, last) = self.span.unwrap_or((0, 0));
        let total: u64 = self.counts.iter().map(|c| u64::from(*c)).sum();
        let mut body = Vec::new();
        body.extend(total.to_le_bytes());
        body.extend((TOPICS.len() as u16).to_le_bytes());
        body.extend((TOPICS.len() as u32).to_le_bytes());
        // no attachments, no metadata
        body.extend([0; 8]);
        body.extend((self.index.len() as u32).to_le_bytes());
        body.extend(first.to_le_bytes());
        body.extend(last.to_le_bytes());
        body.extend((10 * TOPICS.len() as u32).to_le_bytes());
        for (topic, ..) in TOPICS {
            body.extend((topic as u16).to_le_bytes());
            body.extend(u64::from(self.counts[topic as usize]).to_le_bytes());
        }
        body
    }
}

/// Schemas and channels.
fn definitions(out: &mut Vec<u8>) {
    for (topic, name, schema, fields) in TOPICS {
        let id = (topic as u16).to_le_bytes();
        let mut body = id.to_vec();
        [schema, "jsonschema", fields].iter().for_each(|t| text(t, &mut body));
        record(0x03, &body, out);
        let mut body = id.to_vec();
        body.extend(id);
        [name, "json"].iter().for_each(|t| text(t, &mut body));
        // no metadata
        body.extend(0u32.to_le_bytes());
        record(0x04, &body, out);
    }
}

fn text(text: &str, out: &mut Vec<u8>) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn record(kind: u8, body: &[u8], out: &mut Vec<u8>) {
    out.push(kind);
    out.extend((body.len() as u64).to_le_bytes());
    out.extend_from_slice(body);
}
