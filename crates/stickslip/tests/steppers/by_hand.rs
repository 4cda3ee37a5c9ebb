//! Simulations that somebody holds in hand: paused, pushed, put elsewhere, recorded in memory.

use std::path::PathBuf;
use stickslip::loaded::{Constant, Load, Loaded};
use stickslip::record::Record;
use stickslip::recorder::{Recorder, write_record};
use stickslip::simulation::{Settings, Simulation};
use stickslip::state::State;
use stickslip_scene::{Overrides, Scene, load};

fn scene(name: &str, set: &[&str]) -> Scene {
    let set = set.iter().map(|s| (*s).to_owned()).collect();
    load(name, &Overrides { set, ..Overrides::default() }).unwrap()
}

fn settings(scene: &Scene) -> Settings {
    Settings { step: scene.step, until: f64::INFINITY, tolerance: scene.tolerance }
}

fn start(scene: &Scene) -> Simulation<'_> {
    Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings(scene))
}

#[test]
fn a_pause_between_steps_changes_nothing() {
    for name in ["woodpecker", "four-bar", "box-stack"] {
        let scene = scene(name, &[]);
        let (mut plain, mut held) = (start(&scene), start(&scene).pause());
        for _ in 0..30 {
            plain.advance().unwrap();
            let mut going = Simulation::resume(scene.system.as_ref(), held);
            going.advance().unwrap();
            held = going.pause();
        }
        let held = Simulation::resume(scene.system.as_ref(), held);
        assert_eq!((held.state(), held.ledger()), (plain.state(), plain.ledger()), "{name}");
    }
}

/// A sphere far above the floor, without gravity.
const FLYING: [&str; 4] =
    ["world.gravity=[0, 0, 0]", "body.sphere.position=[0, 0, 5]", "speed=0", "simulation.step=0.01"];

#[test]
fn a_load_is_momentum_over_time_and_its_work_is_put_in() {
    let scene = scene("slide-to-roll", &FLYING);
    for stepper in ["stewart-trinkle", "moreau", "anitescu-potra"] {
        let overrides = Overrides { stepper: Some(stepper.to_owned()), ..Overrides::default() };
        let scene = stickslip_scene::parse("s", &scene.text, &overrides).unwrap();
        let mut held = start(&scene).pause();
        // on, off, and the other way round: no step may see the load of another
        for (force, speed) in [(3.0, 0.3), (0.0, 0.3), (-1.0, 0.2), (5.0, 0.7)] {
            let push = [0.0, force, 0.0, 0.0, 0.0, 0.0];
            let load = Constant(&push);
            let loads: [&dyn Load; 1] = [&load];
            let loaded = Loaded { system: scene.system.as_ref(), loads: &loads };
            let mut going = Simulation::resume(&loaded, held);
            for _ in 0..10 {
                assert!(going.advance().unwrap());
            }
            // mass 1 kg, ten steps of 0.01 s
            assert!((going.state().u[1] - speed).abs() < 1e-14, "{stepper}: {}", going.state().u[1]);
            let work = going.ledger().work_in;
            assert!((work - 0.5 * speed * speed).abs() < 1e-14, "{stepper}: work {work}");
            held = going.pause();
        }
    }
}

/// A spring of 4 N/m to y = 0.25 m.
struct Spring;

impl Load for Spring {
    fn add(&self, at: &State, out: &mut [f64]) {
        out[1] += 1.0 - 4.0 * at.q[1];
    }
}

#[test]
fn a_load_that_depends_on_the_state_makes_an_oscillator() {
    let mut errors = Vec::new();
    for step in ["simulation.step=2e-3", "simulation.step=1e-3"] {
        let scene = scene("slide-to-roll", &[FLYING[0], FLYING[1], FLYING[2], step]);
        let loads: [&dyn Load; 1] = [&Spring];
        let loaded = Loaded { system: scene.system.as_ref(), loads: &loads };
        let mut simulation = Simulation::new(&loaded, scene.stepper.build(), settings(&scene));
        let mut worst = 0.0f64;
        while simulation.state().t < 0.5 {
            simulation.advance().unwrap();
            let state = simulation.state();
            worst = worst.max((state.q[1] - 0.25 * (1.0 - (2.0 * state.t).cos())).abs());
        }
        errors.push(worst);
    }
    println!("oscillator by a load: errors {errors:?} m at steps of 2e-3 and 1e-3 s");
    assert!((1.9..2.1).contains(&(errors[0] / errors[1])), "first order: {errors:?}");
}

#[test]
fn a_system_put_elsewhere_goes_on_as_if_it_began_there() {
    let (slow, fast) = (scene("slide-to-roll", &["speed=1"]), scene("slide-to-roll", &["speed=2"]));
    let (mut moved, mut begun) = (start(&fast), start(&slow));
    for _ in 0..3 {
        moved.advance().unwrap();
    }
    let there = begun.state().clone();
    moved.place(&there.q, &there.u);
    assert_eq!(moved.ledger().kinetic, begun.ledger().kinetic);
    for _ in 0..5 {
        moved.advance().unwrap();
        begun.advance().unwrap();
        assert_eq!((&moved.state().q, &moved.state().u), (&begun.state().q, &begun.state().u));
    }
    let mut off = there.q.clone();
    off[3..7].iter_mut().for_each(|x| *x *= 1.5);
    moved.place(&off, &there.u);
    assert!(moved.state().q.iter().zip(&there.q).all(|(a, b)| (a - b).abs() < 1e-15));
}

/// A directory of this test that is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stickslip-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_record_in_memory_becomes_the_files_of_a_run() {
    for name in ["woodpecker", "slide-to-roll", "four-bar"] {
        let scene = scene(name, &["tolerance.penetration=1e-9"]);
        let (streamed, kept) =
            (Folder::new(&format!("{name}-streamed")), Folder::new(&format!("{name}-kept")));
        let settings = Settings { step: scene.step, until: 40.5 * scene.step, tolerance: scene.tolerance };
        let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
        let mut recorder = Recorder::new(&streamed.0, &simulation, 3).unwrap();
        let mut record = Record::new(&simulation, 3);
        while !simulation.is_done() {
            simulation.advance().unwrap();
            recorder.take(&simulation).unwrap();
            record.take(&simulation);
        }
        recorder.finish().unwrap();
        write_record(&kept.0, scene.system.as_ref(), &record, &record.rows).unwrap();
        let mut names: Vec<_> =
            std::fs::read_dir(&streamed.0).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert!(names.len() >= 4, "{names:?}");
        for file in names {
            let [a, b] = [&streamed, &kept].map(|dir| std::fs::read(dir.0.join(&file)).unwrap());
            assert!(a == b, "{name}: {file:?}");
        }
        let last = record.rows.chunks_exact(record.columns.len()).next_back().unwrap();
        assert_eq!(last[..last.len() - 1], Record::row(&simulation)[..last.len() - 1]);
    }
}
