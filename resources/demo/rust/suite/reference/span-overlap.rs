{
        if self.is_empty() || other.is_empty() {
            return None;
        }
        let start = if self.start > other.start {
            self.start
        } else {
            other.start
        };
        let end = if self.end < other.end {
            self.end
        } else {
            other.end
        };
        if start < end {
            Some(Span { start, end })
        } else {
            None
        }
    }