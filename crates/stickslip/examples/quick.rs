//! scratch
use nalgebra::Vector3;
use stickslip::body::spatial::*;
use stickslip::body::planar::*;
use stickslip::certificate::Tolerance;
use stickslip::model::woodpecker::Woodpecker;
use stickslip::shape::*;
use stickslip::simulation::*;
use stickslip::stepper::*;
use stickslip::system::*;
use stickslip::world::*;
use complementarity::solver::*;

fn sim(system: &dyn System, m: Method, cone: &str, solver: ContactSolver, step: f64, until: f64, name: &str) -> (f64, Vec<f64>, Vec<f64>) {
    let cfg = StepperConfig { method: m, cone: cone.parse().unwrap(), solver: ContactSolverConfig::new(solver) };
    let mut s = Simulation::new(system, cfg.build(), Settings { step, until, tolerance: Tolerance { law: 1e-8, penetration: 1e-8, joint: 1e-8 } });
    let t0 = std::time::Instant::now();
    let mut iters = 0; let mut worst = 0;
    while !s.is_done() { s.advance().unwrap(); iters += s.last().report.iterations; worst = worst.max(s.last().report.iterations); }
    let w = t0.elapsed().as_secs_f64() / s.index() as f64 * 1e6;
    println!("{name} {:?} {cone} {} h={step}: {w:.3} us/step iters/step {:.2} max {worst} | {:?} missed {} | imb {:.2e} disc {:.3e} fr {:.3e} imp {:.3e}", m, solver.name(), iters as f64 / s.index() as f64, s.certificate().worst, s.certificate().missed_steps, s.ledger().imbalance, s.ledger().discretisation, s.ledger().dissipated_friction, s.ledger().dissipated_impact);
    (s.state().t, s.state().q.clone(), s.state().u.clone())
}

fn main() {
    let half = |rot: [f64; 4]| Body::<Spatial> { name: "floor".into(), motion: Motion::Fixed, shape: Some(SpatialShape::HalfSpace), q: vec![0., 0., 0., rot[0], rot[1], rot[2], rot[3]], surface: 1 };
    let mut laws = SurfaceLaws::new(2);
    let l = |f, e| SurfaceLaw { friction: f, restitution: e, tangential_restitution: 0.0 };
    laws.set(0, 1, l(0.2, 0.)); laws.set(0, 0, l(0.2, 0.));
    let ball = Body::<Spatial> { name: "ball".into(), motion: Motion::Dynamic { mass: 1.0, inertia: SpatialInertia::diagonal([0.4; 3]).unwrap(), u: vec![2., 0., 0., 0., 0., 0.] }, shape: Some(SpatialShape::Sphere { radius: 1.0 }), q: vec![0., 0., 1., 1., 0., 0., 0.], surface: 0 };
    let w = World::<Spatial>::new([0., 0., -9.81], vec![ball, half([1., 0., 0., 0.])], laws.clone()).unwrap();
    for h in [0.12, 0.01, 1e-3, 1e-4] {
        let (_, q, u) = sim(&w, Method::StewartTrinkle, "exact", ContactSolver::Nsgs, h, 0.6, "s2r");
        println!("   {:?} {:?}", u[0] - 10. / 7., q[2] - 1.0);
    }
    let (_, _, u) = sim(&w, Method::StewartTrinkle, "polygon:4", ContactSolver::Nsgs, 1e-3, 0.6, "s2r"); println!("   {:?}", u[0] - 10. / 7.);
    let (_, _, u) = sim(&w, Method::StewartTrinkle, "polygon:4", ContactSolver::Lemke, 1e-3, 0.6, "s2r"); println!("   {:?}", u[0] - 10. / 7.);
    let (_, _, u) = sim(&w, Method::StewartTrinkle, "polygon:4@0.7853981633974483", ContactSolver::Lemke, 1e-2, 0.2, "s2r"); println!("   {:?}", u[0] - (2. - 0.2 * 9.81 * 0.2 / 2f64.sqrt()));
    let (_, _, u) = sim(&w, Method::StewartTrinkle, "exact", ContactSolver::Pgs, 1e-3, 0.6, "s2r"); println!("   {:?}", u[0] - 10. / 7.);
    // incline
    laws.set(0, 1, l(0.5, 0.)); laws.set(0, 0, l(0.5, 0.));
    for (slope, t) in [(0.6f64.atan(), 1.0)] {
        for heading in [0.0f64, 0.3, 0.7, 2.0] {
            let (s, c) = (slope / 2.0).sin_cos();
            let rot = [c, -heading.sin() * s, heading.cos() * s, 0.0];
            let n = Vector3::new(slope.sin() * heading.cos(), slope.sin() * heading.sin(), slope.cos()) * 0.05;
            let half_ext = [0.1, 0.1, 0.05];
            let shape = SpatialShape::Box { half: half_ext };
            let b = Body::<Spatial> { name: "box".into(), motion: Motion::Dynamic { mass: 1.0, inertia: SpatialInertia::diagonal(shape.unit_inertia().unwrap()).unwrap(), u: vec![0.; 6] }, shape: Some(shape), q: vec![n.x, n.y, n.z, rot[0], rot[1], rot[2], rot[3]], surface: 0 };
            let w = World::<Spatial>::new([0., 0., -9.81], vec![b, half(rot)], laws.clone()).unwrap();
            let (_, q, u) = sim(&w, Method::StewartTrinkle, "exact", ContactSolver::Nsgs, 0.01, t, "incline");
            let d = Vector3::new(q[0], q[1], q[2]) - n;
            let v = Vector3::new(u[0], u[1], u[2]).norm();
            println!("   creep {:.2e}  speed err rel {:.2e}", d.norm(), v / (9.81 * (slope.sin() - 0.5 * slope.cos()) * t) - 1.0);
        }
    }
    // stack
    let shape = SpatialShape::Box { half: [0.5; 3] };
    let mut bodies: Vec<Body<Spatial>> = (0..10).map(|i| Body { name: format!("b{i}"), motion: Motion::Dynamic { mass: 1.0, inertia: SpatialInertia::diagonal(shape.unit_inertia().unwrap()).unwrap(), u: vec![0.; 6] }, shape: Some(shape.clone()), q: vec![0., 0., 0.5 + i as f64, 1., 0., 0., 0.], surface: 0 }).collect();
    bodies.push(half([1., 0., 0., 0.]));
    let w = World::<Spatial>::new([0., 0., -9.81], bodies, laws.clone()).unwrap();
    let (_, q, _) = sim(&w, Method::StewartTrinkle, "exact", ContactSolver::Nsgs, 0.01, 5.0, "stack");
    println!("   drift {:?}", q.chunks(7).map(|b| b[0].hypot(b[1])).fold(0.0, f64::max));
    // bouncing ball
    for e in [0.5, 1.0] {
        let mut laws = SurfaceLaws::new(2); laws.set(0, 1, l(0.0, e)); laws.set(0, 0, l(0., e));
        let bodies = vec![Body::<Planar> { name: "ball".into(), motion: Motion::Dynamic { mass: 1.0, inertia: 0.005, u: vec![0.; 3] }, shape: Some(PlanarShape::Disc { radius: 0.1 }), q: vec![0., 1.1, 0.], surface: 0 }, Body::<Planar> { name: "floor".into(), motion: Motion::Fixed, shape: Some(PlanarShape::HalfPlane), q: vec![0.; 3], surface: 1 }];
        let w = World::<Planar>::new([0., -9.81, 0.], bodies, laws).unwrap();
        let (_, q, u) = sim(&w, Method::Moreau, "exact", ContactSolver::Nsgs, 1e-3, 2.0, "ball");
        println!("   {q:?} {u:?}");
    }
    let s = |e| l(0.3, e);
    let wp = Woodpecker { r_o: 0.0025, r_m: 0.0031, h_m: 0.0058, l_m: 0.010, l_g: 0.015, h_s: 0.02, l_s: 0.0201, m_m: 0.0003, m_s: 0.0045, j_m: 5e-9, j_s: 7e-7, c_phi: 0.0056, g: 9.81, surfaces: [s(0.5), s(0.), s(0.)], q: [0., -0.1036, -0.2788], u: [-0.3411, 0., -7.4583] };
    for solver in ContactSolver::ALL {
        let (_, q, u) = sim(&wp, Method::Moreau, "exact", solver, 1e-4, 1.0, "woodpecker");
        println!("   {q:?} {u:?}");
    }
}
