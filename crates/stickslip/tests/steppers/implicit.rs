//! The geometrically implicit stepper [Berard 2009, §3.5]: against exact motions, against the thesis's large mixed
//! problem with the contact points as unknowns, and its order.

use crate::common;
use complementarity::problem::mcp::{Mcp, Triplets};
use complementarity::solver::Solver;
use complementarity::solver::newton::Newton;
use stickslip_scene::{Overrides, Scene};

#[test]
fn the_true_disc_rolls_on_without_losing_energy() {
    for step in ["0.01", "0.05"] {
        let scene = common::scene("rolling-disc", &[&format!("step={step}")]);
        let mut worst = 0.0f64;
        let end = common::run(&scene, |s| worst = worst.max((s.last().kinetic - 6.75).abs()));
        println!("step {step}: kinetic energy off by {worst:e} J");
        assert!(worst < 1e-6);
        assert!((end.state().q[0] + 15.0).abs() < 1e-6);
        assert_eq!(end.certificate().missed_steps, 0);
    }
}

/// [Berard 2009, Fig. 3.6]: every corner of a polygon costs energy; more corners cost less, finer steps too.
#[test]
fn polygons_lose_energy_and_less_of_it_with_more_sides() {
    let loss = |sides: usize, step: &str| {
        let changes =
            [&format!("sides={sides}"), "stepper=stewart-trinkle", &format!("step={step}"), "until=2"];
        let scene = common::scene("rolling-disc", &changes.map(|s| s as &str));
        6.75 - common::run(&scene, |_| {}).last().kinetic
    };
    let coarse: Vec<f64> = [10, 20, 50, 100].iter().map(|&n| loss(n, "0.01")).collect();
    println!("step 0.01: {coarse:?} J");
    assert!(coarse.windows(2).all(|w| w[1] < w[0]), "{coarse:?}");
    assert!(coarse[3] > 0.1, "the step leaves a loss: {coarse:?}");
    let fine = loss(100, "0.001");
    println!("100 sides, step 0.001: {fine} J");
    assert!(fine < coarse[3]);
}

/// [Berard 2009, Fig. 3.6]: the loss falls with the number of sides until the corners are closer than the disc rolls in
/// a step; from there on the step alone sets it, in proportion.
#[test]
fn the_loss_of_polygons_falls_to_a_limit_set_by_the_step() {
    let sides = [8, 16, 32, 64, 128, 256, 512, 1024];
    let losses = [0.01, 0.0025].map(|step| {
        sides.map(|n| {
            let changes = [
                format!("sides={n}"),
                format!("step={step}"),
                "stepper=stewart-trinkle".into(),
                "until=1".into(),
            ];
            let scene = common::scene("rolling-disc", &changes.each_ref().map(String::as_str));
            let end = common::run(&scene, |_| {});
            assert_eq!(end.certificate().missed_steps, 0, "{n} sides: {:?}", end.certificate());
            6.75 - end.last().kinetic
        })
    });
    println!("sides        {sides:?}");
    println!("step 0.01:   {:.4?} J", losses[0]);
    println!("step 0.0025: {:.4?} J", losses[1]);
    // a disc at 3 m/s rolls 0.03 m and 0.0075 m in a step: as far as 209 and 838 corners are apart
    for (loss, last) in [(&losses[0], 4), (&losses[1], 6)] {
        assert!(loss[..=last].windows(2).all(|w| w[1] < w[0]), "{loss:?}");
        let plateau = &loss[last + 1..];
        assert!(plateau.iter().all(|l| (l / plateau[0] - 1.0).abs() < 0.1), "{loss:?}");
        assert!((plateau[0] / loss[last] - 1.0).abs() < 0.5, "{loss:?}");
    }
    let ratio = losses[0][7] / losses[1][7];
    println!("limits {:.4} J and {:.4} J: ratio {ratio:.2} for steps of ratio 4", losses[0][7], losses[1][7]);
    assert!((3.2..4.8).contains(&ratio), "{ratio}");
}

/// A disc of radius 1, mass 1 and inertia 0.5 on top of a fixed disc of radius 2.
fn disc_on_disc(friction: f64, step: f64, until: f64, omega: f64) -> Scene {
    let (sin, cos) = (0.3f64).sin_cos();
    let text = format!(
        "# test\n[scene]\nname = \"t\"\ndescription = \"a disc on a disc\"\ndimension = 2\n\
         [world]\ngravity = [0, -9.81]\n[simulation]\nstepper = \"implicit\"\ncone = \"exact\"\n\
         solver = \"auto\"\nstep = {step}\nuntil = {until}\n\
         [[body]]\nname = \"base\"\nfixed = true\nshape.disc.radius = 2.0\nmaterial = \"m\"\n\
         [[body]]\nname = \"disc\"\nmass = 1.0\ninertia = 0.5\nshape.disc.radius = 1.0\nmaterial = \"m\"\n\
         position = [{:?}, {:?}]\nangular_velocity = {omega}\n\
         [[contact]]\nbetween = [\"m\", \"m\"]\nfriction = {friction}\n",
        3.0 * sin,
        3.0 * cos
    );
    stickslip_scene::parse("t", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// The mixed complementarity problem of a step, [Berard 2009, eq. 3.76–3.83] with the sign of eq. (3.78), for
/// [`disc_on_disc`]. Unknowns: nu (3), a1, a2 (2 each), p_t, l1, l2, p_n, sigma.
struct LargeProblem {
    q: [f64; 3],
    u: [f64; 3],
    dt: f64,
    friction: f64,
}

impl Mcp for LargeProblem {
    fn size(&self) -> usize {
        12
    }
    fn bounds(&self, i: usize) -> (f64, f64) {
        if i < 8 { (f64::NEG_INFINITY, f64::INFINITY) } else { (0.0, f64::INFINITY) }
    }
    fn evaluate(&self, z: &[f64], w: &mut [f64]) {
        let c = [self.q[0] + self.dt * z[0], self.q[1] + self.dt * z[1]];
        let (a1, a2) = ([z[3], z[4]], [z[5], z[6]]);
        let (p_t, l1, l2, p_n, sigma) = (z[7], z[8], z[9], z[10], z[11]);
        let f = |x: [f64; 2]| (x[0] - c[0]).powi(2) + (x[1] - c[1]).powi(2) - 1.0;
        let g = |x: [f64; 2]| x[0] * x[0] + x[1] * x[1] - 4.0;
        let df = [2.0 * (a1[0] - c[0]), 2.0 * (a1[1] - c[1])];
        let dg = [2.0 * a2[0], 2.0 * a2[1]];
        let norm = df[0].hypot(df[1]);
        let n = [-df[0] / norm, -df[1] / norm];
        let t = [n[1], -n[0]];
        let r = [a1[0] - c[0], a1[1] - c[1]];
        let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
        w[0] = z[0] - self.u[0] - n[0] * p_n - t[0] * p_t;
        w[1] = z[1] - self.u[1] - n[1] * p_n - t[1] * p_t + self.dt * 9.81;
        w[2] = 0.5 * (z[2] - self.u[2]) - cross(r, n) * p_n - cross(r, t) * p_t;
        for k in 0..2 {
            w[3 + k] = a1[k] - a2[k] + l1 * df[k]; // eq. (3.76)
            w[5 + k] = df[k] + l2 * dg[k]; // eq. (3.77)
        }
        let slip = t[0] * z[0] + t[1] * z[1] + cross(r, t) * z[2];
        w[7] = self.friction * p_n * slip + p_t * sigma;
        w[8] = -f(a1);
        w[9] = -g(a2);
        w[10] = f(a2);
        w[11] = (self.friction * p_n).powi(2) - p_t * p_t;
    }
    fn jacobian(&self, z: &[f64], out: &mut Triplets) {
        let (mut z, mut high, mut low) = (z.to_vec(), vec![0.0; 12], vec![0.0; 12]);
        for j in 0..12 {
            let (x, d) = (z[j], 1e-6);
            z[j] = x + d;
            self.evaluate(&z, &mut high);
            z[j] = x - d;
            self.evaluate(&z, &mut low);
            z[j] = x;
            for i in 0..12 {
                out.push(i, j, (high[i] - low[i]) / (2.0 * d));
            }
        }
    }
}

#[test]
fn a_step_solves_the_mixed_problem_with_the_contact_points_as_unknowns() {
    // rolling, and sliding because it spins
    for (friction, omega, slides) in [(0.5, 0.0, false), (0.3, 8.0, true)] {
        let scene = disc_on_disc(friction, 0.01, 0.3, omega);
        let mut simulation = common::simulation(&scene);
        let mut worst = 0.0f64;
        while !simulation.is_done() {
            let (q, u) = (simulation.state().q.clone(), simulation.state().u.clone());
            simulation.advance().unwrap();
            let problem = LargeProblem { q: [q[0], q[1], q[2]], u: [u[0], u[1], u[2]], dt: 0.01, friction };
            let (x, y) = (2.0 / 3.0 * q[0], 2.0 / 3.0 * q[1]); // where the discs touch at the start
            let mut z =
                vec![u[0], u[1], u[2], x, y, x, y, 0.0, 0.0, 0.5, 0.1, if slides { 1.0 } else { 0.0 }];
            let report = Newton::default().solve(&problem, &mut z);
            assert!(problem.natural_residual(&z) < 1e-9, "{report:?}");
            let end = simulation.state();
            for i in 0..3 {
                worst = worst.max((end.u[i] - z[i]).abs());
            }
        }
        println!("friction {friction}: velocities differ by {worst:e}");
        assert!(worst < 1e-8);
        assert!(simulation.certificate().worst.penetration < 1e-13);
        assert_eq!(simulation.certificate().missed_steps, 0);
    }
}

/// [Berard 2009, §3.5.3.2]: with the paper's torsional friction, at its step.
#[test]
fn a_sphere_leaves_two_spheres_when_the_thesis_says() {
    let scene = common::scene("two-spheres", &[]);
    let (mut opened, mut slipped, mut jump) = ([0.0; 2], None, 0.0f64);
    let mut last: Option<Vec<f64>> = None;
    let end = common::run(&scene, |s| {
        let t = s.state().t;
        let label =
            |o: &stickslip::step::Outcome| usize::from(s.system().label(o.constraint.id).contains("medium"));
        for o in &s.last().outcomes {
            let k = label(o);
            if o.impulse[0] > 0.0 {
                opened[k] = t;
                let friction = o.impulse[1].hypot(o.impulse[2]).hypot(o.impulse[3] / 0.3);
                let on_the_limit = (friction - 0.2 * o.impulse[0]).abs() <= 1e-6 * o.impulse[0];
                assert!(friction <= 0.2 * o.impulse[0] * (1.0 + 1e-7));
                if k == 1 && on_the_limit && slipped.is_none() {
                    slipped = Some(t);
                }
                assert!(k == 1 || t < 0.02 || on_the_limit, "sliding is on the cone at {t}");
            }
        }
        if let Some(last) = &last {
            jump = last.iter().zip(&s.state().u).fold(jump, |m, (a, b)| m.max((a - b).abs()));
        }
        last = Some(s.state().u.clone());
    });
    println!("opened {opened:?}, slips from {slipped:?}, largest change of velocity {jump}");
    assert!((opened[0] - 3.21).abs() < 0.03 && (opened[1] - 3.70).abs() < 0.03);
    assert!((slipped.unwrap() - 2.94).abs() < 0.03);
    // smooth: no more than the forces of 10 m/s² and a few times that in rad/s² do in a step
    assert!(jump < 0.3, "{jump}");
    assert_eq!(end.certificate().missed_steps, 0);
}

/// Rolling without slip on a disc, theta from the vertical: (3/2) (R + r) theta'' = g sin theta.
#[test]
fn it_is_first_order() {
    let reference = {
        let rate = |s: [f64; 2]| [s[1], 9.81 * s[0].sin() / 4.5];
        let (mut s, n) = ([0.3, 0.0], 4000);
        let h = 0.4 / n as f64;
        for _ in 0..n {
            let k1 = rate(s);
            let k2 = rate([s[0] + 0.5 * h * k1[0], s[1] + 0.5 * h * k1[1]]);
            let k3 = rate([s[0] + 0.5 * h * k2[0], s[1] + 0.5 * h * k2[1]]);
            let k4 = rate([s[0] + h * k3[0], s[1] + h * k3[1]]);
            for i in 0..2 {
                s[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
            }
        }
        s[0]
    };
    let errors: Vec<f64> = [0.02, 0.01, 0.005, 0.0025]
        .iter()
        .map(|&step| {
            let scene = disc_on_disc(0.9, step, 0.4, 0.0);
            let end = common::run(&scene, |_| {});
            let q = &end.state().q;
            (q[0].atan2(q[1]) - reference).abs()
        })
        .collect();
    let ratios: Vec<f64> = errors.windows(2).map(|w| w[0] / w[1]).collect();
    println!("errors {errors:?}, ratios {ratios:?}");
    assert!(ratios.iter().all(|r| (1.8..2.2).contains(r)));
}
