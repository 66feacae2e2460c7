{
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