//! Round outlines and round solids.

use nalgebra::Vector3;
use std::f64::consts::{PI, TAU};

use super::mesh::{Mesh, unit};

/// A circle as a polygon.
pub(super) fn circle(radius: f64, n: usize) -> Vec<[f64; 2]> {
    (0..n).map(|i| TAU * i as f64 / n as f64).map(|a| [radius * a.cos(), radius * a.sin()]).collect()
}

/// A stadium along x as a polygon.
pub(super) fn stadium(radius: f64, half: f64, n: usize) -> Vec<[f64; 2]> {
    let side = n / 2;
    let cap = |x: f64, from: f64| {
        (0..=side).map(move |i| {
            let a = from + PI * i as f64 / side as f64;
            [x + radius * a.cos(), radius * a.sin()]
        })
    };
    cap(half, -PI / 2.0).chain(cap(-half, PI / 2.0)).collect()
}

/// |x/a|^p + |y/b|^p + |z/c|^p = 1: an ellipsoid for p = 2. Points of a sphere pushed onto it; normals by the gradient.
pub(super) fn ball(semi_axes: [f64; 3], p: f64, n: usize) -> Mesh {
    let a = Vector3::from(semi_axes);
    let (rows, columns) = (n / 2, n);
    let mut mesh = Mesh::default();
    for i in 0..=rows {
        let polar = PI * i as f64 / rows as f64;
        for j in 0..=columns {
            let around = TAU * j as f64 / columns as f64;
            let d = Vector3::new(polar.sin() * around.cos(), polar.sin() * around.sin(), polar.cos());
            let r = d.iter().map(|x| x.abs().powf(p)).sum::<f64>().powf(-1.0 / p);
            let on = d * r;
            mesh.positions.push(on.component_mul(&a));
            let gradient = on.map(|x| x.signum() * x.abs().powf(p - 1.0)).component_div(&a);
            mesh.normals.push(unit(gradient));
        }
    }
    lattice(&mut mesh, 0, rows, columns);
    mesh
}

/// A capsule along z.
pub(super) fn capsule(radius: f64, half: f64, n: usize) -> Mesh {
    let (rows, columns) = (n / 2 + 1, n);
    let mut mesh = Mesh::default();
    for i in 0..=rows {
        // two rows at the equator, one for each end of the shaft
        let upper = i <= n / 4;
        let step = if upper { i } else { i - 1 };
        let polar = PI * step as f64 / (n / 2) as f64;
        let shift = if upper { half } else { -half };
        for j in 0..=columns {
            let around = TAU * j as f64 / columns as f64;
            let d = Vector3::new(polar.sin() * around.cos(), polar.sin() * around.sin(), polar.cos());
            mesh.positions.push(d * radius + Vector3::z() * shift);
            mesh.normals.push(d);
        }
    }
    lattice(&mut mesh, 0, rows, columns);
    mesh
}

/// A straight profile of (radius, height), from below upwards, turned about z, with its flat ends.
pub(super) fn turned(profile: &[(f64, f64); 2], n: usize) -> Mesh {
    let [(r0, z0), (r1, z1)] = *profile;
    let mut mesh = Mesh::default();
    let around = |j: usize| TAU * j as f64 / n as f64;
    let at = |r: f64, z: f64, a: f64| Vector3::new(r * a.cos(), r * a.sin(), z);
    // from the top down, as the rows of a ball
    for (r, z) in [(r1, z1), (r0, z0)] {
        for j in 0..=n {
            let a = around(j);
            mesh.positions.push(at(r, z, a));
            mesh.normals.push(unit(at(z1 - z0, r0 - r1, a)));
        }
    }
    lattice(&mut mesh, 0, 1, n);
    let ring = |r: f64, z: f64| (0..n).map(|j| at(r, z, around(j))).collect::<Vec<_>>();
    if r1 > 0.0 {
        mesh.face(&ring(r1, z1), Vector3::z());
    }
    if r0 > 0.0 {
        let mut below = ring(r0, z0);
        below.reverse();
        mesh.face(&below, -Vector3::z());
    }
    mesh
}

/// Triangles between rows of points that run from the top down and around.
fn lattice(mesh: &mut Mesh, first: usize, rows: usize, columns: usize) {
    let index = |i: usize, j: usize| first + i * (columns + 1) + j;
    for i in 0..rows {
        for j in 0..columns {
            let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
}
