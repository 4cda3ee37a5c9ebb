//! DAE (COLLADA 1.4 and 1.5): the triangles, polygons and polylists of the scene, placed by its nodes, in metres
//! (`unit`), with z up (`up_axis`: y where it is missing).
//!
//! A node at the transforms T_1 ... T_n (matrix, translate, rotate, scale; in this order) has T = T_1 ... T_n in the frame
//! of the node that it is in. Polygons are cut into triangles from their first corner. Controllers, lights, cameras and
//! lines are no part of a shape.

use super::{Soup, Trouble, trouble};
use nalgebra::{Matrix3, Matrix4, Rotation3, Unit, Vector3};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::HashMap;

/// The most nodes of a scene that are placed, however often they name each other.
const MOST_NODES: usize = 100_000;
/// How deep they may be nested.
const MOST_LEVELS: usize = 200;

type Found<T> = Result<T, Trouble>;

/// Reads a text.
pub(super) fn read(text: &str) -> Found<Soup> {
    let options = ParsingOptions { nodes_limit: 2_000_000, ..ParsingOptions::default() };
    let document =
        match Document::parse_with_options(text.trim_start_matches(['\u{feff}', ' ', '\r', '\n']), options) {
            Ok(document) => document,
            Err(error) => {
                return trouble(
                    format!(":{}", error.pos().row),
                    format!("XML: {error}"),
                    "well-formed XML without <!DOCTYPE>",
                );
            }
        };
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        let message = "the root element is not <COLLADA>".to_owned();
        return trouble(":1".to_owned(), message, "a COLLADA file");
    }
    let mut ids = HashMap::new();
    for node in root.descendants() {
        if let Some(id) = node.attribute("id") {
            ids.entry(id).or_insert(node);
        }
    }
    let mut reader = Dae { ids, soup: Soup::default(), placed: 0 };
    let base = to_metres(root)?;
    let scene = inner(root, "scene")
        .and_then(|s| inner(s, "instance_visual_scene"))
        .and_then(|i| reader.named(i, "url"));
    match scene {
        Some(scene) => {
            for node in all(scene, "node") {
                reader.node(node, &base, 0)?;
            }
        }
        // a library without a scene: all of it, where it is
        None => {
            for geometry in root.descendants().filter(|n| n.tag_name().name() == "geometry") {
                reader.geometry(geometry, &base)?;
            }
        }
    }
    Ok(reader.soup)
}

fn inner<'a, 'd>(node: Node<'a, 'd>, name: &str) -> Option<Node<'a, 'd>> {
    node.children().find(|c| c.tag_name().name() == name)
}

fn all<'a, 'd>(node: Node<'a, 'd>, name: &'static str) -> impl Iterator<Item = Node<'a, 'd>> {
    node.children().filter(move |c| c.tag_name().name() == name)
}

fn line(node: Node<'_, '_>) -> String {
    format!(":{}", node.document().text_pos_at(node.range().start).row)
}

fn numbers(node: Node<'_, '_>) -> Found<Vec<f64>> {
    let mut out = Vec::new();
    for word in node.text().unwrap_or_default().split_ascii_whitespace() {
        match word.parse::<f64>() {
            Ok(x) if x.is_finite() => out.push(x),
            _ => {
                let message = format!("\"{}\" is no finite number", crate::suggest::clip(word));
                return trouble(line(node), message, "numbers separated by white space");
            }
        }
    }
    Ok(out)
}

/// From the units and axes of the file to metres with z up.
fn to_metres(root: Node<'_, '_>) -> Found<Matrix4<f64>> {
    let asset = inner(root, "asset");
    let unit = asset.and_then(|a| inner(a, "unit")).and_then(|u| u.attribute("meter"));
    let metre = match unit.map(str::parse::<f64>) {
        None => 1.0,
        Some(Ok(x)) if x.is_finite() && x > 0.0 => x,
        Some(_) => {
            let message = "the unit is no number of metres".to_owned();
            return trouble(asset.map_or(String::new(), line), message, "<unit meter=\"0.001\"/>");
        }
    };
    let up = asset.and_then(|a| inner(a, "up_axis")).and_then(|u| u.text()).unwrap_or("Y_UP");
    let turn = match up.trim() {
        "Z_UP" => Matrix3::identity(),
        "X_UP" => Matrix3::new(0.0, -1.0, 0.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0),
        _ => Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0),
    };
    Ok((turn * metre).to_homogeneous())
}

struct Dae<'a, 'd> {
    ids: HashMap<&'a str, Node<'a, 'd>>,
    soup: Soup,
    placed: usize,
}

impl<'a, 'd> Dae<'a, 'd> {
    /// The element that an attribute `#id` names.
    fn named(&self, node: Node<'a, 'd>, attribute: &str) -> Option<Node<'a, 'd>> {
        self.ids.get(node.attribute(attribute)?.strip_prefix('#')?).copied()
    }

    fn node(&mut self, node: Node<'a, 'd>, above: &Matrix4<f64>, level: usize) -> Found<()> {
        self.placed += 1;
        if self.placed > MOST_NODES || level > MOST_LEVELS {
            let message = "the nodes name each other too often, or in circles".to_owned();
            return trouble(line(node), message, "at most 100000 nodes, 200 deep");
        }
        let mut at = *above;
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "matrix" | "translate" | "rotate" | "scale" => at *= transform(child)?,
                "instance_geometry" => {
                    if let Some(geometry) = self.named(child, "url") {
                        self.geometry(geometry, &at)?;
                    }
                }
                "instance_node" => {
                    if let Some(other) = self.named(child, "url") {
                        self.node(other, &at, level + 1)?;
                    }
                }
                "node" => self.node(child, &at, level + 1)?,
                "skew" | "lookat" => {
                    return trouble(
                        line(child),
                        "it is not supported".to_owned(),
                        "matrix, translate, rotate, scale",
                    );
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn geometry(&mut self, geometry: Node<'a, 'd>, at: &Matrix4<f64>) -> Found<()> {
        let Some(mesh) = inner(geometry, "mesh") else { return Ok(()) };
        let turned = at.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        let mut moved: HashMap<roxmltree::NodeId, (usize, usize)> = HashMap::new();
        for part in mesh.children() {
            if !["triangles", "polylist", "polygons", "tristrips", "trifans"]
                .contains(&part.tag_name().name())
            {
                continue;
            }
            let stride = 1 + all(part, "input")
                .filter_map(|i| i.attribute("offset")?.parse::<usize>().ok())
                .max()
                .unwrap_or(0);
            let input = all(part, "input").find(|i| i.attribute("semantic") == Some("VERTEX"));
            let offset = input.and_then(|i| i.attribute("offset")?.parse::<usize>().ok()).unwrap_or(0);
            let source = input.and_then(|i| self.named(i, "source")).and_then(|vertices| {
                let position = all(vertices, "input").find(|i| i.attribute("semantic") == Some("POSITION"));
                self.named(position?, "source")
            });
            let Some(source) = source else {
                return trouble(
                    line(part),
                    "its vertices are not there".to_owned(),
                    "an <input semantic=\"VERTEX\" .../>",
                );
            };
            let (first, count) = match moved.get(&source.id()) {
                Some(range) => *range,
                None => {
                    let range = self.points(source, at)?;
                    moved.insert(source.id(), range);
                    range
                }
            };
            let row = source.document().text_pos_at(part.range().start).row as usize;
            for polygon in polygons(part, stride.min(64), offset)? {
                if let Some(k) = polygon.iter().find(|k| **k >= count) {
                    return trouble(line(part), format!("vertex {k} of {count}"), "vertices that are there");
                }
                for k in 1..polygon.len().saturating_sub(1) {
                    let [a, b, c] = [polygon[0], polygon[k], polygon[k + 1]].map(|i| first + i);
                    self.soup.faces.push(if turned { [a, c, b] } else { [a, b, c] });
                    self.soup.lines.push(row);
                }
            }
        }
        Ok(())
    }

    /// Adds the points of a source; where they begin and how many there are.
    fn points(&mut self, source: Node<'a, 'd>, at: &Matrix4<f64>) -> Found<(usize, usize)> {
        let Some(array) = inner(source, "float_array") else {
            return trouble(
                line(source),
                "it has no <float_array>".to_owned(),
                "three numbers for each vertex",
            );
        };
        let accessor = inner(source, "technique_common").and_then(|t| inner(t, "accessor"));
        let of = |name: &str| accessor.and_then(|a| a.attribute(name)?.parse::<usize>().ok());
        let (stride, skip) = (of("stride").unwrap_or(3).clamp(3, 64), of("offset").unwrap_or(0));
        let all = numbers(array)?;
        let first = self.soup.points.len();
        let points = all.get(skip..).unwrap_or_default().chunks_exact(stride);
        self.soup.points.extend(points.map(|p| at.transform_point(&[p[0], p[1], p[2]].into()).coords));
        Ok((first, self.soup.points.len() - first))
    }
}

/// The polygons of a part, by their vertices.
fn polygons(part: Node<'_, '_>, stride: usize, offset: usize) -> Found<Vec<Vec<usize>>> {
    let mut out = Vec::new();
    let kind = part.tag_name().name();
    let mut sizes = match (kind, inner(part, "vcount")) {
        ("polylist", Some(node)) => numbers(node)?.into_iter(),
        _ => Vec::new().into_iter(),
    };
    for p in part.descendants().filter(|n| n.tag_name().name() == "p") {
        let all = numbers(p)?;
        let corners: Vec<usize> =
            all.chunks_exact(stride).map(|c| c.get(offset).map_or(usize::MAX, |x| *x as usize)).collect();
        match kind {
            "triangles" => out.extend(corners.chunks_exact(3).map(<[usize]>::to_vec)),
            "polylist" => {
                let mut rest = corners.as_slice();
                for size in sizes.by_ref() {
                    let Some((polygon, others)) = rest.split_at_checked(size as usize) else {
                        return trouble(
                            line(p),
                            "it ends within a polygon".to_owned(),
                            "as many corners as <vcount> says",
                        );
                    };
                    out.push(polygon.to_vec());
                    rest = others;
                }
            }
            "tristrips" => {
                for (k, w) in corners.windows(3).enumerate() {
                    out.push(if k % 2 == 0 { w.to_vec() } else { vec![w[0], w[2], w[1]] });
                }
            }
            // polygons and fans
            _ => out.push(corners),
        }
    }
    Ok(out)
}

/// The transform that an element of a node says.
fn transform(node: Node<'_, '_>) -> Found<Matrix4<f64>> {
    let all = numbers(node)?;
    let matrix = match (node.tag_name().name(), all.as_slice()) {
        ("matrix", values) if values.len() == 16 => Matrix4::from_row_slice(values),
        ("translate", [x, y, z]) => Matrix4::new_translation(&Vector3::new(*x, *y, *z)),
        ("scale", [x, y, z]) => Matrix4::new_nonuniform_scaling(&Vector3::new(*x, *y, *z)),
        ("rotate", [x, y, z, angle]) => match Unit::try_new(Vector3::new(*x, *y, *z), 0.0) {
            Some(axis) => Rotation3::from_axis_angle(&axis, angle.to_radians()).to_homogeneous(),
            None => Matrix4::identity(),
        },
        _ => {
            let message = format!("it has {} numbers", all.len());
            return trouble(line(node), message, "16 in <matrix>, 4 in <rotate>, 3 in others");
        }
    };
    Ok(matrix)
}
