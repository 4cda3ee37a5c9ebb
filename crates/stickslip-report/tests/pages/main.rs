//! A run directory in, a page out; the summary of a sweep in, a page out.

mod broken;
mod certified;
mod run;
mod sweep;
mod view;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use stickslip_report::{Run, render};

const FILES: [&str; 5] = ["summary.json", "scene.toml", "trajectory.csv", "contacts.csv", "events.jsonl"];

const TAIL: &str = "energy.kinetic,energy.potential,energy.dissipated_friction,energy.dissipated_impact,energy.work_in,\
                    energy.discretisation,energy.imbalance,certificate.complementarity,certificate.cone,\
                    certificate.dissipation,certificate.penetration,certificate.joint,solver.iterations";

const CONTACTS: &str = "t,label,mode,gap,normal_force,friction_1,friction_2,friction_3,slip_1,slip_2,slip_3,\
     point_1,point_2,point_3,normal_1,normal_2,normal_3,tangent_1,tangent_2,tangent_3,coefficient\n";

/// A directory that goes away with the test.
struct Dir(PathBuf);

impl Dir {
    fn new() -> Dir {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("stickslip-report-{}-{n}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Dir(dir)
    }

    fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        fs::write(self.0.join(file), text).unwrap();
    }

    /// Replaces text in a file; the text must be there.
    fn edit(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.0.join(file)).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        self.write(file, text.replace(from, to));
    }

    fn page(&self) -> String {
        render(&Run::read(&self.0).unwrap())
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const SUMMARY: &str = r#"{
  "scene": "bouncing-ball", "stepper": "moreau", "cone": "exact", "solver": "nsgs",
  "step": 0.001, "time": 2.0, "steps": 2000, "wall_seconds": 0.002,
  "bodies": {}, "contacts": [],
  "energy": { "kinetic": 0.0, "potential": 0.5, "dissipated_friction": 0.0, "dissipated_impact": 9.3,
              "work_in": 0.0, "discretisation": 0.001, "imbalance": 1e-15 },
  "certificate": { "complementarity": 3e-13, "cone": 0.0, "dissipation": 0.0, "penetration": 1e-3, "joint": 0.0,
    "tolerance": { "law": 1e-8, "penetration": 0.01, "joint": 1e-8 },
    "worst": { "time": 0.451, "contact": "ball/floor", "what": "complementarity", "value": 3e-13 },
    "missed_steps": 0 },
  "notes": ["height after bounce 1 is <0.1 %> off"]
}"#;

/// A ball of radius 0.05 m dropped from 1 m with restitution 0.5.
fn bouncing_ball(steps: usize) -> Dir {
    let dir = Dir::new();
    let names = ["x", "y", "angle", "vx", "vy", "omega"].map(|part| format!("ball.{part}")).join(",");
    let mut trajectory = format!("t,{names},{TAIL}\n");
    let (mut contacts, mut events) = (CONTACTS.to_string(), String::new());
    let h = 2.0 / steps as f64;
    let (mut y, mut v, mut lost) = (1.05, 0.0, 0.0);
    for k in 0..=steps {
        let t = k as f64 * h;
        if k > 0 {
            let mut after = v - 9.81 * h;
            let rebound = -0.5 * v;
            if y + 0.5 * h * v <= 0.05 && after < rebound {
                let force = (rebound - after) / h;
                let mode = if v < -1e-3 { "slip" } else { "stick" };
                writeln!(
                    contacts,
                    "{t:?},ball/floor,{mode},0.0,{force:?},{:?},,,0.1,,,0.0,0.0,,0.0,1.0,,1.0,0.0,,0.5",
                    0.1 * force
                )
                .unwrap();
                writeln!(events, r#"{{"t":{t:?},"kind":"impact","contact":"ball/floor","value":{v:?}}}"#)
                    .unwrap();
                lost += 0.5 * (v * v - rebound * rebound);
                after = rebound;
            }
            y += 0.5 * h * (v + after);
            v = after;
        }
        let (kinetic, potential) = (0.5 * v * v, 9.81 * y);
        writeln!(
            trajectory,
            "{t:?},0.05,{y:?},0.0,0.0,{v:?},0.0,{kinetic:?},{potential:?},0.0,{lost:?},0.0,0.0,1e-16,3e-13,0.0,0.0,0.0,0.0,2"
        )
        .unwrap();
    }
    dir.write("summary.json", SUMMARY);
    dir.write("scene.toml", "# <script>alert('scene')</script>\n");
    dir.write("trajectory.csv", trajectory);
    dir.write("contacts.csv", contacts);
    dir.write("events.jsonl", events);
    dir
}
