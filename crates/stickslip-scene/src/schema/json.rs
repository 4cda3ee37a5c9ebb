//! The description as a JSON Schema, draft 2020-12.
//!
//! Wherever a number is read, a string with a formula may stand: such keys are a number within its bounds, or any
//! string.

use super::{ANY, Kind, REQUIRED, Table, function};
use crate::value::Bound;
use serde_json::{Map, Value, json};

/// The schema of files with that root.
pub fn schema(root: &'static Table, title: &str) -> Value {
    let mut defs = Map::new();
    for table in root.all().into_iter().skip(1) {
        defs.insert(table.id.to_owned(), of_table(table));
    }
    if defs.contains_key(function::FUNCTION.id) {
        let table = json!({ "$ref": pointer(&function::FUNCTION) });
        defs.insert("function-of-time".to_owned(), json!({
            "description": "a function of time: a number, a formula of t and the parameters in quotes, or a table",
            "anyOf": [{ "type": ["number", "string"] }, table],
        }));
    }
    let mut out = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "title": title });
    if let (Value::Object(out), Value::Object(body)) = (&mut out, of_table(root)) {
        out.extend(body);
        out.insert("$defs".to_owned(), Value::Object(defs));
    }
    out
}

fn pointer(table: &Table) -> String {
    format!("#/$defs/{}", table.id)
}

fn of_table(table: &Table) -> Value {
    let mut properties = Map::new();
    for key in table.keys {
        let mut value = of_kind(&key.kind);
        if let Value::Object(value) = &mut value {
            let default = match key.default {
                "" | REQUIRED => String::new(),
                default => format!(" (default: {default})"),
            };
            value.insert("description".to_owned(), Value::String(format!("{}{default}", key.doc)));
        }
        properties.insert(key.name.to_owned(), value);
    }
    let required: Vec<&str> = table.keys.iter().filter(|k| k.default == REQUIRED).map(|k| k.name).collect();
    let mut out = json!({ "description": table.doc, "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        out["required"] = json!(required);
    }
    if table.one {
        out["minProperties"] = json!(1);
        out["maxProperties"] = json!(1);
    }
    out
}

fn of_kind(kind: &Kind) -> Value {
    match kind {
        Kind::Number(bound) => number(json!({ "type": "number" }), *bound),
        // 3.0 is a whole number, too, and a formula may stand for one
        Kind::Whole(least, most) => {
            json!({ "anyOf": [{ "type": "number", "multipleOf": 1, "minimum": least, "maximum": most }, { "type": "string" }] })
        }
        Kind::Formula => json!({ "type": ["number", "string"] }),
        Kind::Function => json!({ "$ref": "#/$defs/function-of-time" }),
        Kind::Truth => json!({ "type": "boolean" }),
        Kind::Text => json!({ "type": "string" }),
        Kind::Name => json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$" }),
        Kind::Form(pattern) => json!({ "type": "string", "pattern": pattern }),
        Kind::Words(words) => json!({ "enum": words() }),
        Kind::Plain => json!({ "type": ["number", "string", "boolean"] }),
        Kind::List(inner, least, most) => {
            let mut list = json!({ "type": "array", "items": of_kind(inner), "minItems": least });
            if *most != ANY {
                list["maxItems"] = json!(most);
            }
            list
        }
        Kind::Own(inner) => json!({ "type": "object", "additionalProperties": of_kind(inner) }),
        Kind::Table(table) => json!({ "$ref": pointer(table) }),
        Kind::Tables(table) => json!({ "type": "array", "items": { "$ref": pointer(table) } }),
        Kind::Either(kinds) => json!({ "anyOf": kinds.iter().map(of_kind).collect::<Vec<_>>() }),
    }
}

fn number(mut plain: Value, bound: Bound) -> Value {
    match bound {
        Bound::Any => return json!({ "type": ["number", "string"] }),
        Bound::Positive => plain["exclusiveMinimum"] = json!(0),
        Bound::NonNegative => plain["minimum"] = json!(0),
        Bound::Fraction => {
            plain["minimum"] = json!(0);
            plain["maximum"] = json!(1);
        }
    }
    json!({ "anyOf": [plain, { "type": "string" }] })
}
