//! Compression as in RFC 1950 and 1951: Lempel–Ziv matches of a sliding window, coded with Huffman codes made for each
//! block. Enough for pictures; the point is to need no library.

/// Symbols of a block.
const BLOCK: usize = 40_000;
/// How many earlier places with the same three bytes are tried.
const TRIES: usize = 24;
const WINDOW: usize = 32_768;
const LONGEST: usize = 258;
/// The order in which lengths of codes for lengths are written.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// A byte, or a match of a length at a distance.
enum Symbol {
    Byte(u8),
    Match { length: usize, distance: usize },
}

/// A zlib stream of the bytes.
pub(crate) fn zlib(bytes: &[u8]) -> Vec<u8> {
    let symbols = symbols(bytes);
    let mut bits = Bits { out: vec![0x78, 0x9c], held: 0, count: 0 };
    let blocks = symbols.len().div_ceil(BLOCK).max(1);
    for i in 0..blocks {
        let part = &symbols[i * BLOCK..symbols.len().min((i + 1) * BLOCK)];
        block(part, i + 1 == blocks, &mut bits);
    }
    bits.flush();
    bits.out.extend(adler(bytes).to_be_bytes());
    bits.out
}

/// Checksum of RFC 1950.
fn adler(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1u32, 0u32);
    for &x in bytes {
        a = (a + u32::from(x)) % 65_521;
        b = (b + a) % 65_521;
    }
    (b << 16) | a
}

/// Greedy matches, found through chains of places with the same three bytes.
fn symbols(bytes: &[u8]) -> Vec<Symbol> {
    const NONE: u32 = u32::MAX;
    let mut head = vec![NONE; 1 << 15];
    let mut before = vec![NONE; bytes.len()];
    let hash = |i: usize| {
        let word = u32::from(bytes[i]) | u32::from(bytes[i + 1]) << 8 | u32::from(bytes[i + 2]) << 16;
        (word.wrapping_mul(0x9e37_79b1) >> 17) as usize
    };
    let mut out = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let (mut length, mut distance) = (0, 0);
        if i + 3 <= bytes.len() {
            let most = LONGEST.min(bytes.len() - i);
            let mut place = head[hash(i)];
            for _ in 0..TRIES {
                if place == NONE || i - place as usize > WINDOW {
                    break;
                }
                let from = place as usize;
                let same = (0..most).take_while(|k| bytes[from + k] == bytes[i + k]).count();
                if same > length {
                    (length, distance) = (same, i - from);
                }
                if length == most {
                    break;
                }
                place = before[from];
            }
        }
        let step = if length >= 3 {
            out.push(Symbol::Match { length, distance });
            length
        } else {
            out.push(Symbol::Byte(bytes[i]));
            1
        };
        for k in i..i + step {
            if k + 3 <= bytes.len() {
                let h = hash(k);
                before[k] = head[h];
                head[h] = k as u32;
            }
        }
        i += step;
    }
    out
}

/// Code, number of extra bits and their value of a match length.
fn length_code(length: usize) -> (usize, usize, usize) {
    if length == LONGEST {
        return (285, 0, 0);
    }
    let x = length - 3;
    if x < 8 {
        return (257 + x, 0, 0);
    }
    let extra = x.ilog2() as usize - 2;
    (257 + 4 * extra + (x >> extra), extra, x & ((1 << extra) - 1))
}

/// The same of a distance.
fn distance_code(distance: usize) -> (usize, usize, usize) {
    let x = distance - 1;
    if x < 4 {
        return (x, 0, 0);
    }
    let extra = x.ilog2() as usize - 1;
    (2 * extra + (x >> extra), extra, x & ((1 << extra) - 1))
}

fn block(symbols: &[Symbol], last: bool, bits: &mut Bits) {
    let (mut literals, mut distances) = ([0usize; 286], [0usize; 30]);
    literals[256] = 1;
    for s in symbols {
        match s {
            Symbol::Byte(b) => literals[usize::from(*b)] += 1,
            Symbol::Match { length, distance } => {
                literals[length_code(*length).0] += 1;
                distances[distance_code(*distance).0] += 1;
            }
        }
    }
    let (literals, distances) = (Code::new(&literals, 15), Code::new(&distances, 15));
    bits.put(usize::from(last) | 2 << 1, 3);
    header(&literals, &distances, bits);
    for s in symbols {
        match s {
            Symbol::Byte(b) => literals.write(usize::from(*b), bits),
            Symbol::Match { length, distance } => {
                let (code, extra, value) = length_code(*length);
                literals.write(code, bits);
                bits.put(value, extra);
                let (code, extra, value) = distance_code(*distance);
                distances.write(code, bits);
                bits.put(value, extra);
            }
        }
    }
    literals.write(256, bits);
}

/// The lengths of both codes, coded themselves; runs of zeros are put together, other runs are not.
fn header(literals: &Code, distances: &Code, bits: &mut Bits) {
    let all: Vec<usize> = literals.lengths.iter().chain(&distances.lengths).copied().collect();
    let mut coded: Vec<(usize, usize, usize)> = Vec::new();
    let mut i = 0;
    while i < all.len() {
        let zeros = all[i..].iter().take_while(|l| **l == 0).take(138).count();
        match zeros {
            0..=2 => coded.push((all[i], 0, 0)),
            3..=10 => coded.push((17, 3, zeros - 3)),
            _ => coded.push((18, 7, zeros - 11)),
        }
        i += if zeros >= 3 { zeros } else { 1 };
    }
    let mut counts = [0usize; 19];
    coded.iter().for_each(|c| counts[c.0] += 1);
    let code = Code::new(&counts, 7);
    bits.put(literals.lengths.len() - 257, 5);
    bits.put(distances.lengths.len() - 1, 5);
    bits.put(ORDER.len() - 4, 4);
    ORDER.iter().for_each(|&o| bits.put(code.lengths[o], 3));
    for (symbol, extra, value) in coded {
        code.write(symbol, bits);
        bits.put(value, extra);
    }
}

/// A canonical Huffman code.
struct Code {
    lengths: Vec<usize>,
    /// Bits in the order in which they are written.
    words: Vec<usize>,
}

impl Code {
    fn new(counts: &[usize], longest: usize) -> Self {
        let mut counts = counts.to_vec();
        // a code needs two words to be complete
        while counts.iter().filter(|c| **c > 0).count() < 2 {
            let free = counts.iter().position(|c| *c == 0).unwrap_or(0);
            counts[free] = 1;
        }
        let mut lengths = lengths(&counts);
        while lengths.iter().any(|l| *l > longest) {
            // flatter counts make a shorter code
            counts.iter_mut().filter(|c| **c > 0).for_each(|c| *c = c.div_ceil(2));
            lengths = self::lengths(&counts);
        }
        let mut words = vec![0; lengths.len()];
        let mut next = 0usize;
        for length in 1..=longest {
            for i in (0..lengths.len()).filter(|i| lengths[*i] == length) {
                words[i] = (0..length).fold(0, |w, k| w | ((next >> k) & 1) << (length - 1 - k));
                next += 1;
            }
            next <<= 1;
        }
        Self { lengths, words }
    }

    fn write(&self, symbol: usize, bits: &mut Bits) {
        bits.put(self.words[symbol], self.lengths[symbol]);
    }
}

/// Depths of the leaves of Huffman's tree; ties by index, so that the same counts give the same code.
fn lengths(counts: &[usize]) -> Vec<usize> {
    let mut heap: std::collections::BinaryHeap<_> =
        counts.iter().enumerate().filter(|(_, c)| **c > 0).map(|(i, c)| std::cmp::Reverse((*c, i))).collect();
    let mut parent = vec![usize::MAX; counts.len()];
    while heap.len() > 1 {
        let (Some(a), Some(b)) = (heap.pop(), heap.pop()) else { break };
        let node = parent.len();
        parent.push(usize::MAX);
        (parent[a.0.1], parent[b.0.1]) = (node, node);
        heap.push(std::cmp::Reverse((a.0.0 + b.0.0, node)));
    }
    let depth = |mut i: usize| {
        let mut d = 0;
        while parent[i] != usize::MAX {
            (i, d) = (parent[i], d + 1);
        }
        d
    };
    (0..counts.len()).map(depth).collect()
}

/// Bits, lowest first.
struct Bits {
    out: Vec<u8>,
    held: u64,
    count: usize,
}

impl Bits {
    fn put(&mut self, value: usize, count: usize) {
        self.held |= (value as u64) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.out.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    fn flush(&mut self) {
        if self.count > 0 {
            self.out.push(self.held as u8);
        }
        (self.held, self.count) = (0, 0);
    }
}

#[cfg(test)]
mod tests;
