{
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