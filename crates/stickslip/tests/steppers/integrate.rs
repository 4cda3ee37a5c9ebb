//! Runge–Kutta pairs against known solutions.

use stickslip::integrate::{Accuracy, Pair, RungeKutta, integrate};

/// A pendulum-like test with a known solution: y = (sin, cos) of t² / 2, through y' = t (y1, −y0).
fn turning(t: f64, y: &[f64], out: &mut [f64]) {
    out[0] = t * y[1];
    out[1] = -t * y[0];
}

/// The error at t = 2 with `steps` equal steps, at their ends and halfway between them.
fn errors(pair: Pair, steps: usize) -> [f64; 2] {
    let mut method = RungeKutta::new(pair);
    let h = 2.0 / steps as f64;
    let mut y = vec![0.0, 1.0];
    let mut worst = [0.0f64; 2];
    let mut middle = [0.0; 2];
    method.begin(&mut turning, 0.0, &y);
    for i in 0..steps {
        let t = i as f64 * h;
        method.attempt(&mut turning, t, &y, h);
        method.finish(&mut turning, t + h);
        method.dense(&y, h, 0.5, &mut middle);
        y.copy_from_slice(method.end());
        method.advance();
        let off = |t: f64, y: &[f64]| (y[0] - (t * t / 2.0).sin()).hypot(y[1] - (t * t / 2.0).cos());
        worst[0] = worst[0].max(off(t + h, &y));
        worst[1] = worst[1].max(off(t + 0.5 * h, &middle));
    }
    worst
}

#[test]
fn pairs_converge_with_their_order_and_so_does_the_dense_output() {
    for (pair, steps, orders) in [(Pair::Five, 32, [5.0, 5.0]), (Pair::Eight, 12, [8.0, 4.0])] {
        let (coarse, fine) = (errors(pair, steps), errors(pair, 2 * steps));
        for k in 0..2 {
            let order = (coarse[k] / fine[k]).log2();
            println!("{pair:?}: errors {:e} {:e}, order {order:.2}", coarse[k], fine[k]);
            // dense output of local order p + 1 has global order min(p + 1, that of the steps)
            assert!((order - orders[k]).abs() < 0.5, "{pair:?} {k}: {order}");
        }
    }
}

/// The orbit of Arenstorf: back at its start after one period, a hard test of step control
/// (Hairer, Nørsett, Wanner I, §II.0).
#[test]
fn step_control_closes_the_arenstorf_orbit() {
    const MU: f64 = 0.012277471;
    let mut f = |_: f64, y: &[f64], out: &mut [f64]| {
        let (m, x) = (1.0 - MU, [y[0] + MU, y[0] - 1.0 + MU]);
        let d = x.map(|x| (x * x + y[1] * y[1]).powf(1.5));
        out[0] = y[2];
        out[1] = y[3];
        out[2] = y[0] + 2.0 * y[3] - m * x[0] / d[0] - MU * x[1] / d[1];
        out[3] = y[1] - 2.0 * y[2] - m * y[1] / d[0] - MU * y[1] / d[1];
    };
    let start = [0.994, 0.0, 0.0, -2.001_585_106_379_082_5];
    let period = 17.065_216_560_157_96;
    let mut work = [0; 2];
    for (i, pair) in [Pair::Five, Pair::Eight].into_iter().enumerate() {
        let mut y = start;
        let accuracy = Accuracy { absolute: 1e-13, relative: 1e-13 };
        let mut method = RungeKutta::new(pair);
        let count = integrate(&mut method, &mut f, (0.0, period, 1e-3), &mut y, (accuracy, 100_000));
        let off = (y[0] - start[0]).hypot(y[1]);
        println!("{pair:?}: {count:?}, misses its start by {off:e}");
        assert!(count.finished && off < 1e-6, "{pair:?} {count:?} {off:e}");
        work[i] = count.accepted;
    }
    assert!(3 * work[1] < work[0], "the high order is for high accuracy: {work:?}");
}

#[test]
fn a_blow_up_ends_before_its_time_instead_of_running_for_ever() {
    // y' = y², y = 1 / (1 − t)
    let mut y = [1.0];
    let accuracy = Accuracy { absolute: 1e-9, relative: 1e-9 };
    let mut square = |_: f64, y: &[f64], out: &mut [f64]| out[0] = y[0] * y[0];
    let mut method = RungeKutta::new(Pair::Five);
    let count = integrate(&mut method, &mut square, (0.0, 2.0, 0.1), &mut y, (accuracy, 10_000));
    println!("{count:?}, y = {:e}", y[0]);
    assert!(!count.finished);
}

#[test]
fn backwards_in_time_leads_back() {
    let accuracy = Accuracy { absolute: 1e-12, relative: 1e-12 };
    let mut method = RungeKutta::new(Pair::Eight);
    let mut y = [0.3, -0.7];
    let mut f = turning;
    assert!(integrate(&mut method, &mut f, (0.5, 3.0, 0.1), &mut y, (accuracy, 1000)).finished);
    assert!((y[0] - 0.3).abs() > 0.1);
    assert!(integrate(&mut method, &mut f, (3.0, 0.5, 0.1), &mut y, (accuracy, 1000)).finished);
    assert!((y[0] - 0.3).abs() < 1e-10 && (y[1] + 0.7).abs() < 1e-10, "{y:?}");
}
