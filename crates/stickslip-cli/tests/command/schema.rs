//! `stickslip schema`: what it says of scene and study files is so.

use crate::common::outcome;
use crate::json_schema::faults;
use serde_json::Value;
use stickslip_scene::Overrides;

fn schema(files: &str) -> Value {
    let (code, out, err) = outcome(&["schema", files]);
    assert_eq!((code, err.as_str()), (0, ""));
    serde_json::from_str(&out).expect("JSON")
}

fn json(text: &str) -> toml::Table {
    text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn found(schema: &Value, table: &toml::Table) -> Vec<String> {
    faults(schema, &serde_json::to_value(table).unwrap())
}

#[test]
fn every_built_in_scene_and_study_validates() {
    let scenes = schema("scene");
    for (name, text) in stickslip_scene::builtin() {
        assert_eq!(found(&scenes, &json(text)), Vec::<String>::new(), "{name}");
    }
    let studies = schema("study");
    for (name, text) in stickslip_study::builtin() {
        assert_eq!(found(&studies, &json(text)), Vec::<String>::new(), "{name}");
    }
    println!("{} scenes, {} studies", stickslip_scene::builtin().len(), stickslip_study::builtin().len());
    // a scene is no study, and without an argument it is about scenes
    assert!(!found(&studies, &json(stickslip_scene::builtin()[0].1)).is_empty());
    assert_eq!(outcome(&["schema"]).1, outcome(&["schema", "scene"]).1);
    assert_eq!(outcome(&["schema", "cake"]).0, 2);
}

/// The paths to all values of a table; of lists the first element speaks for all.
fn paths(value: &toml::Value, path: &mut Vec<String>, out: &mut Vec<Vec<String>>) {
    let inner: Vec<(String, &toml::Value)> = match value {
        toml::Value::Table(table) => table.iter().map(|(k, v)| (k.clone(), v)).collect(),
        toml::Value::Array(list) => list.iter().take(1).map(|v| (String::new(), v)).collect(),
        _ => Vec::new(),
    };
    for (step, inner) in inner {
        path.push(step);
        out.push(path.clone());
        paths(inner, path, out);
        path.pop();
    }
}

fn at<'a>(whole: &'a mut toml::Value, path: &[String]) -> &'a mut toml::Value {
    path.iter().fold(whole, |value, step| match value {
        toml::Value::Array(list) => &mut list[0],
        other => &mut other[step.as_str()],
    })
}

#[test]
fn what_the_schema_refuses_the_reader_refuses() {
    let schema = schema("scene");
    let table = |key: &str| toml::Value::Table([(key.to_owned(), 1.into())].into_iter().collect());
    let wrong: [toml::Value; 5] =
        [true.into(), (-1).into(), "no such thing!".into(), toml::Value::Array(Vec::new()), table("zzz")];
    let (mut tried, mut refused) = (0, 0);
    for (name, text) in stickslip_scene::builtin().iter().filter(|(_, text)| text.len() < 1500) {
        let whole = toml::Value::Table(json(text));
        let mut all = Vec::new();
        paths(&whole, &mut Vec::new(), &mut all);
        for path in all {
            for value in &wrong {
                let mut changed = whole.clone();
                *at(&mut changed, &path) = value.clone();
                let faults = faults(&schema, &serde_json::to_value(&changed).unwrap());
                tried += 1;
                if faults.is_empty() {
                    continue;
                }
                refused += 1;
                let text = toml::to_string(&changed).unwrap();
                let read = stickslip_scene::parse(name, &text, &Overrides::default());
                assert!(read.is_err(), "{name}: the reader takes {} = {value}: {faults:?}", path.join("."));
            }
            // a key that nobody knows, wherever there is a table that has none of the scene's own names
            let mut changed = whole.clone();
            if let (toml::Value::Table(table), false) = (at(&mut changed, &path), path[0] == "parameters") {
                table.insert("colour".to_owned(), 1.into());
                assert!(
                    !faults(&schema, &serde_json::to_value(&changed).unwrap()).is_empty(),
                    "{name}: {path:?}"
                );
                let read =
                    stickslip_scene::parse(name, &toml::to_string(&changed).unwrap(), &Overrides::default());
                assert!(read.is_err(), "{name}: {path:?}");
            }
        }
    }
    println!("{tried} changes, {refused} refused by the schema, all of them by the reader");
    assert!(refused > tried / 3);
}

#[test]
fn the_schema_refuses_what_is_missing_and_unknown_in_studies() {
    let schema = schema("study");
    let text = stickslip_study::builtin::find("grasp-map").unwrap();
    let good = json(text);
    type Change = (&'static str, fn(&mut toml::Table));
    let changes: [Change; 5] = [
        ("no scene", |t| drop(t["study"].as_table_mut().unwrap().remove("scene"))),
        ("unknown key", |t| drop(t.insert("colour".to_owned(), 1.into()))),
        ("unknown kind", |t| t["study"]["kind"] = "guess".into()),
        ("wrong type", |t| t["parameters"]["x"] = toml::Value::Array(Vec::new())),
        ("unknown way", |t| {
            t["parameters"]["x"].as_table_mut().unwrap().insert("guess".to_owned(), 1.into());
        }),
    ];
    for (what, change) in changes {
        let mut bad = good.clone();
        change(&mut bad);
        assert!(!found(&schema, &bad).is_empty(), "{what}");
        let read = stickslip_study::Study::parse("bad", &toml::to_string(&bad).unwrap(), None);
        assert!(read.is_err(), "{what}");
    }
}
