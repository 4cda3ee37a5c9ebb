//! Ten unit cubes at rest on each other: a hyperstatic problem of forty contacts.

use crate::common;

#[test]
fn stands_still_and_every_step_is_certified() {
    let scene = common::scene("box-stack", &[]);
    assert_eq!((scene.until, scene.step, scene.tolerance.law), (5.0, 0.01, 1e-8));
    let start = scene.system.initial();
    let (mut drift, mut contacts) = (0.0f64, 0);
    let end = common::run(&scene, |s| {
        contacts = s.last().outcomes.len();
        for (now, then) in s.state().q.chunks(7).zip(start.q.chunks(7)) {
            drift = drift.max((now[0] - then[0]).hypot(now[1] - then[1]));
        }
    });
    assert_eq!(contacts, 40);
    assert!(drift < 1e-9, "drift {drift:e}");
    assert!(end.certificate().worst.penetration < 1e-9, "{:?}", end.certificate());
    assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
}
