//! Block-diagonal symmetric matrices.

use crate::linear::dense::dot;

/// How many rows of a large block are multiplied at once.
const LANES: usize = 8;

/// `out += A x` for a symmetric A, several rows at once: the same sums in the same order as row after row.
fn add_wide(a: &[f64], x: &[f64], out: &mut [f64]) {
    let n = x.len();
    for (k, out) in out.chunks_mut(LANES).enumerate() {
        let mut sums = [0.0; LANES];
        for (row, x) in a.chunks_exact(n).zip(x) {
            let row = &row[k * LANES..k * LANES + out.len()];
            match <&[f64; LANES]>::try_from(row) {
                Ok(row) => (0..LANES).for_each(|i| sums[i] += row[i] * x),
                Err(_) => sums.iter_mut().zip(row).for_each(|(sum, a)| *sum += a * x),
            }
        }
        out.iter_mut().zip(&sums).for_each(|(o, sum)| *o += sum);
    }
}

/// One square block of a [`BlockDiagonal`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// First coordinate.
    pub start: usize,
    /// Number of coordinates.
    pub size: usize,
    at: usize,
}

/// A block-diagonal symmetric matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockDiagonal {
    pub(super) blocks: Vec<Block>,
    pub(super) values: Vec<f64>,
    block_of: Vec<usize>,
}

impl BlockDiagonal {
    /// Removes all blocks; keeps the allocation.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.values.clear();
        self.block_of.clear();
    }

    /// Appends a `size` x `size` block given row-major.
    pub fn push(&mut self, size: usize, values: &[f64]) {
        let block = Block { start: self.block_of.len(), size, at: self.values.len() };
        self.block_of.resize(block.start + size, self.blocks.len());
        self.blocks.push(block);
        self.values.extend_from_slice(&values[..size * size]);
    }

    /// Becomes a copy of `other`; keeps the allocation.
    pub fn copy_from(&mut self, other: &BlockDiagonal) {
        self.blocks.clone_from(&other.blocks);
        self.values.clone_from(&other.values);
        self.block_of.clone_from(&other.block_of);
    }

    /// Number of coordinates.
    pub fn len(&self) -> usize {
        self.block_of.len()
    }

    /// True when there are no coordinates.
    pub fn is_empty(&self) -> bool {
        self.block_of.is_empty()
    }

    /// The blocks in order of their first coordinate.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The numbers of the blocks that a range of coordinates consists of.
    pub fn blocks_in(&self, start: usize, width: usize) -> std::ops::Range<usize> {
        match width {
            0 => 0..0,
            _ => self.block_of[start]..self.block_of[start + width - 1] + 1,
        }
    }

    /// The entries of a block, row-major.
    pub fn values(&self, block: Block) -> &[f64] {
        &self.values[block.at..block.at + block.size * block.size]
    }

    /// `out += self * x`, where `x` and `out` are the coordinates `start..start + x.len()` only. The range must
    /// consist of whole blocks.
    #[inline]
    pub fn add_product(&self, start: usize, x: &[f64], out: &mut [f64]) {
        let mut done = 0;
        while done < x.len() {
            let block = self.blocks[self.block_of[start + done]];
            let n = block.size;
            let values = self.values(block);
            let (x, out) = (&x[done..done + n], &mut out[done..done + n]);
            // blocks of a rigid body have three rows: fixed sizes spare the loop its bookkeeping
            if let (Ok(m), Ok(x), Ok(out)) = (
                <&[f64; 9]>::try_from(values),
                <&[f64; 3]>::try_from(x),
                <&mut [f64; 3]>::try_from(&mut *out),
            ) {
                for i in 0..3 {
                    out[i] += m[3 * i] * x[0] + m[3 * i + 1] * x[1] + m[3 * i + 2] * x[2];
                }
            } else if n <= LANES {
                for (i, o) in out.iter_mut().enumerate() {
                    *o += dot(&values[i * n..(i + 1) * n], x);
                }
            } else {
                add_wide(values, x, out);
            }
            done += n;
        }
    }

    /// `x^T self x` for the coordinates from `start` on that x has; they must consist of whole blocks. Rows with hardly
    /// an entry, as those of a single joint, cost what they have.
    pub fn square(&self, start: usize, x: &[f64], scratch: &mut Vec<f64>) -> f64 {
        const FEW: usize = 2;
        const SMALL: usize = 6;
        let mut used = [0; FEW];
        let mut count = 0;
        for (k, value) in x.iter().enumerate().filter(|_| x.len() > SMALL) {
            if *value != 0.0 {
                if let Some(slot) = used.get_mut(count) {
                    *slot = k;
                }
                count += 1;
            }
        }
        if x.len() <= SMALL || count > FEW {
            scratch.clear();
            scratch.resize(x.len(), 0.0);
            self.add_product(start, x, scratch);
            return dot(x, scratch);
        }
        let entry = |i: usize, j: usize| {
            let block = self.blocks[self.block_of[start + i]];
            match self.block_of[start + i] == self.block_of[start + j] {
                true => {
                    let [i, j] = [i, j].map(|k| start + k - block.start);
                    self.values[block.at + i * block.size + j]
                }
                false => 0.0,
            }
        };
        let used = &used[..count];
        used.iter().map(|&i| x[i] * used.iter().map(|&j| entry(i, j) * x[j]).sum::<f64>()).sum()
    }

    /// `x^T self x / 2`.
    pub fn half_square(&self, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for block in &self.blocks {
            let x = &x[block.start..block.start + block.size];
            for (row, x_i) in self.values(*block).chunks_exact(block.size).zip(x) {
                sum += x_i * dot(row, x);
            }
        }
        0.5 * sum
    }
}
