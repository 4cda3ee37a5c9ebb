//! Contact problems made here: `newton`, `proximal` and `auto` find what mechanics says, agree with `nsgs`, do not
//! care about units, and allocate once.

use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law::{Cone, Law, polygon_directions};
use complementarity::problem::operator::{BlockDiagonal, Jacobian, Operator};
use complementarity::solver::auto::Auto;
use complementarity::solver::contact_newton::ContactNewton;
use complementarity::solver::nsgs::Nsgs;
use complementarity::solver::proximal::Proximal;
use complementarity::solver::{Solver, Status};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;

// every call is handed to the system's allocator with its arguments unchanged, so its guarantees are ours
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Numbers between −1 and 1, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Boxes of side 2 on a plane with velocities before contact; contacts at corners, normal up.
struct Boxes {
    mass: f64,
    cone: Cone,
    friction: f64,
    u: Vec<[f64; 6]>,
    inverse_mass: BlockDiagonal,
    jacobian: Jacobian,
    groups: Vec<Group>,
    q: Vec<f64>,
}

impl Boxes {
    fn new(mass: f64, friction: f64, cone: Cone) -> Self {
        let (inverse_mass, jacobian) = Default::default();
        Self {
            mass,
            cone,
            friction,
            u: Vec::new(),
            inverse_mass,
            jacobian,
            groups: Vec::new(),
            q: Vec::new(),
        }
    }

    fn push_box(&mut self, u: [f64; 6]) {
        let mut inverse = [0.0; 36];
        for i in 0..6 {
            inverse[7 * i] = if i < 3 { 1.0 } else { 1.5 } / self.mass;
        }
        self.inverse_mass.push(6, &inverse);
        self.u.push(u);
    }

    /// A contact at `arm` from the upper box and, if there is one, `arm` + (0, 0, 2) from the lower one.
    fn push_contact(&mut self, upper: usize, lower: Option<usize>, arm: [f64; 3]) {
        let law = Law::Contact { friction: self.friction, cone: self.cone };
        let (first_row, first_part) = (self.q.len(), self.jacobian.parts.len());
        let mut q = [0.0; 3];
        let sides = [(Some(upper), 1.0, arm), (lower, -1.0, [arm[0], arm[1], arm[2] + 2.0])];
        for (body, sign, arm) in sides {
            let Some(body) = body else { continue };
            let mut rows = [0.0; 18];
            for (r, axis) in [2, 0, 1].into_iter().enumerate() {
                let mut direction = [0.0; 3];
                direction[axis] = sign;
                let moment = [
                    arm[1] * direction[2] - arm[2] * direction[1],
                    arm[2] * direction[0] - arm[0] * direction[2],
                    arm[0] * direction[1] - arm[1] * direction[0],
                ];
                rows[6 * r..6 * r + 3].copy_from_slice(&direction);
                rows[6 * r + 3..6 * r + 6].copy_from_slice(&moment);
                q[r] += (0..6).map(|j| rows[6 * r + j] * self.u[body][j]).sum::<f64>();
            }
            self.jacobian.push(6 * body, 6, &rows);
        }
        self.q.extend_from_slice(&q);
        self.groups.push(Group { law, first_row, first_part, end_part: self.jacobian.parts.len() });
    }

    fn finish(self) -> ContactProblem {
        let scale = self.q.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let mut directions = Vec::new();
        polygon_directions(6, 0.1, &mut directions);
        let operator = Operator::Factored { inverse_mass: self.inverse_mass, jacobian: self.jacobian };
        let problem = ContactProblem { groups: self.groups, q: self.q, operator, directions, scale };
        problem.validate().unwrap();
        problem
    }
}

const CORNERS: [[f64; 3]; 4] = [[-1.0, -1.0, -1.0], [1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, -1.0]];

fn stack(count: usize, mass: f64, fall: f64, cone: Cone) -> ContactProblem {
    let mut boxes = Boxes::new(mass, 0.5, cone);
    for b in 0..count {
        boxes.push_box([0.0, 0.0, -fall, 0.0, 0.0, 0.0]);
        for arm in CORNERS {
            boxes.push_contact(b, b.checked_sub(1), arm);
        }
    }
    boxes.finish()
}

/// One box with random velocities: sticking, sliding, tipping. Three corners touch: with four, what a sliding box
/// does is not determined.
fn thrown(random: &mut Random, mass: f64, speed: f64, cone: Cone) -> ContactProblem {
    let mut boxes = Boxes::new(mass, 0.3 + 0.3 * random.next(), cone);
    let mut u: [f64; 6] = std::array::from_fn(|_| speed * random.next());
    u[2] = -speed * (1.0 + random.next());
    boxes.push_box(u);
    for &arm in &CORNERS[..3] {
        boxes.push_contact(0, None, arm);
    }
    boxes.finish()
}

fn velocity(problem: &ContactProblem, lambda: &[f64]) -> Vec<f64> {
    let (mut scratch, mut work) = (Vec::new(), Vec::new());
    problem.impulse_velocity(lambda, &mut scratch, &mut work);
    work
}

fn solvers(tolerance: f64) -> Vec<(&'static str, Box<dyn Solver<ContactProblem>>)> {
    vec![
        ("newton", Box::new(ContactNewton::new(tolerance, 300))),
        ("proximal", Box::new(Proximal::new(tolerance, 100))),
        ("auto", Box::new(Auto::new(tolerance, 100_000))),
    ]
}

#[test]
fn a_sliding_point_keeps_its_direction_and_loses_mu_times_the_normal_impulse() {
    for (name, mut solver) in solvers(1e-13) {
        let mut boxes = Boxes::new(2.0, 0.25, Cone::Disc);
        boxes.push_box([3.0, -4.0, -1.0, 0.0, 0.0, 0.0]);
        // a contact straight below the centre of a body that cannot turn
        boxes.push_contact(0, None, [0.0, 0.0, 0.0]);
        let problem = boxes.finish();
        let mut z = [0.0; 3];
        let report = solver.solve(&problem, &mut z);
        assert_eq!(report.status, Status::Solved, "{name}");
        for (found, expected) in z.iter().zip([2.0, -0.3, 0.4]) {
            assert!((found - expected).abs() < 1e-12, "{name}: {z:?}");
        }
    }
}

#[test]
fn a_ten_box_stack_stands_still_and_carries_its_weight() {
    for cone in [Cone::Disc, Cone::Polygon] {
        let problem = stack(10, 3.0, 0.0981, cone);
        for (name, mut solver) in solvers(1e-12) {
            let mut z = vec![0.0; problem.len()];
            let report = solver.solve(&problem, &mut z);
            assert_eq!(report.status, Status::Solved, "{name}: {report:?}");
            assert!(problem.residual(&z).max() <= 1e-12);
            let ground: f64 = (0..4).map(|c| z[3 * c]).sum();
            assert!((ground - 10.0 * 3.0 * 0.0981).abs() < 1e-9, "{name}: {ground}");
            let again = solver.solve(&problem, &mut z);
            assert_eq!(again.status, Status::Solved, "{name}");
            assert!(again.iterations <= 2 || name == "proximal", "{name}: {again:?}");
        }
    }
}

#[test]
fn thrown_boxes_get_the_velocities_that_gauss_seidel_finds() {
    let mut random = Random(5);
    let mut compared = 0;
    for case in 0..300 {
        let cone = [Cone::Disc, Cone::Polygon][case % 2];
        let problem = thrown(&mut random, 1.0, 1.0, cone);
        let mut reference = vec![0.0; problem.len()];
        let found = Nsgs::new(1e-13, 200_000).solve(&problem, &mut reference);
        for (name, mut solver) in solvers(1e-12) {
            let mut z = vec![0.0; problem.len()];
            let report = solver.solve(&problem, &mut z);
            assert_eq!(report.status, Status::Solved, "case {case} {name}: {report:?}");
            if found.status != Status::Solved {
                continue;
            }
            compared += 1;
            let (ours, theirs) = (velocity(&problem, &z), velocity(&problem, &reference));
            let apart = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-6, "case {case} {name}: {ours:?} {theirs:?}");
        }
    }
    assert!(compared > 800, "{compared}");
}

#[test]
fn nothing_depends_on_the_units_of_mass_and_time() {
    for (mass, speed) in [(1e8, 1.0), (1e-8, 1.0), (1.0, 1e8), (1.0, 1e-8), (1e8, 1e-8)] {
        for case in 0..30 {
            let unit = thrown(&mut Random(case), 1.0, 1.0, Cone::Disc);
            let scaled = thrown(&mut Random(case), mass, speed, Cone::Disc);
            for ((name, mut solver), (_, mut other)) in solvers(1e-12).into_iter().zip(solvers(1e-12)) {
                let (mut y, mut z) = (vec![0.0; unit.len()], vec![0.0; unit.len()]);
                assert_eq!(solver.solve(&unit, &mut y).status, Status::Solved, "{name}");
                assert_eq!(other.solve(&scaled, &mut z).status, Status::Solved, "{name}");
                let (ours, theirs) = (velocity(&unit, &y), velocity(&scaled, &z));
                for i in 0..6 {
                    assert!((ours[i] - theirs[i] / speed).abs() < 1e-7, "{name} {case}: {ours:?} {theirs:?}");
                }
            }
        }
    }
}

#[test]
fn without_friction_the_tangents_carry_nothing() {
    let mut boxes = Boxes::new(1.0, 0.0, Cone::Disc);
    boxes.push_box([1.0, 0.5, -1.0, 0.1, -0.2, 0.3]);
    for arm in CORNERS {
        boxes.push_contact(0, None, arm);
    }
    let problem = boxes.finish();
    for (name, mut solver) in solvers(1e-12) {
        let mut z = vec![0.1; problem.len()];
        assert_eq!(solver.solve(&problem, &mut z).status, Status::Solved, "{name}");
        assert!((0..4).all(|c| z[3 * c + 1] == 0.0 && z[3 * c + 2] == 0.0), "{name}: {z:?}");
    }
}

#[test]
fn bilateral_unilateral_and_dry_rows_go_together() {
    // a slider held across its way, pressed on a stop, with dry friction along another coordinate
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    inverse_mass.push(3, &[1.0, 0.2, 0.0, 0.2, 2.0, 0.1, 0.0, 0.1, 0.5]);
    jacobian.push(0, 3, &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    jacobian.push(0, 3, &[0.0, 1.0, 0.0]);
    jacobian.push(0, 3, &[0.0, 0.0, 1.0]);
    let laws = [Law::Bilateral { rows: 2 }, Law::Unilateral, Law::Dry { bound: 0.4 }];
    let mut problem = ContactProblem { q: vec![1.0, 1.0, -2.0, 3.0], scale: 3.0, ..Default::default() };
    let mut first_row = 0;
    for (p, law) in laws.into_iter().enumerate() {
        problem.groups.push(Group { law, first_row, first_part: p, end_part: p + 1 });
        first_row += law.rows();
    }
    problem.operator = Operator::Factored { inverse_mass, jacobian };
    problem.validate().unwrap();
    for (name, mut solver) in solvers(1e-13) {
        let mut z = vec![0.0; 4];
        let report = solver.solve(&problem, &mut z);
        assert_eq!(report.status, Status::Solved, "{name}: {report:?}");
        assert!(problem.residual(&z).max() <= 1e-13, "{name}");
        assert_eq!(z[3], -0.4, "{name}");
    }
}

#[test]
fn an_empty_problem_is_solved_and_a_broken_one_is_refused() {
    for (name, mut solver) in solvers(1e-12) {
        assert_eq!(solver.solve(&ContactProblem::default(), &mut []).status, Status::Solved, "{name}");
        for broken in [f64::NAN, f64::INFINITY] {
            let mut problem = stack(2, 1.0, 0.1, Cone::Disc);
            problem.q[4] = broken;
            let mut z = vec![0.0; problem.len()];
            assert_eq!(solver.solve(&problem, &mut z).status, Status::Unsupported, "{name}");
            problem.q[4] = 0.0;
            problem.groups[1].law = Law::Contact { friction: broken, cone: Cone::Segment };
            assert_eq!(solver.solve(&problem, &mut z).status, Status::Unsupported, "{name}");
        }
    }
}

#[test]
fn solving_again_allocates_nothing() {
    // the second stack is large enough for the sparse factorisation
    for problem in [stack(10, 1.0, 0.1, Cone::Disc), stack(30, 1.0, 0.1, Cone::Disc)] {
        for (name, mut solver) in solvers(1e-12) {
            let mut z = vec![0.0; problem.len()];
            solver.solve(&problem, &mut z);
            z.fill(0.0);
            let before = COUNT.get();
            solver.solve(&problem, &mut z);
            assert_eq!(COUNT.get() - before, 0, "{name}");
        }
    }
}

#[test]
fn the_same_problem_gives_the_same_bits() {
    let problem = stack(12, 1.0, 0.1, Cone::Disc);
    let mut answers = Vec::new();
    let mut used = Auto::new(1e-12, 1000);
    used.solve(&stack(3, 1.0, 0.1, Cone::Disc), &mut [0.0; 36]);
    for mut solver in [Auto::new(1e-12, 1000), used] {
        let mut z = vec![0.0; problem.len()];
        solver.solve(&problem, &mut z);
        answers.push(z);
    }
    assert_eq!(answers[0], answers[1]);
}
