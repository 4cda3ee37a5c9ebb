//! Two-channel encoders: from the levels of channels a and b to angles [Gomez 2008, app. A.1].
//!
//! A wheel with n transitions a turn shows one of four states, and its neighbours differ in one channel (Gray's code):
//!
//! ```text
//! count mod 4:   0    1    2    3                                                     (1)
//! a b:           00   10   11   01
//! ```
//!
//! From sample to sample the state moves to a neighbour, forward or back, or stays: the count is known up to where it began.
//! Between counts c − 1 and c lies line c, at the angle `2 pi c / n` from line 0; it was passed between the two samples, so
//! the angle is known at their middle, to the speed times half a sample:
//!
//! ```text
//! theta((t_k−1 + t_k)/2) = 2 pi c / n + offset                                         (2)
//! ```
//!
//! in either direction: reversals need no special treatment. The offset (where line 0 stands) is for whoever fits to find. When both
//! channels change at once a transition was missed, and which way is not known: [`Missed`] is kept for each.

use std::f64::consts::TAU;

/// A sample at which both channels changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Missed {
    /// Which sample, from 0.
    pub sample: usize,
    /// When, s.
    pub t: f64,
}

/// Angles at the times of transitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decoded {
    /// Middles of the samples between which a line was passed, s.
    pub times: Vec<f64>,
    /// Angles of the lines, rad, eq. (2) without the offset.
    pub angles: Vec<f64>,
    /// Where transitions were missed.
    pub missed: Vec<Missed>,
}

/// Decodes levels, true for high. Where both channels change at once the motion is taken to go on as before, two lines in one
/// sample, and nothing is said about the angle there: the caller decides whether that will do.
pub fn decode(times: &[f64], a: &[bool], b: &[bool], per_turn: u32) -> Decoded {
    let line = TAU / f64::from(per_turn);
    let mut out = Decoded::default();
    let (mut count, mut forward) = (0i64, true);
    let samples = times.len().min(a.len()).min(b.len());
    for k in 1..samples {
        let step = (place(a[k], b[k]) - place(a[k - 1], b[k - 1])).rem_euclid(4);
        match step {
            1 | 3 => {
                forward = step == 1;
                // forward passes the line ahead, back the line below
                let passed = if forward { count + 1 } else { count };
                count += if forward { 1 } else { -1 };
                out.times.push(0.5 * (times[k - 1] + times[k]));
                out.angles.push(line * passed as f64);
            }
            2 => {
                out.missed.push(Missed { sample: k, t: times[k] });
                count += if forward { 2 } else { -2 };
            }
            _ => {}
        }
    }
    out
}

/// eq. (1).
fn place(a: bool, b: bool) -> i64 {
    match (a, b) {
        (false, false) => 0,
        (true, false) => 1,
        (true, true) => 2,
        (false, true) => 3,
    }
}

/// The channels that an encoder shows for angles (rad), with lines at `2 pi (c + jitter) / per_turn` from an offset (rad); the
/// jitter of a line is drawn anew each time the wheel comes to it, in parts of a line.
pub fn encode(
    angles: &[f64],
    per_turn: u32,
    offset: f64,
    jitter: &mut dyn FnMut() -> f64,
) -> (Vec<bool>, Vec<bool>) {
    let line = TAU / f64::from(per_turn);
    let turns = |angle: f64| (angle - offset) / line;
    let mut count = angles.first().map_or(0.0, |angle| turns(*angle).floor());
    let (mut below, mut above) = (0.0, jitter());
    let (mut a, mut b) = (Vec::with_capacity(angles.len()), Vec::with_capacity(angles.len()));
    for &angle in angles {
        let x = turns(angle);
        while x >= count + 1.0 + above {
            (below, above, count) = (above, jitter(), count + 1.0);
        }
        while x < count + below {
            (above, below, count) = (below, jitter(), count - 1.0);
        }
        let state = count.rem_euclid(4.0) as u8;
        a.push(state == 1 || state == 2);
        b.push(state == 2 || state == 3);
    }
    (a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swings_with_reversals_are_decoded_to_a_sample() {
        let (per_turn, dt) = (1000, 1e-4);
        let angle = |t: f64| 1.3 * (5.0 * t).sin() - 0.2;
        let times: Vec<f64> = (0..40_000).map(|k| dt * f64::from(k)).collect();
        let angles: Vec<f64> = times.iter().map(|t| angle(*t)).collect();
        let offset = 2e-3;
        let (a, b) = encode(&angles, per_turn, offset, &mut || 0.0);
        let decoded = decode(&times, &a, &b, per_turn);
        assert!(decoded.missed.is_empty());
        // line 0 is the one just below the start
        let line = TAU / f64::from(per_turn);
        let zero = offset + line * ((angles[0] - offset) / line).floor();
        let worst = decoded.times.iter().zip(&decoded.angles);
        let worst = worst.fold(0.0f64, |m, (t, x)| m.max((x + zero - angle(*t)).abs()));
        println!("{} transitions, worst error {worst:.2e} rad", decoded.times.len());
        assert!(decoded.times.len() > 2000 && worst < 0.5 * dt * 6.5 + 1e-12);
    }

    #[test]
    fn missed_transitions_are_told() {
        // slow enough but for a stretch at three lines a sample and a half
        let times: Vec<f64> = (0..100).map(f64::from).collect();
        let line = TAU / 1000.0;
        let angles: Vec<f64> = (0..100)
            .map(|k| line * (if k < 50 { 0.3 * f64::from(k) } else { 1.7 * f64::from(k) - 70.0 }))
            .collect();
        let (a, b) = encode(&angles, 1000, 0.0, &mut || 0.0);
        let decoded = decode(&times, &a, &b, 1000);
        println!("{} missed", decoded.missed.len());
        assert!(decoded.missed.len() > 20 && decoded.missed[0].sample >= 50);
        // the direction does not change: what was missed is made up for, and the last line known is where the wheel was
        let (t, last) = (decoded.times.last().unwrap(), decoded.angles.last().unwrap());
        let there = line * (1.7 * t - 70.0);
        assert!((last - there).abs() < 1.7 * line, "{last} {there}");
    }
}
