/// Upper-cases the first ASCII letter of every word in place and lower-cases the rest; other bytes stay as they are.
// ringside:hold-out ascii-title
pub fn ascii_title(text: &mut str) {
    // SAFETY: only ASCII letters are exchanged for ASCII letters, so the text stays UTF-8.
    let bytes = unsafe { text.as_bytes_mut() };
    let mut first = true;
    for byte in bytes {
        let letter = byte.is_ascii_alphabetic();
        if letter {
            *byte = if first {
                byte.to_ascii_uppercase()
            } else {
                byte.to_ascii_lowercase()
            };
        }
        first = !(letter || byte.is_ascii_digit() || *byte >= 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titled(text: &str) -> String {
        let mut owned = text.to_string();
        ascii_title(&mut owned);
        owned
    }

    // ringside:test ascii-title
    #[test]
    fn changes_letters_of_words() {
        assert_eq!(titled("hello wORLD, again"), "Hello World, Again");
    }

    // ringside:test ascii-title
    #[test]
    fn other_scripts_stay() {
        assert_eq!(titled("éTE grün"), "éte Grün");
    }

    // ringside:test ascii-title
    #[test]
    fn digits_count_as_inside() {
        assert_eq!(titled("3rd 4X"), "3rd 4x");
    }

    // ringside:negative-control ascii-title
    #[test]
    #[ignore = "negative control"]
    fn leaves_it_alone() {
        assert_eq!(titled("hello"), "hello");
    }
}
