//! The links as a tree.

use super::robot::Robot;
use super::xml::Reader;
use crate::suggest::one_of;
use std::collections::VecDeque;

/// How links hang together, by index.
pub(super) struct Tree {
    /// Parents before children.
    pub order: Vec<usize>,
    /// Per link the joint it is the child of, and its parent; none for the root.
    pub above: Vec<Option<(usize, usize)>>,
}

/// Checks names and connections.
pub(super) fn tree(reader: &Reader, robot: &Robot) -> Option<Tree> {
    let index = reader.unique(robot.links.iter().map(|l| &l.name), "link");
    reader.unique(robot.joints.iter().map(|j| &j.name), "joint");
    let mut above: Vec<Option<(usize, usize)>> = vec![None; robot.links.len()];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); robot.links.len()];
    for (j, joint) in robot.joints.iter().enumerate() {
        let find = |end: &crate::context::At<String>| {
            let found = index.get(end.value.as_str()).copied();
            if found.is_none() {
                let message =
                    format!("joint `{}` names a link `{}` that does not exist", joint.name.value, end.value);
                reader.fault(
                    &end.span,
                    message,
                    one_of(&end.value, index.keys().copied().collect::<Vec<_>>()),
                );
            }
            found
        };
        let (Some(parent), Some(child)) = (find(&joint.parent), find(&joint.child)) else { continue };
        if parent == child || above[child].is_some() {
            let what = if parent == child { "of itself" } else { "of two joints" };
            let message = format!("link `{}` is the child {what}", joint.child.value);
            reader.fault(&joint.child.span, message, "a tree: joints close no loops");
            continue;
        }
        above[child] = Some((j, parent));
        below[parent].push(child);
    }
    if !reader.is_clean() {
        return None;
    }
    connected(reader, robot, above, &below)
}

/// One root, from which every link can be reached.
fn connected(
    reader: &Reader,
    robot: &Robot,
    above: Vec<Option<(usize, usize)>>,
    below: &[Vec<usize>],
) -> Option<Tree> {
    let roots: Vec<usize> = (0..above.len()).filter(|&i| above[i].is_none()).collect();
    if let [first, second, ..] = roots[..]
        && robot.one_root
    {
        let [a, b] = [first, second].map(|i| &robot.links[i].name);
        let message = format!("links `{}` and `{}` are both children of no joint", a.value, b.value);
        reader.fault(&b.span, message, "one root, and a joint above every other link");
        return None;
    }
    let mut order = Vec::new();
    let mut queue: VecDeque<usize> = roots.into_iter().collect();
    while let Some(i) = queue.pop_front() {
        order.push(i);
        queue.extend(&below[i]);
    }
    if order.len() < robot.links.len() {
        let reached: std::collections::BTreeSet<usize> = order.iter().copied().collect();
        let lost = (0..above.len()).find(|i| !reached.contains(i))?;
        let (joint, _) = above[lost]?;
        let message = format!("link `{}` is its own ancestor", robot.links[lost].name.value);
        reader.fault(&robot.joints[joint].span, message, "a tree: joints close no loops");
        return None;
    }
    Some(Tree { order, above })
}
