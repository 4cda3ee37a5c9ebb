//! Closest points of two convex bodies by alternating projections: the nearest point of one body to the last of the
//! other, in turn (Cheney, Goldstein 1959). The projections are written from the shapes' definitions and use nothing of
//! the collision code.
#![allow(dead_code)]

use crate::rounded::Placed;
use nalgebra::{Vector2, Vector3};
use stickslip::shape::{
    Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, SpatialShape, Sphere, SuperEllipsoid,
    Surface,
};

/// Nearest points p of a and q of b; none if they do not settle within a few hundred rounds.
pub fn closest(a: &Placed, b: &Placed) -> Option<(Vector3<f64>, Vector3<f64>)> {
    let mut p = project(a, &b.pose().p);
    let mut q = project(b, &p);
    for _ in 0..300 {
        let next_p = project(a, &q);
        let next_q = project(b, &next_p);
        let moved = (next_p - p).norm().max((next_q - q).norm());
        (p, q) = (next_p, next_q);
        if moved < 1e-15 {
            return Some((p, q));
        }
    }
    None
}

/// The nearest point of a placed body.
fn project(body: &Placed, x: &Vector3<f64>) -> Vector3<f64> {
    let pose = body.pose();
    let y: Vector3<f64> = pose.r.tr_mul(&(x - pose.p));
    let Placed::Solid(shape, _) = body else { unreachable!("bodies in space") };
    pose.p + pose.r * project_shape(shape, &y)
}

fn clamp(x: f64, h: f64) -> f64 {
    x.max(-h).min(h)
}

/// The nearest point of the segment from c to d.
fn on_segment(x: &Vector3<f64>, c: &Vector3<f64>, d: &Vector3<f64>) -> Vector3<f64> {
    let along = d - c;
    c + along * (along.dot(&(x - c)) / along.norm_squared()).clamp(0.0, 1.0)
}

fn project_shape(shape: &SpatialShape, x: &Vector3<f64>) -> Vector3<f64> {
    let ball = |centre: Vector3<f64>, radius: f64| {
        let away = x - centre;
        if away.norm() <= radius { *x } else { centre + away * (radius / away.norm()) }
    };
    let rho = x.x.hypot(x.y);
    let turn = |at: Vector2<f64>| Vector3::new(x.x * (at.x / rho), x.y * (at.x / rho), at.y);
    match shape {
        SpatialShape::Sphere(Sphere { radius }) => ball(Vector3::zeros(), *radius),
        SpatialShape::Capsule(Capsule { radius, half }) => {
            ball(Vector3::new(0.0, 0.0, clamp(x.z, *half)), *radius)
        }
        SpatialShape::Box(Cuboid { half }) => Vector3::from_fn(|i, _| clamp(x[i], half[i])),
        SpatialShape::HalfSpace => Vector3::new(x.x, x.y, x.z.min(0.0)),
        SpatialShape::Cylinder(Cylinder { radius, half }) => {
            turn(Vector2::new(rho.min(*radius), clamp(x.z, *half)))
        }
        SpatialShape::Cone(Cone { radius, height }) => {
            let (low, high) = (-0.25 * height, 0.75 * height);
            if x.z >= low && rho * height <= radius * (high - x.z) {
                return *x;
            }
            let at = Vector3::new(rho, x.z, 0.0);
            let point = |r: f64, z: f64| Vector3::new(r, z, 0.0);
            let sides = [
                on_segment(&at, &point(0.0, high), &point(*radius, low)),
                on_segment(&at, &point(0.0, low), &point(*radius, low)),
            ];
            let near = if (sides[0] - at).norm() < (sides[1] - at).norm() { sides[0] } else { sides[1] };
            turn(Vector2::new(near.x, near.y))
        }
        SpatialShape::Convex(hull) => project_hull(hull, x),
        SpatialShape::Ellipsoid(Ellipsoid { semi_axes }) => project_smooth(semi_axes, 2.0, x),
        SpatialShape::SuperEllipsoid(SuperEllipsoid { semi_axes, exponents: [m, n] }) if m == n => {
            project_smooth(semi_axes, *n, x)
        }
        SpatialShape::SuperEllipsoid(SuperEllipsoid { semi_axes, exponents }) => {
            project_nested(semi_axes, *exponents, x)
        }
        SpatialShape::Intersection(parts) => project_round(parts.surfaces(), x),
        SpatialShape::Compound(_) => unreachable!("not convex"),
        #[allow(unreachable_patterns)]
        _ => unreachable!("not convex"),
    }
}

/// The nearest point of two balls, or of a ball and a half-space: of one of them where that is in the other, else of
/// the circle in which their surfaces meet.
fn project_round(surfaces: &[Surface], x: &Vector3<f64>) -> Vector3<f64> {
    // centre and radius, or point and normal
    let alone = |s: &Surface| match s {
        Surface::Smooth { shape, pose } => {
            let (away, radius) = (x - pose.p, shape.semi_axes[0]);
            if away.norm() <= radius { *x } else { pose.p + away * (radius / away.norm()) }
        }
        Surface::Plane { point, normal, .. } => x - normal * normal.dot(&(x - point)).max(0.0),
    };
    let within = |s: &Surface, y: &Vector3<f64>| match s {
        Surface::Smooth { shape, pose } => (y - pose.p).norm() <= shape.semi_axes[0] * (1.0 + 1e-15),
        Surface::Plane { point, normal, .. } => normal.dot(&(y - point)) <= 1e-15,
    };
    for (k, s) in surfaces.iter().enumerate() {
        let y = alone(s);
        if surfaces.iter().enumerate().all(|(j, other)| j == k || within(other, &y))
            && within(s, x) == (y == *x)
        {
            let both = surfaces.iter().all(|s| within(s, x));
            if both || y != *x {
                return if both { *x } else { y };
            }
        }
    }
    let (Surface::Smooth { shape, pose }, other) = (&surfaces[0], &surfaces[1]) else { unreachable!() };
    let (c, r) = (pose.p, shape.semi_axes[0]);
    let (axis, along) = match other {
        Surface::Smooth { shape: b, pose: at } => {
            let d = (at.p - c).norm();
            ((at.p - c) / d, 0.5 * (d + (r * r - b.semi_axes[0].powi(2)) / d))
        }
        Surface::Plane { point, normal, .. } => (*normal, normal.dot(&(point - c))),
    };
    let middle = c + axis * along;
    let off = x - middle - axis * axis.dot(&(x - middle));
    middle + off * ((r * r - along * along).sqrt() / off.norm())
}

fn project_hull(hull: &ConvexPolyhedron, x: &Vector3<f64>) -> Vector3<f64> {
    let v = hull.vertices();
    let mut best = (f64::INFINITY, *x);
    let mut inside = true;
    for face in hull.faces() {
        let ring = &hull.corners()[face.first..face.end];
        let at = |m: usize| &v[usize::from(ring[m % ring.len()][0])];
        let height = face.normal.dot(&(x - at(0)));
        inside &= height <= 0.0;
        let foot = x - face.normal * height;
        let over =
            (0..ring.len()).all(|m| (at(m + 1) - at(m)).cross(&(foot - at(m))).dot(&face.normal) >= 0.0);
        if height > 0.0 && over && height < best.0 {
            best = (height, foot);
        }
        for m in 0..ring.len() {
            let near = on_segment(x, at(m), at(m + 1));
            if (near - x).norm() < best.0 {
                best = ((near - x).norm(), near);
            }
        }
    }
    if inside { *x } else { best.1 }
}

/// The nearest point of `sum |x_i / a_i|^n <= 1`: with a multiplier mu, `x_i + mu |x_i / a_i|^(n−1) / a_i = |y_i|` for
/// each axis; the sum falls as mu grows.
fn project_smooth(a: &[f64; 3], n: f64, y: &Vector3<f64>) -> Vector3<f64> {
    let gauge = |u: &[f64; 3]| u.iter().map(|u| u.powf(n)).sum::<f64>();
    let own = [0, 1, 2].map(|i| y[i].abs() / a[i]);
    if gauge(&own) <= 1.0 {
        return *y;
    }
    // u_i = x_i / a_i by Newton's method from above: the left side is convex and rises
    let shares = |mu: f64| {
        [0, 1, 2].map(|i| {
            let (a, y, c) = (a[i], y[i].abs(), mu / a[i]);
            let mut u = if c > 0.0 { (y / a).min((y / c).powf(1.0 / (n - 1.0))) } else { y / a };
            for _ in 0..60 {
                let slope = a + c * (n - 1.0) * u.powf(n - 2.0);
                let step = (a * u + c * u.powf(n - 1.0) - y) / slope;
                u -= step;
                if step.abs() <= 1e-16 * u {
                    break;
                }
            }
            u
        })
    };
    let (mut low, mut high) = (0.0, y.norm() * a.iter().fold(0.0f64, |m, a| m.max(*a)) * 4.0);
    let mut mu = 0.0;
    for _ in 0..200 {
        let u = shares(mu);
        let value = gauge(&u).powf(1.0 / n) - 1.0;
        if value > 0.0 {
            low = mu
        } else {
            high = mu
        }
        // d u / d mu from the equation of each axis
        let slope: f64 = (0..3)
            .map(|i| {
                let rate = -u[i].powf(n - 1.0) / a[i] / (a[i] + mu / a[i] * (n - 1.0) * u[i].powf(n - 2.0));
                u[i].powf(n - 1.0) * rate
            })
            .sum::<f64>()
            * (value + 1.0).powf(1.0 - n);
        let next = mu - value / slope;
        let next = if next > low && next < high { next } else { 0.5 * (low + high) };
        if (next - mu).abs() <= 1e-16 * mu || high - low <= 1e-16 * high {
            break;
        }
        mu = next;
    }
    let u = shares(mu);
    let scale = gauge(&u).powf(-1.0 / n);
    Vector3::from_fn(|i, _| (u[i] * a[i] * scale).copysign(y[i]))
}

/// The root u of `a u + c u^(n−1) = y`, by Newton's method from above: the left side is convex and rises.
fn root(a: f64, c: f64, n: f64, y: f64) -> f64 {
    let mut u = if c > 0.0 { (y / a).min((y / c).powf(1.0 / (n - 1.0))) } else { y / a };
    for _ in 0..60 {
        let step = (a * u + c * u.powf(n - 1.0) - y) / (a + c * (n - 1.0) * u.powf(n - 2.0));
        u -= step;
        if step.abs() <= 1e-16 * u {
            break;
        }
    }
    u
}

/// The nearest point of `R^n + |z/c|^n <= 1`, `R^m = |x/a|^m + |y/b|^m`. With a multiplier nu of the whole and kappa =
/// nu R^(n−m), the plane's equations are `x_i + kappa |x_i/a_i|^(m−1) / a_i = |y_i|`, that of z `z + nu (z/c)^(n−1) /
/// c = |y_z|`: one unknown, kappa. Every root is a point where the distance is stationary, and there is one.
fn project_nested([a, b, c]: &[f64; 3], [m, n]: [f64; 2], y: &Vector3<f64>) -> Vector3<f64> {
    let plane = |u: &Vector3<f64>| (u.x.powf(m) + u.y.powf(m)).powf(1.0 / m);
    let gauge = |u: &Vector3<f64>| (plane(u).powf(n) + u.z.powf(n)).powf(1.0 / n);
    let own = Vector3::new(y.x.abs() / a, y.y.abs() / b, y.z.abs() / c);
    if gauge(&own) <= 1.0 {
        return *y;
    }
    let shares = |kappa: f64| {
        let mut u = Vector3::new(root(*a, kappa / a, m, y.x.abs()), root(*b, kappa / b, m, y.y.abs()), 0.0);
        let nu = kappa * plane(&u).powf(m - n);
        u.z = root(*c, nu / c, n, y.z.abs());
        u
    };
    let value = |kappa: f64| gauge(&shares(kappa)) - 1.0;
    let (mut low, mut high) = ((0.0, value(0.0)), (1.0, value(1.0)));
    while high.1 > 0.0 {
        high = (4.0 * high.0, value(4.0 * high.0));
    }
    // between the two by false position, the end that stays halved (Illinois), else in the middle
    let mut side = 0;
    for turn in 0..200 {
        let secant = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
        let middle = 0.5 * (low.0 + high.0);
        let at = if turn % 8 < 7 && secant > low.0 && secant < high.0 { secant } else { middle };
        let v = value(at);
        if v.abs() < 2e-16 || high.0 - low.0 <= 2e-16 * high.0 {
            low.0 = at;
            break;
        }
        if v > 0.0 {
            low = (at, v);
            high.1 *= if side == 1 { 0.5 } else { 1.0 };
            side = 1;
        } else {
            high = (at, v);
            low.1 *= if side == -1 { 0.5 } else { 1.0 };
            side = -1;
        }
    }
    let u = shares(low.0);
    let scale = 1.0 / gauge(&u);
    Vector3::new(
        (u.x * a * scale).copysign(y.x),
        (u.y * b * scale).copysign(y.y),
        (u.z * c * scale).copysign(y.z),
    )
}
