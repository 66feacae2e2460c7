use intervals::Span;
use ledger::Matrix;
use ledger::entry::{Book, Entry};
use std::cmp::Ordering;

fn entry(start: i64, cents: i64, note: &str) -> Entry {
    Entry {
        days: Span::new(start, start + 1),
        cents,
        note: note.to_string(),
    }
}

// ringside:test book-insert
#[test]
fn stays_in_order() {
    let mut book = Book::default();
    for (start, cents) in [(5, 1), (1, 2), (9, 3), (1, 7), (5, 1)] {
        book.insert(entry(start, cents, "x"));
    }
    let got: Vec<(i64, i64)> = book
        .entries()
        .iter()
        .map(|e| (e.days.start, e.cents))
        .collect();
    assert_eq!(got, [(1, 7), (1, 2), (5, 1), (5, 1), (9, 3)]);
}

#[derive(Debug, Clone, Copy)]
struct Keyed(u8, char);
impl PartialEq for Keyed {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl Eq for Keyed {}
impl PartialOrd for Keyed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Keyed {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

// ringside:test book-insert
#[test]
fn equal_entries_keep_their_order() {
    let mut book = Book::default();
    let places: Vec<usize> = [Keyed(2, 'a'), Keyed(1, 'b'), Keyed(2, 'c'), Keyed(1, 'd')]
        .into_iter()
        .map(|e| book.insert(e))
        .collect();
    assert_eq!(places, [0, 0, 2, 1]);
    let order: String = book.entries().iter().map(|e| e.1).collect();
    assert_eq!(order, "bdac");
}

// ringside:negative-control book-insert
#[test]
#[ignore = "negative control"]
fn newest_first() {
    let mut book = Book::default();
    book.insert(1);
    assert_eq!(book.insert(2), 0);
}

// ringside:test matrix-product
#[test]
fn multiplies() {
    let a = Matrix([[1, 2, 3], [4, 5, 6]]);
    let b = Matrix([[7, 8], [9, 10], [11, 12]]);
    assert_eq!(a * b, Matrix([[58, 64], [139, 154]]));
    let by_one = Matrix([[2]]) * Matrix([[3, 4]]);
    assert_eq!(by_one, Matrix([[6, 8]]));
}

// ringside:test matrix-product
#[test]
fn wraps() {
    assert_eq!(Matrix([[i64::MAX]]) * Matrix([[2]]), Matrix([[-2]]));
}

// ringside:negative-control matrix-product
#[test]
#[ignore = "negative control"]
fn multiplies_cell_by_cell() {
    assert_eq!(
        Matrix([[1, 2], [3, 4]]) * Matrix([[1, 1], [1, 1]]),
        Matrix([[1, 2], [3, 4]])
    );
}
