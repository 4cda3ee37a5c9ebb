//! Mass, forces and rows in joint coordinates are those of the bodies along the joints. The Jacobian J of the bodies'
//! velocities is taken column by column from where the system says its bodies are and how they move; its rate by
//! differences.

use crate::random::{Mechanism, Random, With, bodies, elsewhere};
use nalgebra::{DMatrix, DVector};
use stickslip::state::State;
use stickslip::system::{Snapshot, System};

/// dv/du of the bodies.
fn jacobian(system: &dyn System, at: &State) -> DMatrix<f64> {
    let columns: Vec<DVector<f64>> = (0..at.u.len())
        .map(|k| {
            let mut u = vec![0.0; at.u.len()];
            u[k] = 1.0;
            DVector::from_vec(bodies(system, &State { u, ..at.clone() }).u)
        })
        .collect();
    DMatrix::from_columns(&columns)
}

fn mass(look: &Snapshot) -> DMatrix<f64> {
    let n = look.mass.len();
    let mut out = DMatrix::zeros(n, n);
    for b in look.mass.blocks() {
        for (k, value) in look.mass.values(*b).iter().enumerate() {
            out[(b.start + k / b.size, b.start + k % b.size)] = *value;
        }
    }
    out
}

fn forces(look: &Snapshot) -> DVector<f64> {
    DVector::from_iterator(look.force.len(), look.force.iter().zip(&look.applied).map(|(a, b)| a + b))
}

/// dJ/dt u, of sixth order.
fn bend(system: &dyn System, at: &State) -> DVector<f64> {
    let v = |s: f64| {
        let mut state = at.clone();
        system.displace(&mut state.q, &at.u, s);
        DVector::from_vec(bodies(system, &state).u)
    };
    let h = 1e-3;
    [(1.0, 0.75), (2.0, -0.15), (3.0, 1.0 / 60.0)]
        .iter()
        .map(|(k, w)| (v(k * h) - v(-k * h)) * (*w / h))
        .fold(DVector::zeros(bodies(system, at).u.len()), |sum, x| sum + x)
}

fn row(look: &Snapshot, c: &stickslip::system::Constraint, r: usize, n: usize) -> DVector<f64> {
    let mut out = DVector::zeros(n);
    for part in &look.jacobian.parts[c.first_part..c.end_part] {
        for k in 0..part.width {
            out[part.start + k] += look.jacobian.values[part.at + r * part.width + k];
        }
    }
    out
}

const ST: &str = "stepper = \"stewart-trinkle\"\nstep = 1e-3";

#[test]
fn mass_and_forces_are_those_of_the_bodies_along_the_joints() {
    for seed in 0..60 {
        let mechanism = Mechanism::new(seed, With { forces: true, closed: seed % 2 == 1, ..With::default() });
        let (tree, world) = (mechanism.scene("joint", ST, None), mechanism.scene("body", ST, None));
        let state = elsewhere(tree.system.as_ref(), &mut Random::new(seed + 1000));
        let (mut own, mut theirs) = (Snapshot::default(), Snapshot::default());
        tree.system.dynamics(&state, &mut own);
        world.system.dynamics(&bodies(tree.system.as_ref(), &state), &mut theirs);
        let j = jacobian(tree.system.as_ref(), &state);
        let m = mass(&theirs);
        let expected = j.transpose() * &m * &j;
        let off = (mass(&own) - &expected).amax() / expected.amax();
        assert!(off < 1e-13, "seed {seed}: M off by {off:e}");
        let inverse = {
            let n = own.mass.len();
            let mut out = DMatrix::zeros(n, n);
            for b in own.inverse_mass.blocks() {
                for (k, value) in own.inverse_mass.values(*b).iter().enumerate() {
                    out[(b.start + k / b.size, b.start + k % b.size)] = *value;
                }
            }
            out
        };
        let unit = (&expected * inverse - DMatrix::identity(own.mass.len(), own.mass.len())).amax();
        assert!(unit < 1e-10, "seed {seed}: M times its inverse is off by {unit:e}");
        let expected = j.transpose() * (forces(&theirs) - m * bend(tree.system.as_ref(), &state));
        let size = expected.amax().max(1.0);
        let off = (forces(&own) - &expected).amax() / size;
        assert!(off < 1e-9, "seed {seed}: h off by {off:e}");
        let off = (own.potential - theirs.potential).abs() / (1.0 + theirs.potential.abs());
        assert!(off < 1e-13, "seed {seed}: V off by {off:e}");
    }
}

/// With two of a force's forms: which part answers motion how.
#[test]
fn stiffness_is_that_of_the_bodies_along_the_joints() {
    for seed in 0..30 {
        let mechanism = Mechanism::new(seed, With { forces: true, ..With::default() });
        let (tree, world) = (mechanism.scene("joint", ST, None), mechanism.scene("body", ST, None));
        let state = elsewhere(tree.system.as_ref(), &mut Random::new(seed + 1000));
        let (mut own, mut theirs) = (Snapshot::default(), Snapshot::default());
        tree.system.stiffness(&state, &mut own);
        world.system.stiffness(&bodies(tree.system.as_ref(), &state), &mut theirs);
        let j = jacobian(tree.system.as_ref(), &state);
        let matrices = |look: &Snapshot, n: usize| {
            let mut out: [DMatrix<f64>; 2] = [DMatrix::zeros(n, n), DMatrix::zeros(n, n)];
            for s in &look.stiff {
                let mut w: DVector<f64> = DVector::zeros(n);
                for part in &look.stiff_rows.parts[s.first_part..s.end_part] {
                    for k in 0..part.width {
                        w[part.start + k] += look.stiff_rows.values[part.at + k];
                    }
                }
                out[0] += &w * w.transpose() * s.stiffness;
                out[1] += &w * w.transpose() * s.damping;
            }
            out
        };
        let own = matrices(&own, state.u.len());
        let theirs = matrices(&theirs, j.nrows()).map(|k| j.transpose() * k * &j);
        for (own, theirs) in own.iter().zip(&theirs) {
            let off = (own - theirs).amax() / theirs.amax().max(1e-300);
            assert!(off < 1e-12, "seed {seed}: off by {off:e}");
        }
    }
}

#[test]
fn rows_are_those_of_the_bodies_along_the_joints_and_trees_have_none_of_their_own() {
    let mut seen = [0; 2];
    for seed in 0..60 {
        let with = With { stops: true, floor: true, gear: true, closed: seed % 2 == 1, ..With::default() };
        let mechanism = Mechanism::new(seed, with);
        let (tree, world) =
            (mechanism.scene("joint", ST, Some(-2.0)), mechanism.scene("body", ST, Some(-2.0)));
        let state = elsewhere(tree.system.as_ref(), &mut Random::new(seed + 1000));
        let at = bodies(tree.system.as_ref(), &state);
        let (mut own, mut theirs) = (Snapshot::default(), Snapshot::default());
        tree.system.constraints(&state, 3.0, &mut own);
        world.system.constraints(&at, 3.0, &mut theirs);
        let j = jacobian(tree.system.as_ref(), &state);
        assert!(own.constraints.is_sorted_by_key(|c| c.id), "seed {seed}");
        for c in &own.constraints {
            let d = theirs.constraints.iter().find(|d| d.id == c.id).expect("a constraint of the world");
            assert_eq!((c.law, c.law.rows()), (d.law, d.law.rows()), "seed {seed}");
            for r in 0..c.law.rows() {
                let off = (c.gap[r] - d.gap[r]).abs() + (c.drift[r] - d.drift[r]).abs();
                assert!(off < 1e-13, "seed {seed} {c:?}: gap or drift off by {off:e}");
                let expected = j.transpose() * row(&theirs, d, r, at.u.len());
                let off = (row(&own, c, r, state.u.len()) - &expected).amax();
                assert!(off < 1e-13 * (1.0 + expected.amax()), "seed {seed} {c:?}: row off by {off:e}");
            }
            seen[usize::from(c.is_contact())] += 1;
        }
        // what the tree does not list are its own joints: the bodies hold them without
        let own_id = |id| own.constraints.iter().any(|c| c.id == id);
        for d in theirs.constraints.iter().filter(|d| !own_id(d.id)) {
            assert!(matches!(d.law, stickslip::system::Law::Bilateral { .. }), "seed {seed} {d:?}");
            let error = d.gap[..d.law.rows()].iter().fold(0.0f64, |m, g| m.max(g.abs()));
            assert!(error < 1e-14, "seed {seed} {d:?}");
            for r in 0..d.law.rows() {
                let off = (j.transpose() * row(&theirs, d, r, at.u.len())).amax();
                assert!(off < 1e-13, "seed {seed}: motion of the tree against its joints, {off:e}");
            }
        }
        assert!((tree.system.speed(&state.q, &state.u) - world.system.speed(&at.q, &at.u)).abs() < 1e-12);
    }
    println!("{seen:?} constraints");
    assert!(seen[0] > 60 && seen[1] > 60, "{seen:?}");
}

#[test]
fn coordinates_move_as_their_rates_say_and_stay_on_their_manifold() {
    for seed in 0..30 {
        let tree = Mechanism::new(seed, With::default()).scene("joint", ST, None);
        let system = tree.system.as_ref();
        let state = elsewhere(system, &mut Random::new(seed));
        let mut rate = vec![0.0; state.q.len()];
        system.rate(&state.q, &state.u, &mut rate);
        let h = 1e-5;
        let [mut ahead, mut behind] = [state.q.clone(), state.q.clone()];
        system.displace(&mut ahead, &state.u, h);
        system.displace(&mut behind, &state.u, -h);
        for (k, rate) in rate.iter().enumerate() {
            let difference = (ahead[k] - behind[k]) / (2.0 * h);
            assert!((difference - rate).abs() < 1e-8, "seed {seed} q[{k}]: {difference} is no {rate}");
        }
        let mut unit = ahead.clone();
        system.normalise(&mut unit);
        assert!(unit.iter().zip(&ahead).all(|(a, b)| (a - b).abs() < 1e-15), "seed {seed}");
    }
}
