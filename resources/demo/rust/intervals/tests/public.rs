use intervals::{Span, calendar::rules::next_free, merge_spans};

// ringside:test span-overlap merge-spans
#[test]
fn overlap_and_merge_agree() {
    for a in -2..5 {
        for b in -2..5 {
            let one = Span::new(a, a + 3);
            let two = Span::new(b, b + 2);
            let merged: i64 = merge_spans(&[one, two]).iter().map(Span::len).sum();
            let shared = one.overlap(&two).map_or(0, |span| span.len());
            assert_eq!(merged, 5 - shared);
        }
    }
}

// ringside:test next-free
#[test]
fn fits_before_between_and_after() {
    let full_day = [Span::new(0, 24)];
    assert_eq!(next_free(&full_day, 3, 1), 24);
}
