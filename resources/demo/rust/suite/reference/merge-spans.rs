{
    let mut sorted: Vec<Span> = spans
        .iter()
        .copied()
        .filter(|span| !span.is_empty())
        .collect();
    sorted.sort();
    let mut merged: Vec<Span> = Vec::with_capacity(sorted.len());
    for span in sorted {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => {
                if span.end > last.end {
                    last.end = span.end;
                }
            }
            _ => merged.push(span),
        }
    }
    merged
}