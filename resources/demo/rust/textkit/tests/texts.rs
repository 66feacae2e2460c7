use textkit::{Words, edit_distance, roman_value, wrap_lines};

mod distances {
    use super::edit_distance;

    // ringside:test edit-distance
    #[test]
    fn known_pairs() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("flaw", "lawn"), 2);
        assert_eq!(edit_distance("größe", "grosse"), 3);
    }

    // ringside:test edit-distance
    #[test]
    fn empty() {
        assert_eq!(edit_distance("", ""), 0);
        assert_eq!(edit_distance("abc", ""), 3);
        assert_eq!(edit_distance("", "ab"), 2);
    }

    // ringside:negative-control edit-distance
    #[test]
    #[ignore = "negative control"]
    fn is_the_difference_of_lengths() {
        assert_eq!(edit_distance("abc", "xyz"), 0);
    }
}

// ringside:test edit-distance
#[test]
fn is_a_metric() {
    let words = ["", "a", "ab", "ba", "abc", "cab"];
    for a in words {
        assert_eq!(edit_distance(a, a), 0);
        for b in words {
            assert_eq!(edit_distance(a, b), edit_distance(b, a));
            for c in words {
                assert!(edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c));
            }
        }
    }
}

// ringside:test words-next wrap-lines
#[test]
fn wrapping_keeps_the_words() {
    let text = "the quick, brown fox can't jump";
    let wrapped = wrap_lines(text, 9).join("\n");
    assert!(Words::new(text).eq(Words::new(&wrapped)));
    assert_eq!(Words::new(text).count(), 6);
}

// ringside:test roman-value
#[test]
fn known_pairs() {
    assert_eq!(roman_value("MMXXVI"), Ok(2026));
}
