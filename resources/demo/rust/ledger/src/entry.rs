//! Entries and the order in which they are booked.

use intervals::Span;
use std::cmp::Ordering;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub days: Span,
    pub cents: i64,
    pub note: String,
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.days
            .cmp(&other.days)
            .then_with(|| other.cents.cmp(&self.cents))
            .then_with(|| self.note.cmp(&other.note))
    }
}

/// A book of entries that is always in order.
#[derive(Debug)]
pub struct Book<E> {
    entries: Vec<E>,
}

impl<E> Default for Book<E> {
    fn default() -> Self {
        Book {
            entries: Vec::new(),
        }
    }
}

impl<E: Ord> Book<E> {
    pub fn entries(&self) -> &[E] {
        &self.entries
    }

    /// Puts `entry` behind every entry that is not greater, and returns its place. Equal entries keep the order in which they came.
    // ringside:hold-out book-insert
    pub fn insert(&mut self, entry: E) -> usize {
        let mut low = 0;
        let mut high = self.entries.len();
        while low < high {
            let middle = low + (high - low) / 2;
            if self.entries[middle] <= entry {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.entries.insert(low, entry);
        low
    }
}
