//! Solids as triangles with normals, for stills and exports.

use nalgebra::Vector3;

use super::polygon::triangulate;
use super::{Solid, round};

/// Triangles over vertices, each with its own normal; counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Mesh {
    pub positions: Vec<Vector3<f64>>,
    pub normals: Vec<Vector3<f64>>,
    pub triangles: Vec<[usize; 3]>,
}

/// How finely and how large to draw.
#[derive(Clone, Copy)]
pub(crate) struct Grain {
    /// Segments of a full circle; even.
    pub round: usize,
    /// Extent of the picture, m: what has no size is drawn in proportion to it.
    pub size: f64,
}

impl Mesh {
    /// The triangles of a solid. Half-spaces have none: they are drawn as planes.
    pub(crate) fn of(solid: &Solid, flat: bool, grain: Grain) -> Self {
        let Grain { round: n, size } = grain;
        let thin = 0.02 * size;
        match solid {
            Solid::Point if flat => plate(&round::circle(0.012 * size, n), thin),
            Solid::Point => round::ball([0.012 * size; 3], 2.0, n),
            Solid::Disc { radius } => plate(&round::circle(*radius, n), thin),
            Solid::Rectangle { half: [x, y] } => plate(&[[-x, -y], [*x, -y], [*x, *y], [-x, *y]], thin),
            Solid::Stadium { radius, half } => plate(&round::stadium(*radius, *half, n), thin),
            Solid::Polygon { vertices } => plate(vertices, thin),
            Solid::Polyline { vertices } => ribbon(vertices, 0.006 * size, thin),
            Solid::HalfPlane => {
                let r = 20.0 * size;
                plate(&[[-r, -r], [r, -r], [r, 0.0], [-r, 0.0]], thin)
            }
            Solid::Sphere { radius } => round::ball([*radius; 3], 2.0, n),
            Solid::Box { half } => cuboid(*half),
            Solid::Capsule { radius, half } => round::capsule(*radius, *half, n),
            Solid::Cylinder { radius, half } => round::turned(&[(*radius, -half), (*radius, *half)], n),
            Solid::Cone { radius, height } => {
                round::turned(&[(*radius, -height / 4.0), (0.0, 0.75 * height)], n)
            }
            Solid::Ellipsoid { semi_axes } => round::ball(*semi_axes, 2.0, n),
            Solid::SuperEllipsoid { semi_axes, exponent } => round::ball(*semi_axes, *exponent, n),
            Solid::Mesh { vertices, triangles } => facets(vertices, triangles),
            Solid::HalfSpace => Self::default(),
        }
    }

    /// A flat face over points in order, fan-wise.
    pub(crate) fn face(&mut self, points: &[Vector3<f64>], normal: Vector3<f64>) {
        let first = self.positions.len();
        self.positions.extend_from_slice(points);
        self.normals.extend(points.iter().map(|_| normal));
        self.triangles.extend((2..points.len()).map(|i| [first, first + i - 1, first + i]));
    }
}

/// A plate between z = ±thin/2.
fn plate(outline: &[[f64; 2]], thin: f64) -> Mesh {
    let mut mesh = Mesh::default();
    let half = 0.5 * thin;
    let triangles = triangulate(outline);
    for (z, flip) in [(half, false), (-half, true)] {
        let first = mesh.positions.len();
        mesh.positions.extend(outline.iter().map(|p| Vector3::new(p[0], p[1], z)));
        mesh.normals.extend(outline.iter().map(|_| Vector3::z() * z.signum()));
        let turned = |[a, b, c]: [usize; 3]| if flip { [a, c, b] } else { [a, b, c] };
        mesh.triangles.extend(triangles.iter().map(|t| turned(t.map(|i| first + i))));
    }
    let n = outline.len();
    let area: f64 = (0..n)
        .map(|i| outline[i][0] * outline[(i + 1) % n][1] - outline[i][1] * outline[(i + 1) % n][0])
        .sum();
    for i in 0..n {
        let (mut a, mut b) = (outline[i], outline[(i + 1) % n]);
        if area < 0.0 {
            std::mem::swap(&mut a, &mut b);
        }
        let at = |p: [f64; 2], z: f64| Vector3::new(p[0], p[1], z);
        let normal = unit(Vector3::new(b[1] - a[1], a[0] - b[0], 0.0));
        mesh.face(&[at(a, -half), at(b, -half), at(b, half), at(a, half)], normal);
    }
    mesh
}

/// A line with a width.
fn ribbon(vertices: &[[f64; 2]], width: f64, thin: f64) -> Mesh {
    let mut mesh = Mesh::default();
    for pair in vertices.windows(2) {
        let (a, b) = (Vector3::new(pair[0][0], pair[0][1], 0.0), Vector3::new(pair[1][0], pair[1][1], 0.0));
        let along = unit(b - a) * (0.5 * width);
        let across = Vector3::new(-along.y, along.x, 0.0);
        let up = Vector3::z() * (0.5 * thin);
        let (a, b) = (a - along + up, b + along + up);
        mesh.face(&[a - across, b - across, b + across, a + across], Vector3::z());
    }
    mesh
}

fn cuboid([x, y, z]: [f64; 3]) -> Mesh {
    let mut mesh = Mesh::default();
    let half = Vector3::new(x, y, z);
    for axis in 0..3 {
        for side in [1.0, -1.0] {
            let mut normal = Vector3::zeros();
            normal[axis] = side;
            let (mut u, mut v) = (Vector3::zeros(), Vector3::zeros());
            let (second, third) = ((axis + 1) % 3, (axis + 2) % 3);
            u[second] = half[second];
            v[third] = half[third] * side;
            let c = normal * half[axis];
            mesh.face(&[c - u - v, c + u - v, c + u + v, c - u + v], normal);
        }
    }
    mesh
}

/// Triangles as they are, each flat; indices that lead nowhere are left out.
fn facets(vertices: &[[f64; 3]], triangles: &[[usize; 3]]) -> Mesh {
    let mut mesh = Mesh::default();
    for t in triangles {
        let [Some(a), Some(b), Some(c)] = t.map(|i| vertices.get(i).map(|v| Vector3::from(*v))) else {
            continue;
        };
        mesh.face(&[a, b, c], unit((b - a).cross(&(c - a))));
    }
    mesh
}

/// The direction of a vector; zero for zero.
pub(crate) fn unit(v: Vector3<f64>) -> Vector3<f64> {
    let norm = v.norm();
    if norm > 0.0 && norm.is_finite() { v / norm } else { Vector3::zeros() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// Volume by the divergence theorem: right only when the surface is closed and all triangles look outwards.
    fn volume(mesh: &Mesh) -> f64 {
        let p = |i: usize| mesh.positions[i];
        mesh.triangles.iter().map(|t| p(t[0]).dot(&p(t[1]).cross(&p(t[2]))) / 6.0).sum()
    }

    #[test]
    fn every_solid_is_closed_and_looks_outwards() {
        let grain = Grain { round: 96, size: 1.0 };
        let thin = 0.02;
        let star = vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 0.25], [0.0, 1.0]];
        let tetrahedron = Solid::Mesh {
            vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        };
        let cases = [
            (Solid::Disc { radius: 2.0 }, 4.0 * PI * thin),
            (Solid::Rectangle { half: [1.0, 0.5] }, 2.0 * thin),
            (Solid::Stadium { radius: 0.5, half: 1.0 }, (0.25 * PI + 2.0) * thin),
            (Solid::Polygon { vertices: star.clone() }, 1.25 * thin),
            (Solid::Polygon { vertices: star.into_iter().rev().collect() }, 1.25 * thin),
            (Solid::Sphere { radius: 1.5 }, 4.5 * PI),
            (Solid::Box { half: [1.0, 2.0, 3.0] }, 48.0),
            (Solid::Capsule { radius: 0.5, half: 1.0 }, PI * (0.5 + 0.5f64.powi(3) * 4.0 / 3.0)),
            (Solid::Cylinder { radius: 0.5, half: 1.0 }, 0.5 * PI),
            (Solid::Cone { radius: 1.0, height: 3.0 }, PI),
            (Solid::Ellipsoid { semi_axes: [1.0, 2.0, 0.5] }, 4.0 / 3.0 * PI),
            // (2 Γ(5/4))³/Γ(7/4) for exponent 4
            (Solid::SuperEllipsoid { semi_axes: [1.0; 3], exponent: 4.0 }, 6.481_987_351_1),
            (tetrahedron, 1.0 / 6.0),
        ];
        for (solid, exact) in cases {
            let mesh = Mesh::of(&solid, false, grain);
            let found = volume(&mesh);
            println!("{solid:?}: volume {found:.6}, exact {exact:.6}");
            // 96 segments leave out 2π²/3/96² = 0.07 % of a circle, twice as much of a ball
            assert!((found - exact).abs() < 3e-3 * exact);
            for t in &mesh.triangles {
                let [a, b, c] = t.map(|i| mesh.positions[i]);
                let normal: Vector3<f64> = t.iter().map(|i| mesh.normals[*i]).sum();
                assert!((b - a).cross(&(c - a)).dot(&normal) >= 0.0);
            }
        }
    }
}
