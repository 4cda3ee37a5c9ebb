//! A validator for the part of JSON Schema that `stickslip schema` uses. What it does not know is an error, not a pass;
//! only `pattern` is left aside.

use serde_json::{Map, Value};

/// What is wrong with a value, or nothing.
pub fn faults(root: &Value, value: &Value) -> Vec<String> {
    let mut out = Vec::new();
    check(root, root, value, "", &mut out);
    out
}

fn check(root: &Value, schema: &Value, value: &Value, path: &str, out: &mut Vec<String>) {
    let schema = schema.as_object().expect("a schema is an object");
    for (word, rule) in schema {
        let good = match word.as_str() {
            "$schema" | "$defs" | "title" | "description" | "pattern" => true,
            "$ref" => {
                let pointer = rule.as_str().unwrap().strip_prefix('#').unwrap();
                let target = root.pointer(pointer).unwrap_or_else(|| panic!("{pointer} leads nowhere"));
                check(root, target, value, path, out);
                true
            }
            "type" => match rule {
                Value::Array(types) => types.iter().any(|t| is(value, t.as_str().unwrap())),
                one => is(value, one.as_str().unwrap()),
            },
            "enum" => rule.as_array().unwrap().contains(value),
            "anyOf" => rule.as_array().unwrap().iter().any(|inner| {
                let mut faults = Vec::new();
                check(root, inner, value, path, &mut faults);
                faults.is_empty()
            }),
            "minimum" => value.as_f64().is_none_or(|x| x >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|x| x <= rule.as_f64().unwrap()),
            "exclusiveMinimum" => value.as_f64().is_none_or(|x| x > rule.as_f64().unwrap()),
            "multipleOf" => value.as_f64().is_none_or(|x| (x / rule.as_f64().unwrap()).fract() == 0.0),
            "minItems" => value.as_array().is_none_or(|a| a.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|a| a.len() as u64 <= rule.as_u64().unwrap()),
            "minProperties" => value.as_object().is_none_or(|o| o.len() as u64 >= rule.as_u64().unwrap()),
            "maxProperties" => value.as_object().is_none_or(|o| o.len() as u64 <= rule.as_u64().unwrap()),
            "required" => {
                let names = rule.as_array().unwrap().iter().map(|n| n.as_str().unwrap());
                value.as_object().is_none_or(|o| names.clone().all(|name| o.contains_key(name)))
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, rule, item, &format!("{path}[{i}]"), out);
                }
                true
            }
            "properties" => true, // with the next
            "additionalProperties" => properties(root, schema, value, path, out),
            other => panic!("the validator does not know `{other}`"),
        };
        if !good {
            out.push(format!("{path}: {word} {rule}"));
        }
    }
}

fn properties(
    root: &Value,
    schema: &Map<String, Value>,
    value: &Value,
    path: &str,
    out: &mut Vec<String>,
) -> bool {
    let mut good = true;
    for (key, inner) in value.as_object().into_iter().flatten() {
        let path = format!("{path}.{key}");
        match (schema.get("properties").and_then(|p| p.get(key)), &schema["additionalProperties"]) {
            (Some(known), _) => check(root, known, inner, &path, out),
            (None, Value::Bool(allowed)) => good &= *allowed,
            (None, other) => check(root, other, inner, &path, out),
        }
    }
    good
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the validator does not know the type `{other}`"),
    }
}
