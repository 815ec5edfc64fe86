//! What templates do with a value.

use std::ops::{BitOr, BitOrAssign};

/// A set of uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses(u32);

impl Uses {
    pub(crate) const NONE: Self = Self(0);
    /// Written as it is.
    pub(crate) const PRINTED: Self = Self(1);
    /// Written in quotes, or otherwise turned into text whatever it is.
    pub(crate) const QUOTED: Self = Self(1 << 1);
    /// Given to a function that takes nothing but text.
    pub(crate) const TEXT: Self = Self(1 << 2);
    /// Turned into a number.
    pub(crate) const CAST: Self = Self(1 << 3);
    /// Only its truth is looked at.
    pub(crate) const TRUTH: Self = Self(1 << 4);
    /// Ranged over.
    pub(crate) const RANGE: Self = Self(1 << 5);
    /// Ranged over with a variable for the key that is not called like a list's index.
    pub(crate) const KEYED: Self = Self(1 << 6);
    /// Looked into by key.
    pub(crate) const KEYS: Self = Self(1 << 7);
    /// Given to a function that takes nothing but lists.
    pub(crate) const LIST: Self = Self(1 << 8);
    /// Written as YAML or JSON.
    pub(crate) const DUMPED: Self = Self(1 << 9);
    /// Handed on to where it is not followed.
    pub(crate) const PASSED: Self = Self(1 << 10);
    /// Compared with a text.
    pub(crate) const EQ_TEXT: Self = Self(1 << 11);
    /// Compared with a number.
    pub(crate) const EQ_NUMBER: Self = Self(1 << 12);
    /// Compared with true or false.
    pub(crate) const EQ_BOOL: Self = Self(1 << 13);
    /// Has a text to stand in for it.
    pub(crate) const OR_TEXT: Self = Self(1 << 14);
    /// Has a number to stand in for it.
    pub(crate) const OR_NUMBER: Self = Self(1 << 15);
    /// Has true or false to stand in for it.
    pub(crate) const OR_BOOL: Self = Self(1 << 16);
    /// Asked whether it is text.
    pub(crate) const KIND_TEXT: Self = Self(1 << 17);
    /// Asked whether it is a map.
    pub(crate) const KIND_MAP: Self = Self(1 << 18);
    /// Asked whether it is a list.
    pub(crate) const KIND_LIST: Self = Self(1 << 19);
    /// Asked whether it is true or false.
    pub(crate) const KIND_BOOL: Self = Self(1 << 20);
    /// Asked whether it is a number.
    pub(crate) const KIND_NUMBER: Self = Self(1 << 21);
    /// Written as the number of replicas of an object.
    pub(crate) const REPLICAS: Self = Self(1 << 22);

    pub(crate) const fn any(self, of: Self) -> bool {
        self.0 & of.0 != 0
    }

    /// Reports whether there is no use beyond `of`.
    pub(crate) const fn only(self, of: Self) -> bool {
        self.0 & !of.0 == 0
    }

    pub(crate) const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Returns the uses that asking for a kind by name stands for, as `kindIs` and `typeIs` name them.
    pub(super) fn of_kind(name: &str) -> Self {
        if name.contains("map") {
            Self::KIND_MAP
        } else if name == "slice" || name.starts_with("[]") {
            Self::KIND_LIST
        } else if name == "string" {
            Self::KIND_TEXT
        } else if name == "bool" {
            Self::KIND_BOOL
        } else if name.starts_with("int") || name.starts_with("float") {
            Self::KIND_NUMBER
        } else {
            Self::NONE
        }
    }
}

impl BitOr for Uses {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Uses {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
