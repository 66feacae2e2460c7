/// Breaks `text` into lines of at most `width` characters at its white space; a longer word stands alone on its line.
// ringside:hold-out wrap-lines
pub fn wrap_lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += length;
    }
    if used > 0 {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    // ringside:test wrap-lines
    #[test]
    fn fills_each_line() {
        assert_eq!(wrap_lines("a bb ccc dd e", 6), ["a bb", "ccc dd", "e"]);
    }

    // ringside:test wrap-lines
    #[test]
    fn long_words_stand_alone() {
        assert_eq!(
            wrap_lines("a incomprehensible b", 5),
            ["a", "incomprehensible", "b"]
        );
    }

    // ringside:test wrap-lines
    #[test]
    fn counts_characters_not_bytes() {
        assert_eq!(wrap_lines("öö öö", 5), ["öö öö"]);
    }

    // ringside:test wrap-lines
    #[test]
    fn empty() {
        assert!(wrap_lines(" \n ", 3).is_empty());
    }

    // ringside:negative-control wrap-lines
    #[test]
    #[ignore = "negative control"]
    fn never_breaks() {
        assert_eq!(wrap_lines("aa bb cc", 2).len(), 1);
    }
}
