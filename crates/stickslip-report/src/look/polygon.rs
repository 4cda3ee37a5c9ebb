//! A simple polygon as triangles, by cutting ears.

/// Twice the signed area of a triangle.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Triangles over the vertices, counter-clockwise. A polygon that crosses itself gets triangles too, not all of them
/// inside.
pub(crate) fn triangulate(vertices: &[[f64; 2]]) -> Vec<[usize; 3]> {
    let n = vertices.len();
    if n < 3 {
        return Vec::new();
    }
    let area: f64 = (1..n - 1).map(|i| turn(vertices[0], vertices[i], vertices[i + 1])).sum();
    let mut left: Vec<usize> = if area >= 0.0 { (0..n).collect() } else { (0..n).rev().collect() };
    let mut out = Vec::with_capacity(n - 2);
    let mut at = 0;
    // a full round without an ear: what is left is degenerate, and any cut is as good
    let mut missed = 0;
    while left.len() > 3 {
        let m = left.len();
        let ear = [left[(at + m - 1) % m], left[at % m], left[(at + 1) % m]];
        if missed >= m || is_ear(vertices, &left, ear) {
            out.push(ear);
            left.remove(at % m);
            // the next corner but one: cutting on from the same corner makes long splinters
            at = (at + 1) % left.len();
            missed = 0;
        } else {
            at = (at + 1) % m;
            missed += 1;
        }
    }
    out.push([left[0], left[1], left[2]]);
    out
}

fn is_ear(vertices: &[[f64; 2]], left: &[usize], [a, b, c]: [usize; 3]) -> bool {
    let (pa, pb, pc) = (vertices[a], vertices[b], vertices[c]);
    if turn(pa, pb, pc) <= 0.0 {
        return false;
    }
    !left.iter().filter(|i| ![a, b, c].contains(i)).any(|&i| {
        let p = vertices[i];
        turn(pa, pb, p) >= 0.0 && turn(pb, pc, p) >= 0.0 && turn(pc, pa, p) >= 0.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_cover_the_polygon_once() {
        // a star with ten points has the area of its shoelace sum, whichever way round it is written
        let star: Vec<[f64; 2]> = (0..20)
            .map(|i| {
                let (r, a) =
                    (if i % 2 == 0 { 1.0 } else { 0.35 }, f64::from(i) * std::f64::consts::PI / 10.0);
                [r * a.cos(), r * a.sin()]
            })
            .collect();
        let exact = 10.0 * 0.35 * (std::f64::consts::PI / 10.0).sin();
        for points in [star.clone(), star.into_iter().rev().collect()] {
            let triangles = triangulate(&points);
            assert_eq!(triangles.len(), 18);
            let areas: Vec<f64> =
                triangles.iter().map(|t| 0.5 * turn(points[t[0]], points[t[1]], points[t[2]])).collect();
            assert!(areas.iter().all(|a| *a > 0.0));
            assert!((areas.iter().sum::<f64>() - exact).abs() < 1e-14);
        }
    }

    #[test]
    fn what_is_no_polygon_ends_all_the_same() {
        assert!(triangulate(&[[0.0, 0.0], [1.0, 0.0]]).is_empty());
        assert_eq!(triangulate(&[[0.0, 0.0]; 6]).len(), 4);
        assert_eq!(triangulate(&[[0.0, 0.0], [1.0, f64::NAN], [1.0, 1.0], [0.0, 1.0]]).len(), 2);
    }
}
