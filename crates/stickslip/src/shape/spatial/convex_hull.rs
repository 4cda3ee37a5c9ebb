//! The convex hull of any points: which of them are its corners, and what shape it is.
//!
//! Quickhull (Barber, Dobkin, Huhdanpaa: The quickhull algorithm for convex hulls, ACM Trans. Math. Softw. 22, 1996) on
//! whole numbers: with coordinates in units of 2^-40 of the points' extent,
//!
//! (1) `height = ((b − a) × (c − a)) · (x − a)`
//!
//! of a point x over a triangle (a, b, c) fits into 128 bits and has the right sign, so nothing can go wrong with
//! points in one plane or on one line. Each turn takes the farthest point over some triangle, removes all triangles it
//! is above, strictly, and joins their rim to it.
//!
//! A vertex that is no corner, within 1e-9 of the extent (one that has fewer than three faces about it), is left out,
//! and the rest begun again. Up to 32 corners the hull is a [`ConvexPolyhedron`], beyond it is the closed mesh of its
//! triangles: there a tree of triangles is quicker than all pairs of edges.

use super::{ConvexPolyhedron, HullError, MeshError, SpatialShape, TriangleMesh};
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// How far from a plane, relative to the extent, a point counts as on it.
const ON_PLANE: f64 = 1e-9;
/// Units in the extent.
const GRID: f64 = (1u64 << 40) as f64;

/// A point in units of the grid.
type Whole = [i64; 3];

/// The convex hull of points (m): of those that are inside it, or twice, no more is seen. A [`SpatialShape::Convex`] if
/// it has up to [`ConvexPolyhedron::MOST`] corners, else a [`SpatialShape::Mesh`].
pub fn convex_hull(points: &[Vector3<f64>]) -> Result<SpatialShape, HullError> {
    if let Some(i) = points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
        return Err(HullError::NotFinite(i));
    }
    let mut kept = distinct(points);
    if kept.len() < 4 {
        return Err(HullError::Count(kept.len()));
    }
    loop {
        let triangles = quickhull(&on_grid(&kept)).ok_or(HullError::Flat)?;
        let corner = corners(&kept, &triangles);
        if corner.iter().all(|c| *c) {
            match shape(&kept, &triangles) {
                Ok(shape) => return Ok(shape),
                Err(Refused::By(error)) => return Err(error),
                // no corner after all: nearer to the others than either kind of shape can tell
                Err(Refused::Corner(i)) => {
                    kept.remove(i);
                }
            }
        } else {
            let mut corner = corner.iter();
            kept.retain(|_| corner.next().is_some_and(|c| *c));
        }
        if kept.len() < 4 {
            return Err(HullError::Flat);
        }
    }
}

/// A convex hull of at most `most` corners, four at least, that are corners of the whole one: each turn adds the point
/// that is farthest above a triangle. Comes with how far the points stand out of it at most, m; zero if it is whole.
pub fn convex_hull_of_few(points: &[Vector3<f64>], most: usize) -> Result<(SpatialShape, f64), HullError> {
    let whole = convex_hull(points)?;
    let corners = match &whole {
        SpatialShape::Mesh(mesh) => mesh.vertices(),
        SpatialShape::Convex(hull) => hull.vertices(),
        _ => return Ok((whole, 0.0)),
    };
    if corners.len() <= most.max(4) {
        return Ok((whole, 0.0));
    }
    let triangles = grown(&on_grid(corners), most.max(4)).ok_or(HullError::Flat)?;
    let mut used: Vec<usize> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let few: Vec<Vector3<f64>> = used.into_iter().map(|k| corners[k]).collect();
    let to = |x: &Vector3<f64>| {
        let each = triangles.iter().map(|t| to_triangle(x, t.map(|k| corners[k])));
        each.fold(f64::INFINITY, f64::min)
    };
    let off = corners.iter().filter(|x| !few.contains(x)).map(to).fold(0.0, f64::max);
    Ok((convex_hull(&few)?, off))
}

/// The distance of a point from a triangle.
fn to_triangle(x: &Vector3<f64>, [a, b, c]: [Vector3<f64>; 3]) -> f64 {
    let normal = (b - a).cross(&(c - a));
    let sides = [(a, b), (b, c), (c, a)];
    let beyond = |(p, q): &(Vector3<f64>, Vector3<f64>)| (q - p).cross(&normal).dot(&(x - p)) > 0.0;
    if let (false, Some(n)) = (sides.iter().any(beyond), normal.try_normalize(0.0)) {
        return n.dot(&(x - a)).abs();
    }
    let to_side = |(p, q): (Vector3<f64>, Vector3<f64>)| {
        let e = q - p;
        let s = (e.dot(&(x - p)) / e.norm_squared()).clamp(0.0, 1.0);
        (x - p - e * s).norm()
    };
    sides.map(to_side).into_iter().fold(f64::INFINITY, f64::min)
}

/// Why corners make no shape: because of one of them, or altogether.
enum Refused {
    Corner(usize),
    By(HullError),
}

fn shape(corners: &[Vector3<f64>], triangles: &[[usize; 3]]) -> Result<SpatialShape, Refused> {
    if corners.len() <= ConvexPolyhedron::MOST {
        return match ConvexPolyhedron::new(corners.to_vec()) {
            Ok(hull) => Ok(SpatialShape::Convex(hull)),
            Err(HullError::Inside(i)) => Err(Refused::Corner(i)),
            Err(error) => Err(Refused::By(error)),
        };
    }
    match TriangleMesh::new(corners, triangles) {
        Ok(mesh) => Ok(SpatialShape::Mesh(mesh)),
        Err(MeshError::NoArea(t)) => Err(Refused::Corner(middle(corners, triangles[t]))),
        Err(MeshError::Inwards) => Err(Refused::By(HullError::Flat)),
        Err(_) => Err(Refused::By(HullError::Count(corners.len()))),
    }
}

/// Of three points on a line the one between the others: opposite the longest side.
fn middle(points: &[Vector3<f64>], [a, b, c]: [usize; 3]) -> usize {
    let side = |i: usize, j: usize| (points[i] - points[j]).norm_squared();
    let (ab, bc, ca) = (side(a, b), side(b, c), side(c, a));
    if ab >= bc && ab >= ca {
        c
    } else if bc >= ca {
        a
    } else {
        b
    }
}

/// Each point once: the first of those that are the same on the grid.
fn distinct(points: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let (grid, mut known) = (on_grid(points), BTreeMap::new());
    for (i, at) in grid.iter().enumerate() {
        known.entry(*at).or_insert(i);
    }
    let mut first: Vec<usize> = known.into_values().collect();
    first.sort_unstable();
    first.into_iter().map(|i| points[i]).collect()
}

/// The points in units of the grid, from their least coordinates on.
fn on_grid(points: &[Vector3<f64>]) -> Vec<Whole> {
    let least = points.iter().fold(Vector3::repeat(f64::INFINITY), |m, p| m.inf(p));
    // halves: the difference of the largest numbers there are is still one
    let extent = points.iter().map(|p| (p * 0.5 - least * 0.5).amax()).fold(0.0, f64::max);
    let unit = |x: f64| if extent > 0.0 { (x / extent * GRID).round() as i64 } else { 0 };
    points.iter().map(|p| [0, 1, 2].map(|k| unit(p[k] * 0.5 - least[k] * 0.5))).collect()
}

fn minus(a: &Whole, b: &Whole) -> [i128; 3] {
    [0, 1, 2].map(|k| i128::from(a[k]) - i128::from(b[k]))
}

fn cross(e: [i128; 3], f: [i128; 3]) -> [i128; 3] {
    [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]]
}

/// A triangle of the hull, counter-clockwise seen from outside.
struct Facet {
    corners: [usize; 3],
    normal: [i128; 3],
    at: Whole,
    /// Points above it that no other triangle has.
    above: Vec<usize>,
    alive: bool,
}

impl Facet {
    fn new(points: &[Whole], corners: [usize; 3]) -> Self {
        let [a, b, c] = corners.map(|k| points[k]);
        Self { corners, normal: cross(minus(&b, &a), minus(&c, &a)), at: a, above: Vec::new(), alive: true }
    }

    /// Eq. (1).
    fn height(&self, x: &Whole) -> i128 {
        let d = minus(x, &self.at);
        (0..3).map(|k| self.normal[k] * d[k]).sum()
    }

    fn edges(&self) -> [[usize; 2]; 3] {
        let [a, b, c] = self.corners;
        [[a, b], [b, c], [c, a]]
    }
}

/// A hull on its way: triangles, and which of them has a directed edge.
#[derive(Default)]
struct Growing {
    facets: Vec<Facet>,
    of_edge: BTreeMap<[usize; 2], usize>,
}

impl Growing {
    /// Adds a triangle, which takes its share of the points.
    fn add(&mut self, points: &[Whole], corners: [usize; 3], loose: &mut Vec<usize>) {
        let mut facet = Facet::new(points, corners);
        loose.retain(|&p| {
            let above = facet.height(&points[p]) > 0;
            if above {
                facet.above.push(p);
            }
            !above
        });
        for edge in facet.edges() {
            self.of_edge.insert(edge, self.facets.len());
        }
        self.facets.push(facet);
    }

    /// Removes the triangles that a point is above, beginning with one of them. Returns the rim and the points that
    /// were above those.
    fn open(&mut self, points: &[Whole], first: usize, apex: usize) -> (Vec<[usize; 2]>, Vec<usize>) {
        let (mut seen, mut rim, mut loose) = (vec![first], Vec::new(), Vec::new());
        self.facets[first].alive = false;
        let mut next = 0;
        while let Some(&f) = seen.get(next) {
            next += 1;
            for [i, j] in self.facets[f].edges() {
                let Some(&other) = self.of_edge.get(&[j, i]) else { continue };
                if !self.facets[other].alive {
                    continue;
                }
                if self.facets[other].height(&points[apex]) > 0 {
                    self.facets[other].alive = false;
                    seen.push(other);
                } else {
                    rim.push([i, j]);
                }
            }
        }
        for f in seen {
            for edge in self.facets[f].edges() {
                self.of_edge.remove(&edge);
            }
            loose.append(&mut self.facets[f].above);
        }
        loose.retain(|&p| p != apex);
        (rim, loose)
    }
}

/// Four points that span a volume, counter-clockwise about the first three seen from outside; none if all lie in a
/// plane.
fn simplex(points: &[Whole]) -> Option<[usize; 4]> {
    let all = || 0..points.len();
    let (a, b) = (all().min_by_key(|&i| points[i])?, all().max_by_key(|&i| points[i])?);
    let size = |v: [i128; 3]| v.iter().map(|x| (*x as f64).powi(2)).sum::<f64>();
    let off_line = |i: usize| size(cross(minus(&points[b], &points[a]), minus(&points[i], &points[a])));
    let c = all().reduce(|best, i| if off_line(i) > off_line(best) { i } else { best })?;
    let base = Facet::new(points, [a, b, c]);
    let d = all().max_by_key(|&i| base.height(&points[i]).unsigned_abs())?;
    match base.height(&points[d]) {
        0 => None,
        h if h > 0 => Some([a, c, b, d]),
        _ => Some([a, b, c, d]),
    }
}

/// A tetrahedron of the points, to grow from.
fn seed(points: &[Whole]) -> Option<Growing> {
    let [a, b, c, d] = simplex(points)?;
    let mut hull = Growing::default();
    let mut loose: Vec<usize> = (0..points.len()).filter(|k| ![a, b, c, d].contains(k)).collect();
    for corners in [[a, b, c], [b, a, d], [c, b, d], [a, c, d]] {
        hull.add(points, corners, &mut loose);
    }
    Some(hull)
}

/// The triangles of a hull of so many corners, the farthest points first.
fn grown(points: &[Whole], corners: usize) -> Option<Vec<[usize; 3]>> {
    let mut hull = seed(points)?;
    for _ in 4..corners {
        let farthest = |f: usize| {
            let facet = &hull.facets[f];
            let size = facet.normal.iter().map(|x| (*x as f64).powi(2)).sum::<f64>().sqrt();
            let highest = facet.above.iter().copied().max_by_key(|&p| facet.height(&points[p]));
            highest.map(|p| (facet.height(&points[p]) as f64 / size, f, p))
        };
        let alive = (0..hull.facets.len()).filter(|&f| hull.facets[f].alive);
        let best = alive.filter_map(farthest).reduce(|best, x| if x.0 > best.0 { x } else { best });
        let Some((_, facet, apex)) = best else { break };
        let (rim, mut loose) = hull.open(points, facet, apex);
        for [i, j] in rim {
            hull.add(points, [i, j, apex], &mut loose);
        }
    }
    Some(hull.facets.iter().filter(|f| f.alive).map(|f| f.corners).collect())
}

/// The triangles of the hull; none if all points lie in a plane.
fn quickhull(points: &[Whole]) -> Option<Vec<[usize; 3]>> {
    let mut hull = seed(points)?;
    let mut next = 0;
    // each turn makes a corner of a point that was none: there are no more turns than points
    while next < hull.facets.len() {
        let facet = &hull.facets[next];
        let highest = facet.above.iter().copied().max_by_key(|&p| facet.height(&points[p]));
        let (true, Some(apex)) = (facet.alive, highest) else {
            next += 1;
            continue;
        };
        let (rim, mut loose) = hull.open(points, next, apex);
        for [i, j] in rim {
            hull.add(points, [i, j, apex], &mut loose);
        }
        next += 1;
    }
    Some(hull.facets.iter().filter(|f| f.alive).map(|f| f.corners).collect())
}

/// Which points are corners: those with three faces about them, planes the same to [`ON_PLANE`].
fn corners(points: &[Vector3<f64>], triangles: &[[usize; 3]]) -> Vec<bool> {
    let extent = points.iter().map(|p| (p - points[0]).norm()).fold(0.0, f64::max);
    let across = |t: &[usize; 3]| (points[t[1]] - points[t[0]]).cross(&(points[t[2]] - points[t[0]]));
    let mut about: Vec<Vec<usize>> = vec![Vec::new(); points.len()];
    for (k, triangle) in triangles.iter().enumerate() {
        triangle.iter().for_each(|&p| about[p].push(k));
    }
    let mut planes: Vec<Vector3<f64>> = Vec::new();
    let mut is_corner = |v: usize| {
        // large triangles first: the plane of a sliver is hardly known
        about[v].sort_by(|&s, &t| {
            across(&triangles[t]).norm().total_cmp(&across(&triangles[s]).norm()).then(s.cmp(&t))
        });
        planes.clear();
        for triangle in about[v].iter().map(|&t| &triangles[t]) {
            let on = |n: &Vector3<f64>| {
                triangle.iter().all(|&p| n.dot(&(points[p] - points[v])).abs() <= ON_PLANE * extent)
            };
            if !planes.iter().any(on)
                && let Some(n) = across(triangle).try_normalize(0.0)
            {
                planes.push(n);
            }
        }
        planes.len() >= 3
    };
    (0..points.len()).map(&mut is_corner).collect()
}
