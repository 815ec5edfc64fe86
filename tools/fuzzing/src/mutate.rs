//! Alters inputs at random: a fuzzer's simplest moves, for a test that needs no fuzzer.

/// A source of random numbers that gives the same for the same seed.
pub struct Dice(u64);

impl Dice {
    /// Makes dice; any seed will do.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a random number below `end`, 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16;
        (number as usize).checked_rem(end).unwrap_or_default()
    }

    /// Picks one of several.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}

/// Bytes that mean something in one of the languages.
const TELLING: &[u8] = b"{}[]()<>\"'`|&*!%@#,:;.-+_~^$?=\\/ \n\t\r\0\x1f\x7f\x80\xc3\xe2\xff0123456789eExX";

/// Returns `input` after a few random changes; a part of `other` may be among them.
pub fn altered(input: &[u8], other: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=dice.below(4) {
        alter(&mut bytes, other, dice);
    }
    bytes
}

fn alter(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let place = dice.below(bytes.len() + 1);
    let end = place + dice.below(bytes.len() - place + 1).min(1 + dice.below(16));
    let telling = dice.pick(TELLING).copied().unwrap_or_default();
    match dice.below(6) {
        0 => drop(bytes.splice(place..end, [])),
        1 => bytes.insert(place, telling),
        2 => drop(bytes.splice(place..end, [telling])),
        3 => {
            let again = bytes.get(place..end).unwrap_or_default().to_vec();
            drop(bytes.splice(place..place, again));
        }
        4 => {
            let start = dice.below(other.len() + 1);
            let part = other.get(start..).unwrap_or_default();
            let part = part.get(..dice.below(part.len() + 1).min(64)).unwrap_or_default().to_vec();
            drop(bytes.splice(place..end, part));
        }
        _ => {
            if let Some(byte) = bytes.get_mut(place) {
                *byte ^= 1 << dice.below(8);
            }
        }
    }
}
