/// Words of a text: runs of letters, digits and apostrophes inside a word.
pub struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub fn new(text: &'a str) -> Self {
        Words { rest: text }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    /// An apostrophe belongs to a word only between two letters or digits.
    // ringside:hold-out words-next
    fn next(&mut self) -> Option<&'a str> {
        let start = self.rest.find(|c: char| c.is_alphanumeric())?;
        let text = &self.rest[start..];
        let mut end = text.len();
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let inside = c == '\'' && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
            if !c.is_alphanumeric() && !inside {
                end = at;
                break;
            }
        }
        self.rest = &text[end..];
        Some(&text[..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        Words::new(text).collect()
    }

    // ringside:test words-next
    #[test]
    fn splits_at_anything_else() {
        assert_eq!(words("one, two--three4"), ["one", "two", "three4"]);
    }

    // ringside:test words-next
    #[test]
    fn keeps_inner_apostrophes() {
        assert_eq!(words("don't 'quote' it's'"), ["don't", "quote", "it's"]);
    }

    // ringside:test words-next
    #[test]
    fn empty() {
        assert!(words("").is_empty());
        assert!(words(" .. '' ").is_empty());
    }

    // ringside:test words-next
    #[test]
    fn counts_letters_of_every_script() {
        assert_eq!(words("Größe—naïve 東京"), ["Größe", "naïve", "東京"]);
    }

    // ringside:negative-control words-next
    #[test]
    #[ignore = "negative control"]
    fn splits_at_spaces_only() {
        assert_eq!(words("one, two"), ["one,", "two"]);
    }
}
