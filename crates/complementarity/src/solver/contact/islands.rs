//! Islands: what groups connect, block of coordinates by block. They know nothing of each other, so that each can be
//! solved, or be at rest, by itself.

use crate::problem::contact::{ContactProblem, Group};
use crate::problem::operator::{Block, BlockDiagonal, Jacobian, Operator};

/// What is known of an island.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Island {
    /// It moves, or nobody has asked.
    #[default]
    Moves,
    /// It may be at rest.
    Asked,
    /// It is.
    Rests,
}

/// The islands of a problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    /// The first block of the island of each block of the mass matrix: an island's number.
    first: Vec<usize>,
    /// What is known, by number.
    known: Vec<Island>,
    /// The largest entry of each.
    largest: Vec<f64>,
}

/// A problem in its factored form.
#[derive(Clone, Copy)]
pub(crate) struct Factored<'a> {
    pub groups: &'a [Group],
    pub inverse: &'a BlockDiagonal,
    pub jacobian: &'a Jacobian,
}

impl<'a> Factored<'a> {
    /// None for a problem that is assembled.
    pub(crate) fn of(problem: &'a ContactProblem) -> Option<Self> {
        let Operator::Factored { inverse_mass: inverse, jacobian } = &problem.operator else { return None };
        Some(Self { groups: &problem.groups, inverse, jacobian })
    }

    /// `out = M^-1 W lambda`; `force` is overwritten.
    pub(crate) fn moves(&self, lambda: &[f64], force: &mut Vec<f64>, out: &mut Vec<f64>) {
        force.clear();
        force.resize(self.inverse.len(), 0.0);
        for group in self.groups {
            self.jacobian.add_force(group.parts(), &lambda[group.rows()], force);
        }
        out.clear();
        out.resize(self.inverse.len(), 0.0);
        self.inverse.add_product(0, force, out);
    }
}

/// The first block that a block is connected with, so far.
fn find(first: &[usize], mut block: usize) -> usize {
    while first[block] != block {
        block = first[block];
    }
    block
}

impl Islands {
    /// Finds the islands of a problem; none of them is known to be at rest.
    pub(crate) fn begin(&mut self, problem: &ContactProblem) {
        self.first.clear();
        self.known.clear();
        let Some(Factored { groups, inverse, jacobian }) = Factored::of(problem) else { return };
        let count = inverse.blocks().len();
        self.first.extend(0..count);
        self.known.resize(count, Island::Moves);
        for group in groups {
            let parts = &jacobian.parts[group.parts()];
            let mut blocks = parts.iter().flat_map(|p| inverse.blocks_in(p.start, p.width));
            let Some(mut root) = blocks.next().map(|b| find(&self.first, b)) else { continue };
            for block in blocks {
                let other = find(&self.first, block);
                self.first[root.max(other)] = root.min(other);
                root = root.min(other);
            }
        }
        // a block's way to the first of its island leads through lower ones
        (0..count).for_each(|b| self.first[b] = self.first[self.first[b]]);
    }

    /// The number of a group's island; none for a group that moves nothing.
    fn of(&self, Factored { inverse, jacobian, .. }: Factored, group: &Group) -> Option<usize> {
        let part = jacobian.parts[group.parts()].iter().find(|part| part.width > 0)?;
        Some(self.first[inverse.blocks_in(part.start, part.width).start])
    }

    fn is(&self, factored: Factored, group: &Group, what: Island) -> bool {
        self.of(factored, group).is_some_and(|island| self.known[island] == what)
    }

    /// Asks of every island with a group that is not known to be at rest, if all its groups may be.
    pub(crate) fn ask(&mut self, factored: Factored, may: impl Fn(usize) -> bool) {
        for asked in [true, false] {
            for (c, group) in factored.groups.iter().enumerate() {
                let Some(island) = self.of(factored, group) else { continue };
                if self.known[island] != Island::Rests && (asked || !may(c)) {
                    self.known[island] = if asked { Island::Asked } else { Island::Moves };
                }
            }
        }
    }

    /// True while there are islands that may be at rest.
    pub(crate) fn are_asked(&self) -> bool {
        self.known.contains(&Island::Asked)
    }

    /// True for a group of an island that may be at rest.
    pub(crate) fn is_asked(&self, factored: Factored, group: &Group) -> bool {
        self.is(factored, group, Island::Asked)
    }

    /// True for a group of an island that is at rest.
    pub(crate) fn rests(&self, factored: Factored, group: &Group) -> bool {
        self.is(factored, group, Island::Rests)
    }

    /// True when an island is at rest.
    pub(crate) fn any_rests(&self) -> bool {
        self.known.contains(&Island::Rests)
    }

    /// True for a group of an island that is neither at rest nor asked of, or of none.
    pub(crate) fn moves(&self, factored: Factored, group: &Group) -> bool {
        self.of(factored, group).is_none_or(|island| self.known[island] == Island::Moves)
    }

    /// The island of a group moves.
    pub(crate) fn set_moving(&mut self, factored: Factored, group: &Group) {
        if let Some(island) = self.of(factored, group) {
            self.known[island] = Island::Moves;
        }
    }

    /// Islands that may be at rest move if one of their blocks is not as it should be; blocks have numbers.
    pub(crate) fn drop(&mut self, factored: Factored, good: impl Fn(usize, &Block) -> bool) {
        for (k, (block, first)) in factored.inverse.blocks().iter().zip(&self.first).enumerate() {
            if self.known[*first] == Island::Asked && !good(k, block) {
                self.known[*first] = Island::Moves;
            }
        }
    }

    /// The same for islands that have an entry of `u` above a part of their largest of `free`.
    pub(crate) fn drop_fast(&mut self, factored: Factored, (u, free): (&[f64], &[f64]), part: f64) {
        let mut largest = std::mem::take(&mut self.largest);
        largest.clear();
        largest.resize(self.first.len(), 0.0);
        for (block, first) in factored.inverse.blocks().iter().zip(&self.first) {
            let own = &free[block.start..block.start + block.size];
            largest[*first] = own.iter().fold(largest[*first], |m: f64, x| m.max(x.abs()));
        }
        for (block, first) in factored.inverse.blocks().iter().zip(&self.first) {
            let slow = |u: &f64| u.abs() <= part * largest[*first];
            if self.known[*first] == Island::Asked && !u[block.start..][..block.size].iter().all(slow) {
                self.known[*first] = Island::Moves;
            }
        }
        self.largest = largest;
    }

    /// True when all blocks of islands that may be at rest are as they should be.
    pub(crate) fn all(&self, factored: Factored, good: impl Fn(usize, &Block) -> bool) -> bool {
        let blocks = factored.inverse.blocks().iter().zip(&self.first).enumerate();
        blocks.into_iter().all(|(k, (block, first))| self.known[*first] != Island::Asked || good(k, block))
    }

    /// The islands that may be at rest are.
    pub(crate) fn settle(&mut self) {
        self.known.iter_mut().filter(|i| **i == Island::Asked).for_each(|i| *i = Island::Rests);
    }

    /// The blocks of islands at rest.
    pub(crate) fn resting<'a>(&'a self, factored: Factored<'a>) -> impl Iterator<Item = &'a Block> {
        let blocks = factored.inverse.blocks().iter().zip(&self.first);
        blocks.filter(|(_, first)| self.known[**first] == Island::Rests).map(|(block, _)| block)
    }
}
