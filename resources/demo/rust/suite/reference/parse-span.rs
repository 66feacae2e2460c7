{
        let Some((left, right)) = text.split_once("..") else {
            return Err(ParseSpanError::MissingDash);
        };
        let number = |part: &str| {
            let part = part.trim();
            part.parse::<i64>()
                .map_err(|_| ParseSpanError::BadNumber(part.to_string()))
        };
        let start = number(left)?;
        let end = number(right)?;
        if end < start {
            return Err(ParseSpanError::Reversed);
        }
        Ok(Span { start, end })
    }