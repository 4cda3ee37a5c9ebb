use super::*;
use crate::context::Context;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// Reads `f = text` with the parameter `a` = 2; the function, or what is wrong with it.
fn read_in(text: &str, folder: Option<&Path>, until: Option<f64>) -> Result<Arc<dyn Function>, String> {
    let text = format!("f = {text}");
    let table = DeTable::parse(&text).map_err(|e| e.to_string())?;
    let cx = Context::new(folder);
    cx.set_parameter("a", 2.0);
    if let Some(until) = until {
        cx.set_until(until);
    }
    let root = Cursor::new(&cx, table.get_ref(), 0..0, "the scene".to_owned());
    let function = root.get("f").and_then(|e| time_function(&e));
    let faults: Vec<String> = cx
        .into_faults()
        .iter()
        .map(|f| format!("{}: {}; expected {}", f.span.start, f.message, f.expected))
        .collect();
    function.ok_or(faults.join("\n"))
}

fn read(text: &str) -> Arc<dyn Function> {
    read_in(text, None, None).unwrap_or_else(|e| panic!("{e}"))
}

/// Rate and acceleration against differences of fourth order.
fn check_derivatives(f: &dyn Function, times: &[f64]) {
    let h = 1e-4;
    for &t in times {
        let slope = |g: &dyn Fn(f64) -> f64| {
            (8.0 * (g(t + h) - g(t - h)) - (g(t + 2.0 * h) - g(t - 2.0 * h))) / (12.0 * h)
        };
        let (rate, acceleration) = (slope(&|t| f.value(t)), slope(&|t| f.rate(t)));
        assert!((f.rate(t) - rate).abs() < 1e-8 * rate.abs().max(1.0), "{f:?} at {t}: {} {rate}", f.rate(t));
        let error = (f.acceleration(t) - acceleration).abs();
        assert!(
            error < 1e-7 * acceleration.abs().max(1.0),
            "{f:?} at {t}: {} {acceleration}",
            f.acceleration(t)
        );
    }
}

#[test]
fn functions_are_what_they_say_and_have_derivatives() {
    for (text, t, expected) in [
        ("3", 7.0, 3.0),
        ("\"a + 1\"", 7.0, 3.0),
        ("\"0.5*sin(3*t)\"", 0.4, 0.5 * 1.2f64.sin()),
        ("\"-0.5 + 0.25*t^2\"", 2.0, 0.5),
        ("\"exp(-a*t)*cos(t)\"", 1.0, (-2.0f64).exp() * 1.0f64.cos()),
        ("{ polynomial = [0.3, \"-a\", 4] }", 0.5, 0.3),
        ("{ sine = { amplitude = 0.5, rate = 3 } }", 0.4, 0.5 * 1.2f64.sin()),
        ("{ sine = { amplitude = 0.5, rate = 3, phase = 0.3, offset = -1 } }", 0.4, 0.5 * 1.5f64.sin() - 1.0),
        (
            "{ shaker = { acceleration = 9, frequency = \"3/(2*pi)\", phase = 0.2, mean = 1 } }",
            0.1,
            1.0 - 0.5f64.sin(),
        ),
    ] {
        let f = read(text);
        assert!((f.value(t) - expected).abs() < 1e-15, "{text}: {}", f.value(t));
        check_derivatives(f.as_ref(), &[0.0, 0.31, 1.7]);
    }
}

#[test]
fn the_shaker_swings_about_zero_with_the_acceleration_asked_for() {
    // [Berard 2009, §5.3]: the Centrifuge field, 100 sin(66 pi t + pi/2) rad/s² about x
    let f = read("{ shaker = { acceleration = 100, frequency = 33, phase = \"pi/2\" } }");
    let samples: Vec<f64> = (0..1000).map(|i| f.value(i as f64 / 33_000.0)).collect();
    let mean = samples.iter().sum::<f64>() / 1000.0;
    let (low, high) = samples.iter().fold((0.0f64, 0.0f64), |(l, h), &x| (l.min(x), h.max(x)));
    assert!(mean.abs() < 1e-15 && (low + high).abs() < 1e-15, "{mean} {low} {high}");
    let amplitude = 100.0 / (66.0 * std::f64::consts::PI).powi(2);
    assert!((high - amplitude).abs() < 1e-15);
    // half the angle at the start is the paper's quaternion entry -0.00116298, to its rounding
    assert!((0.5 * f.value(0.0) + 0.00116298).abs() < 1e-7, "{}", f.value(0.0));
    assert!((f.acceleration(0.0) - 100.0).abs() < 1e-12 && f.rate(0.0).abs() < 1e-12);
}

#[test]
fn lists_have_as_many_functions_as_there_are_axes() {
    let read = |text: &str| {
        let text = format!("f = {text}");
        let table = DeTable::parse(&text).unwrap();
        let cx = Context::new(None);
        let root = Cursor::new(&cx, table.get_ref(), 0..0, "the scene".to_owned());
        let read = root.get("f").and_then(|e| time_functions::<2>(&e));
        let faults = cx.into_faults();
        read.map(|f| f.map(|f| f.value(2.0))).ok_or(faults.first().map(|f| f.message.clone()))
    };
    assert_eq!(read("[1, \"3*t\"]"), Ok([1.0, 6.0]));
    assert_eq!(read("[1]"), Err(Some("`f` has 1 entries".to_owned())));
    assert_eq!(read("1"), Err(Some("`f` is a number".to_owned())));
    assert_eq!(read("[1, \"3*s\"]"), Err(Some("unknown name `s` in the formula for `f[1]`".to_owned())));
}

/// A folder of its own with a file in it.
fn folder(test: &str, csv: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stickslip-scene-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("motion.csv"), csv).unwrap();
    folder
}

const TABLE: &str = "{ table = \"motion.csv\", column = \"x\" }";

#[test]
fn tables_reproduce_parabolas_and_are_smooth() {
    let times = [-0.5, 0.0, 0.3, 1.0, 1.4, 2.0];
    let rows: String = times.iter().map(|t| format!("{}, {t}, 0\n", 1.0 - 2.0 * t + 3.0 * t * t)).collect();
    let folder = folder("parabola", &format!("x, t, other\n{rows}"));
    let f = read_in(TABLE, Some(&folder), Some(2.0)).unwrap();
    for t in [0.0, 0.1, 0.3, 0.77, 1.2, 1.9, 2.0] {
        assert!((f.value(t) - (1.0 - 2.0 * t + 3.0 * t * t)).abs() < 1e-13, "{t}: {}", f.value(t));
        assert!((f.rate(t) - (6.0 * t - 2.0)).abs() < 1e-12 && (f.acceleration(t) - 6.0).abs() < 1e-11);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn tables_of_a_sine_converge_and_their_rate_is_continuous() {
    let error = |n: usize| {
        let t: Vec<f64> = (0..=n).map(|i| 3.0 * i as f64 / n as f64).collect();
        let x = t.iter().map(|t| t.sin()).collect();
        let f = table::Table::new(t.clone(), x);
        for knot in &t[1..n] {
            assert!((f.rate(knot - 1e-12) - f.rate(knot + 1e-12)).abs() < 1e-9);
        }
        check_derivatives(&f, &[0.1234, 1.01, 2.345]);
        (0..1000).map(|i| i as f64 * 0.003).fold(0.0f64, |m, t| m.max((f.value(t) - t.sin()).abs()))
    };
    let (coarse, fine) = (error(30), error(60));
    assert!(coarse < 1e-3 && coarse / fine > 7.0, "{coarse:e} {fine:e}");
}

#[test]
fn broken_functions_say_what_is_wrong() {
    for (text, expected) in [
        ("true", "`f` is a boolean; expected a number, a formula of t"),
        ("nan", "`f` is NaN"),
        ("\"sin(s)\"", "9: unknown name `s` in the formula for `f`; expected `t`, or"),
        ("\"sin(t\"", "the expression ends too early"),
        ("\"1/t\"", "`f` is inf at t = 0; expected a formula that is smooth there"),
        ("\"sqrt(t)\"", "the rate of `f` is inf at t = 0"),
        ("{}", "`f` is not one function of time; expected one of `polynomial`"),
        ("{ polynomial = [1], shaker = {} }", "`f` is not one function of time"),
        ("{ polynomial = [1], column = \"x\" }", "`f` is not one function of time"),
        ("{ polynomial = [] }", "`polynomial` has 0 entries; expected a list of 1 to 64"),
        ("{ polynomial = [1, \"t\"] }", "unknown name `t` in the formula for `polynomial[1]`"),
        ("{ sine = { amplitude = 1 } }", "`sine` has no `rate`"),
        ("{ spline = [1] }", "unknown key `spline` in `f`"),
        ("{ shaker = { acceleration = 1, phase = 0 } }", "`shaker` has no `frequency`"),
        (
            "{ shaker = { acceleration = 1, frequency = 0, phase = 0 } }",
            "`frequency` is 0.0; expected a number greater",
        ),
        ("{ shaker = { acceleration = 1, frequency = 1e-200, phase = 1 } }", "beyond the range of numbers"),
        ("{ table = \"motion.csv\" }", "`table` has no `column`"),
        (TABLE, "there is no folder to find \"motion.csv\" in; expected a scene that is read from a file"),
    ] {
        let error = read_in(text, None, None).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn broken_tables_say_in_which_line() {
    for (csv, expected) in [
        ("", "motion.csv:1: there is no column `t`"),
        ("t,y\n0,1\n1,2\n", "motion.csv:1: there is no column `x`; expected `t` (one of `t`, `y`)"),
        ("t,x,x\n0,1,1\n1,2,2\n", "motion.csv:1: two columns are named `x`"),
        ("t,x\n0,1\n", "motion.csv:2: the file ends after 1 rows; expected two rows"),
        ("t,x\n0,1\n\n1,2\n", "motion.csv:3: the line has 1 values; expected 2 as in the first line"),
        ("t,x\n0,1\n1,\n2,2\n", "motion.csv:3: `x` is \"\"; expected a finite number"),
        ("t,x\n0,1\n1,nan\n", "motion.csv:3: `x` is \"nan\"; expected a finite number"),
        ("t,x\n0,1\n1,1e999\n", "motion.csv:3: `x` is \"1e999\"; expected a finite number"),
        ("t,x\n0,1\n1,2\n1,3\n", "motion.csv:4: t is 1.0 after 1.0; expected times that increase"),
        ("t,x\n0.5,1\n9,2\n", "the table reaches from 0.5 to 9.0 s; expected all times from 0 to 5.0 s"),
        ("t,x\n0,1\n4,2\n", "the table reaches from 0.0 to 4.0 s; expected all times from 0 to 5.0 s"),
    ] {
        let folder = folder("broken", csv);
        let error = read_in(TABLE, Some(&folder), Some(5.0)).unwrap_err();
        assert!(error.contains(expected), "{csv:?}: {error}");
    }
}

#[test]
fn tables_cannot_be_read_from_outside_the_folder() {
    let folder = folder("outside", "t,x\n0,1\n9,2\n");
    let inner = folder.join("inner");
    std::fs::create_dir_all(&inner).unwrap();
    for path in ["../motion.csv", "a/../../motion.csv", "/etc/passwd", ""] {
        let text = format!("{{ table = \"{path}\", column = \"x\" }}");
        let error = read_in(&text, Some(&inner), None).unwrap_err();
        assert!(error.contains("leaves the scene's folder"), "{path}: {error}");
    }
    for (path, expected) in [("motion.csv", "cannot be read"), (".", "is no file")] {
        let text = format!("{{ table = \"{path}\", column = \"x\" }}");
        let error = read_in(&text, Some(&inner), None).unwrap_err();
        assert!(error.contains(expected), "{path}: {error}");
    }
    #[cfg(unix)]
    {
        let _ = std::os::unix::fs::symlink(folder.join("motion.csv"), inner.join("link.csv"));
        let error = read_in("{ table = \"link.csv\", column = \"x\" }", Some(&inner), None).unwrap_err();
        assert!(error.contains("leads out of the scene's folder"), "{error}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_examples_of_the_reference_are_functions() {
    let reference = include_str!("../../../../docs/scene-files.md");
    let block =
        reference.split("```toml functions\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = folder("reference", "t,x\n0,1\n9,2\n");
    for line in block.lines() {
        let (_, value) = line.split_once(" = ").unwrap();
        let f = read_in(value, Some(&folder), Some(9.0)).unwrap_or_else(|e| panic!("{line}: {e}"));
        check_derivatives(f.as_ref(), &[0.3]);
    }
    assert_eq!(block.lines().count(), 6);
    std::fs::remove_dir_all(&folder).unwrap();
}
