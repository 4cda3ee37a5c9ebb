//! PNG pictures of eight bits a channel [RFC 2083].

use crate::deflate::zlib;

/// A picture as a PNG file; `pixels` has red, green, blue of each pixel, row by row from the top.
pub(crate) fn png(width: usize, height: usize, pixels: &[u8]) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut head = Vec::new();
    head.extend((width as u32).to_be_bytes());
    head.extend((height as u32).to_be_bytes());
    // eight bits, red green blue, the only compression and filtering there are, not interlaced
    head.extend([8, 2, 0, 0, 0]);
    chunk(b"IHDR", &head, &mut out);
    chunk(b"IDAT", &zlib(&filtered(width, height, pixels)), &mut out);
    chunk(b"IEND", &[], &mut out);
    out
}

/// Each row as differences from the left, from above or from neither, whichever is smallest.
fn filtered(width: usize, height: usize, pixels: &[u8]) -> Vec<u8> {
    let stride = 3 * width;
    let mut out = Vec::with_capacity((stride + 1) * height);
    let zeros = vec![0; stride];
    for y in 0..height {
        let row = &pixels[y * stride..(y + 1) * stride];
        let above = if y == 0 { &zeros[..] } else { &pixels[(y - 1) * stride..y * stride] };
        let left = |i: usize| if i < 3 { 0 } else { row[i - 3] };
        let ways: [Vec<u8>; 3] = [
            row.to_vec(),
            (0..stride).map(|i| row[i].wrapping_sub(left(i))).collect(),
            (0..stride).map(|i| row[i].wrapping_sub(above[i])).collect(),
        ];
        let cost = |w: &[u8]| w.iter().map(|b| u64::from((*b as i8).unsigned_abs())).sum::<u64>();
        let best = (0..3).min_by_key(|k| cost(&ways[*k])).unwrap_or(0);
        out.push(best as u8);
        out.extend_from_slice(&ways[best]);
    }
    out
}

fn chunk(name: &[u8; 4], data: &[u8], out: &mut Vec<u8>) {
    out.extend((data.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend_from_slice(name);
    out.extend_from_slice(data);
    let sum = crc(&out[start..]);
    out.extend(sum.to_be_bytes());
}

/// Checksum of PNG files and of MCAP files: CRC-32.
pub(crate) fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |sum, b| {
        (0..8).fold(sum ^ u32::from(*b), |s, _| if s & 1 == 1 { s >> 1 ^ 0xedb8_8320 } else { s >> 1 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc(b"IEND"), 0xae42_6082);
    }

    #[test]
    fn a_picture_has_its_parts() {
        let file = png(2, 1, &[255, 0, 0, 0, 0, 255]);
        assert_eq!(file[..8], *b"\x89PNG\r\n\x1a\n");
        assert_eq!(file[16..24], [0, 0, 0, 2, 0, 0, 0, 1]);
        assert_eq!(file[file.len() - 12..], [0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82]);
    }
}
