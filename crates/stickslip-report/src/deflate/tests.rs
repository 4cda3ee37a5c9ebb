//! The streams are read back by a plain reader of RFC 1951.

use super::*;

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn bits(&mut self, count: usize) -> usize {
        (0..count).fold(0, |v, k| {
            let bit = self.bytes[self.at / 8] >> (self.at % 8) & 1;
            self.at += 1;
            v | usize::from(bit) << k
        })
    }

    /// The next symbol of a canonical code, bit by bit [RFC 1951, 3.2.2].
    fn symbol(&mut self, lengths: &[usize]) -> usize {
        let (mut code, mut first, mut index) = (0usize, 0usize, 0usize);
        let ordered: Vec<usize> =
            (1..16).flat_map(|l| (0..lengths.len()).filter(move |i| lengths[*i] == l)).collect();
        for length in 1..16 {
            code |= self.bits(1);
            let count = lengths.iter().filter(|l| **l == length).count();
            if code < first + count {
                return ordered[index + code - first];
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        panic!("no symbol")
    }
}

const LENGTH_BASE: [usize; 29] = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
    227, 258,
];
const LENGTH_EXTRA: [usize; 29] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE: [usize; 30] = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073,
    4097, 6145, 8193, 12289, 16385, 24577,
];

fn inflate(stream: &[u8]) -> Vec<u8> {
    let mut r = Reader { bytes: &stream[2..stream.len() - 4], at: 0 };
    let mut out = Vec::new();
    loop {
        let last = r.bits(1) == 1;
        assert_eq!(r.bits(2), 2);
        let (literals, distances, codes) = (r.bits(5) + 257, r.bits(5) + 1, r.bits(4) + 4);
        let mut small = [0; 19];
        ORDER[..codes].iter().for_each(|&o| small[o] = r.bits(3));
        let mut lengths = Vec::new();
        while lengths.len() < literals + distances {
            match r.symbol(&small) {
                17 => lengths.extend(vec![0; 3 + r.bits(3)]),
                18 => lengths.extend(vec![0; 11 + r.bits(7)]),
                l => lengths.push(l),
            }
        }
        let (literals, distances) = lengths.split_at(literals);
        loop {
            match r.symbol(literals) {
                256 => break,
                s @ 257.. => {
                    let length = LENGTH_BASE[s - 257] + r.bits(LENGTH_EXTRA[s - 257]);
                    let d = r.symbol(distances);
                    let distance = DISTANCE_BASE[d] + r.bits(if d < 4 { 0 } else { d / 2 - 1 });
                    (0..length).for_each(|_| out.push(out[out.len() - distance]));
                }
                byte => out.push(byte as u8),
            }
        }
        if last {
            return out;
        }
    }
}

/// Noise that does not change from run to run.
fn noise(n: usize) -> Vec<u8> {
    let mut x = 12_345u32;
    (0..n)
        .map(|_| {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (x >> 24) as u8
        })
        .collect()
}

#[test]
fn what_is_written_is_read_back() {
    let skewed: Vec<u8> = noise(60_000).into_iter().map(|b| b.leading_zeros() as u8).collect();
    let mut far = noise(30_000);
    far.extend_from_within(..20_000);
    let cases =
        [Vec::new(), vec![7], vec![0; 100_000], noise(50_000), skewed, far, b"abcabcabcabd".repeat(500)];
    for bytes in cases {
        let stream = zlib(&bytes);
        println!("{} bytes as {}", bytes.len(), stream.len());
        assert!(inflate(&stream) == bytes);
        assert_eq!(stream[stream.len() - 4..], adler(&bytes).to_be_bytes());
        // the first two bytes are a multiple of 31 [RFC 1950]
        assert_eq!((u32::from(stream[0]) * 256 + u32::from(stream[1])) % 31, 0);
    }
}

#[test]
fn the_checksum_is_that_of_the_standard() {
    assert_eq!(adler(b"Wikipedia"), 0x11e6_0398);
}

#[test]
fn codes_keep_to_their_longest_word() {
    // Fibonacci counts make Huffman's tree as deep as it gets
    let mut counts = vec![1usize, 1];
    while counts.len() < 30 {
        counts.push(counts[counts.len() - 1] + counts[counts.len() - 2]);
    }
    let code = Code::new(&counts, 15);
    let kraft: f64 = code.lengths.iter().map(|l| 0.5f64.powi(*l as i32)).sum();
    assert!(code.lengths.iter().all(|l| (1..=15).contains(l)) && kraft == 1.0);
}
