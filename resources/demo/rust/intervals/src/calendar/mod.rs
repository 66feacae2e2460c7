//! Free time in a day's bookings.

pub mod rules {
    use crate::{Span, merge_spans};

    /// The first start at or after `from` at which `length` fits between the bookings.
    ///
    /// # Panics
    /// Where `length` is not positive.
    // ringside:hold-out next-free
    pub fn next_free(bookings: &[Span], from: i64, length: i64) -> i64 {
        assert!(length > 0, "length must be positive");
        let busy = merge_spans(bookings);
        let mut start = from;
        for span in &busy {
            if span.end <= start {
                continue;
            }
            if span.start - start >= length {
                break;
            }
            start = span.end;
        }
        start
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        // ringside:test next-free
        #[test]
        fn fits_before_between_and_after() {
            let day = [Span::new(9, 10), Span::new(12, 15)];
            assert_eq!(next_free(&day, 8, 1), 8);
            assert_eq!(next_free(&day, 9, 2), 10);
            assert_eq!(next_free(&day, 9, 3), 15);
        }

        // ringside:test next-free
        #[test]
        fn starts_inside_a_booking() {
            assert_eq!(next_free(&[Span::new(1, 5)], 3, 2), 5);
            assert_eq!(next_free(&[Span::new(1, 5)], 5, 2), 5);
        }

        // ringside:test next-free
        #[test]
        #[should_panic(expected = "positive")]
        fn no_length() {
            next_free(&[], 0, 0);
        }
    }
}
