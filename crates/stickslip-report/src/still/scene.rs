//! What is in the picture: solids in the world, planes, marks, and the box that they are framed by.

use nalgebra::{Isometry3, Vector3};

use crate::contacts::{ContactRow, Mode};
use crate::look::mesh::{Grain, Mesh};
use crate::look::{Drawing, Figure, Motion, Solid, SpringKind};
use crate::run::Run;

/// Red, green, blue from 0 to 1.
pub(super) type Colour = [f64; 3];

pub(super) const PAPER: Colour = [1.0, 1.0, 1.0];
pub(super) const INK: Colour = [0.106, 0.122, 0.141];
const MOVING: Colour = [0.36, 0.63, 0.83];
const DRIVEN: Colour = [0.87, 0.48, 0.23];
const FIXED: Colour = [0.74, 0.77, 0.80];
const STICK: Colour = [0.0, 0.447, 0.698];
const SLIP: Colour = [0.902, 0.624, 0.0];

/// A solid where it is in the world.
pub(super) struct Item {
    pub mesh: Mesh,
    pub pose: Isometry3<f64>,
    pub colour: Colour,
    /// Which figure it belongs to: outlines are drawn between figures.
    pub figure: usize,
}

/// The surface of a half-space: a point of it, its normal.
pub(super) struct Plane {
    pub point: Vector3<f64>,
    pub normal: Vector3<f64>,
}

/// A contact: where, what colour, its force as an arrow, m.
pub(super) struct Touch {
    pub point: Vector3<f64>,
    pub colour: Colour,
    pub arrow: Vector3<f64>,
}

pub(super) struct Scene {
    pub flat: bool,
    pub items: Vec<Item>,
    pub planes: Vec<Plane>,
    pub touches: Vec<Touch>,
    pub joints: Vec<Vector3<f64>>,
    /// Spokes of discs, which show how they are turned, and stripes of moving surfaces: both ends.
    pub spokes: Vec<[Vector3<f64>; 2]>,
    /// Springs and dampers: both ends.
    pub springs: Vec<(SpringKind, [Vector3<f64>; 2])>,
    /// The ways of particles.
    pub trails: Vec<Vec<Vector3<f64>>>,
    /// Points that the picture must show, and the box they lie in.
    pub shown: Vec<Vector3<f64>>,
    pub low: Vector3<f64>,
    pub high: Vector3<f64>,
    /// Diagonal of the box, m.
    pub size: f64,
}

impl Scene {
    /// What a run shows in a row of its trajectory, for a picture of some aspect.
    pub(super) fn new(run: &Run, drawing: &Drawing, row: usize, aspect: f64) -> Self {
        let poses: Vec<Isometry3<f64>> = drawing.figures.iter().map(|f| drawing.pose(run, f, row)).collect();
        let (Extent { low, high, points: shown }, trails) = frame(run, drawing, &poses);
        let size = match (high - low).norm() {
            s if s > 0.0 && s.is_finite() => s,
            _ => 1.0,
        };
        let mut scene = Scene {
            flat: drawing.is_flat(),
            items: Vec::new(),
            planes: Vec::new(),
            touches: touches(run, row, size),
            joints: Vec::new(),
            spokes: Vec::new(),
            springs: springs(drawing, &poses),
            trails,
            shown,
            low,
            high,
            size,
        };
        let solids: usize = drawing.figures.iter().map(|f| f.solids.len()).sum();
        let grain = Grain { round: if solids < 200 { 96 } else { 40 }, size: size * aspect.max(1.0) };
        for (i, (figure, pose)) in drawing.figures.iter().zip(&poses).enumerate() {
            scene.take(figure, i, pose, grain);
        }
        for joint in &drawing.joints {
            let ends = [0, 1].map(|side| anchor((joint.between, joint.anchors), side, &poses));
            if joint.kind == "distance" {
                // a rod without mass between two hinges
                scene.spokes.push(ends);
                scene.joints.extend(ends);
            } else {
                // where the second body has it; a joint to the world sits on the body
                scene.joints.push(ends[if joint.between[1].is_some() { 1 } else { 0 }]);
            }
        }
        scene.spokes.extend(rods(drawing, &poses));
        scene
    }

    fn take(&mut self, figure: &Figure, index: usize, pose: &Isometry3<f64>, grain: Grain) {
        let tint = |c: Colour| {
            // figures of one kind differ a little, so that they can be told apart in a pile
            let share = (index * 7 % 11) as f64 / 10.0 - 0.5;
            c.map(|x| (x * (1.0 + 0.10 * share)).min(1.0))
        };
        let colour = match figure.motion {
            Motion::Fixed => FIXED,
            Motion::Driven => DRIVEN,
            Motion::Moving => tint(MOVING),
        };
        for placed in &figure.solids {
            let mut at = pose * placed.pose();
            if let Solid::HalfSpace = placed.solid {
                self.planes.push(Plane { point: at.translation.vector, normal: at * Vector3::z() });
            }
            if self.flat {
                // other parts show how the whole is turned
                if let (Solid::Disc { radius }, 1) = (&placed.solid, figure.solids.len()) {
                    let ends = [Vector3::zeros(), Vector3::x() * *radius];
                    self.spokes.push(ends.map(|p| (at * nalgebra::Point3::from(p)).coords));
                }
                // in the plane what moves lies above what does not
                let layer = if figure.motion == Motion::Fixed { 0.0 } else { 1.0 + 1e-3 * index as f64 };
                at.translation.vector.z += layer * 0.05 * grain.size;
            }
            let mesh = Mesh::of(&placed.solid, self.flat, grain);
            self.items.push(Item { mesh, pose: at, colour, figure: index });
        }
        if figure.belt && self.flat {
            // stripes below a moving surface
            for k in -30..=30 {
                let x = 0.06 * self.size * f64::from(k);
                let d = 0.025 * self.size;
                let ends = [Vector3::new(x, 0.0, 0.0), Vector3::new(x - d, -d, 0.0)];
                self.spokes.push(ends.map(|p| (pose * nalgebra::Point3::from(p)).coords));
            }
        }
    }
}

/// What a joint or a spring is between, and where it is attached there.
type Ends = ([Option<usize>; 2], [[f64; 3]; 2]);

/// Where a side of a joint or a spring is attached.
fn anchor((between, anchors): Ends, side: usize, poses: &[Isometry3<f64>]) -> Vector3<f64> {
    let anchor = Vector3::from(anchors[side]);
    between[side].map_or(anchor, |b| (poses[b] * nalgebra::Point3::from(anchor)).coords)
}

fn springs(drawing: &Drawing, poses: &[Isometry3<f64>]) -> Vec<(SpringKind, [Vector3<f64>; 2])> {
    let ends = |s: &crate::look::SpringMark| [0, 1].map(|side| anchor((s.between, s.anchors), side, poses));
    drawing.springs.iter().map(|s| (s.kind, ends(s))).collect()
}

/// Bodies without a shape as rods from their joints and springs to their centres of mass.
fn rods(drawing: &Drawing, poses: &[Isometry3<f64>]) -> Vec<[Vector3<f64>; 2]> {
    let bare = |b: usize| drawing.figures[b].solids.iter().all(|s| s.solid == Solid::Point);
    let joints = drawing.joints.iter().map(|j| (j.between, j.anchors));
    let ends = joints.chain(drawing.springs.iter().map(|s| (s.between, s.anchors)));
    ends.flat_map(|ends| [(ends, 0), (ends, 1)])
        .filter_map(|(ends, side)| {
            let body = ends.0[side].filter(|b| bare(*b))?;
            Some([anchor(ends, side, poses), poses[body].translation.vector])
        })
        .collect()
}

/// What the picture is framed by, and the ways of particles, which are part of it.
fn frame(run: &Run, drawing: &Drawing, poses: &[Isometry3<f64>]) -> (Extent, Vec<Vec<Vector3<f64>>>) {
    let grain = Grain { round: 24, size: 0.0 };
    let flat = drawing.is_flat();
    let extent = |i: usize| {
        let mut reach = Extent::default();
        for placed in drawing.figures[i].solids.iter().filter(|s| !s.solid.is_unbounded()) {
            let at = poses[i] * placed.pose();
            let mesh = Mesh::of(&placed.solid, flat, grain);
            mesh.positions.iter().for_each(|p| reach.take((at * nalgebra::Point3::from(*p)).coords));
        }
        reach
    };
    let (mut moving, mut fixed) = (Vec::new(), Vec::new());
    for (i, figure) in drawing.figures.iter().enumerate() {
        match extent(i) {
            e if e.is_empty() => {}
            e if figure.motion == Motion::Fixed => fixed.push(e),
            e => moving.push((i, e)),
        }
    }
    let mut frame = Extent::default();
    moving.iter().for_each(|(_, e)| frame.join(e));
    let mut trails = Vec::new();
    if moving.iter().all(|(_, e)| e.diagonal() == 0.0) {
        // particles: their ways give the picture its size
        for (i, _) in &moving {
            let trail = way(run, drawing, &drawing.figures[*i]);
            trail.iter().for_each(|p| frame.take(*p));
            trails.push(trail);
        }
    }
    rods(drawing, poses).iter().flatten().for_each(|p| frame.take(*p));
    springs(drawing, poses).iter().flat_map(|(_, ends)| ends).for_each(|p| frame.take(*p));
    let distances = drawing.joints.iter().filter(|j| j.kind == "distance");
    for joint in distances {
        [0, 1].iter().for_each(|side| frame.take(anchor((joint.between, joint.anchors), *side, poses)));
    }
    // what stands still belongs to the picture where it is not far larger than what moves
    let diagonal = frame.diagonal();
    fixed.iter().filter(|e| diagonal == 0.0 || e.diagonal() <= 3.0 * diagonal).for_each(|e| frame.join(e));
    ground(drawing, poses, &mut frame);
    if frame.is_empty() {
        poses.iter().for_each(|p| frame.take(p.translation.vector));
    }
    if frame.is_empty() {
        frame.take(Vector3::zeros());
    }
    (frame, trails)
}

/// Takes in the ground below the middle of the frame, where it is near.
fn ground(drawing: &Drawing, poses: &[Isometry3<f64>], frame: &mut Extent) {
    if frame.is_empty() {
        return;
    }
    let (middle, diagonal) = (0.5 * (frame.low + frame.high), frame.diagonal());
    for (figure, pose) in drawing.figures.iter().zip(poses) {
        for placed in figure.solids.iter().filter(|s| s.solid.is_unbounded()) {
            let at = pose * placed.pose();
            let normal = at * if drawing.is_flat() { Vector3::y() } else { Vector3::z() };
            let height = (middle - at.translation.vector).dot(&normal);
            if height > 0.0 && height < 2.0 * diagonal {
                frame.take(middle - normal * height);
            }
        }
    }
}

fn way(run: &Run, drawing: &Drawing, figure: &Figure) -> Vec<Vector3<f64>> {
    let Some(columns) = drawing.columns(run, figure) else { return Vec::new() };
    let n = columns.iter().map(|c| c.len()).min().unwrap_or(0);
    let z = |i: usize| if drawing.is_flat() { 0.0 } else { columns[2][i] };
    (0..n)
        .step_by((n / 2000).max(1))
        .map(|i| Vector3::new(columns[0][i], columns[1][i], z(i)))
        .filter(|p| p.iter().all(|x| x.is_finite()))
        .collect()
}

/// How large the marks of many contacts are beside those of a few: a thicket says nothing.
pub(super) fn thinned(contacts: usize) -> f64 {
    (12.0 / contacts.max(1) as f64).sqrt().clamp(0.3, 1.0)
}

/// The contacts of a row. Arrows of a typical large force are a quarter of the picture long, shorter where there are
/// many: impacts would dwarf all others, so not the largest force.
fn touches(run: &Run, row: usize, size: f64) -> Vec<Touch> {
    let rows = &run.contacts.rows;
    let mut forces: Vec<f64> = rows.iter().map(|r| r.normal_force.abs()).filter(|f| f.is_finite()).collect();
    forces.sort_by(f64::total_cmp);
    let typical = forces.get(forces.len().saturating_sub(1) * 9 / 10).copied().unwrap_or(0.0);
    let typical = if typical > 0.0 { typical } else { forces.last().copied().unwrap_or(0.0) };
    let t = run.trajectory.time()[row];
    let from = rows.partition_point(|r| r.time < t);
    let here = &rows[from..rows.partition_point(|r| r.time <= t)];
    let scale = if typical > 0.0 { 0.25 * size * thinned(here.len()) / typical } else { 0.0 };
    here.iter()
        .filter_map(|r: &ContactRow| {
            let place = r.place?;
            let force = Vector3::from(place.normal) * r.normal_force + Vector3::from(place.friction);
            let colour = if r.mode == Mode::Slip { SLIP } else { STICK };
            Some(Touch { point: Vector3::from(place.point), colour, arrow: force * scale })
        })
        .collect()
}

/// Points and the box around them.
struct Extent {
    low: Vector3<f64>,
    high: Vector3<f64>,
    points: Vec<Vector3<f64>>,
}

impl Default for Extent {
    fn default() -> Self {
        Self {
            low: Vector3::repeat(f64::INFINITY),
            high: Vector3::repeat(f64::NEG_INFINITY),
            points: Vec::new(),
        }
    }
}

impl Extent {
    fn take(&mut self, p: Vector3<f64>) {
        if p.iter().all(|x| x.is_finite()) {
            self.low = self.low.inf(&p);
            self.high = self.high.sup(&p);
            self.points.push(p);
        }
    }

    fn join(&mut self, other: &Self) {
        self.low = self.low.inf(&other.low);
        self.high = self.high.sup(&other.high);
        self.points.extend_from_slice(&other.points);
    }

    fn is_empty(&self) -> bool {
        self.low.x > self.high.x
    }

    fn diagonal(&self) -> f64 {
        if self.is_empty() { 0.0 } else { (self.high - self.low).norm() }
    }
}
