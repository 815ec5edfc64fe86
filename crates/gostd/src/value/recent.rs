//! Strings that come again and again.

use super::GoStr;

/// Short strings met lately, so that keys and words that a reader meets over and over are stored once.
#[derive(Debug, Default)]
pub struct Recent {
    slots: Vec<Option<GoStr>>,
}

impl Recent {
    const SLOTS: usize = 256;
    const LONGEST: usize = 24;

    /// Returns a string of these bytes: the one made before, if it is short and still known.
    pub fn share(&mut self, text: &[u8]) -> GoStr {
        let (Some(first), Some(last), ..=Self::LONGEST) = (text.first(), text.last(), text.len()) else {
            return GoStr::from(text);
        };
        if self.slots.is_empty() {
            self.slots.resize(Self::SLOTS, None);
        }
        let middle = text.get(text.len() / 2).copied().unwrap_or_default();
        let bytes = [*first, middle, *last, text.len() as u8];
        let hash = u32::from_le_bytes(bytes).wrapping_mul(0x9e37_79b1) >> 24;
        let Some(slot) = self.slots.get_mut(hash as usize) else { return GoStr::from(text) };
        match slot {
            Some(known) if known.as_bytes() == text => known.clone(),
            _ => slot.insert(GoStr::from(text)).clone(),
        }
    }
}
