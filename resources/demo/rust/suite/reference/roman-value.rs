{
    if text.is_empty() {
        return Err(RomanError::Empty);
    }
    let mut values = Vec::with_capacity(text.len());
    for c in text.chars() {
        values.push(letter(c).ok_or(RomanError::BadLetter(c))?);
    }
    let mut total = 0;
    for (at, &value) in values.iter().enumerate() {
        match values.get(at + 1) {
            Some(&next) if next > value => {
                if !matches!(
                    (value, next),
                    (1, 5 | 10) | (10, 50 | 100) | (100, 500 | 1000)
                ) {
                    return Err(RomanError::BadOrder);
                }
                if at > 0 && values[at - 1] <= value {
                    return Err(RomanError::BadOrder);
                }
                total -= value as i64;
            }
            _ => total += value as i64,
        }
    }
    Ok(total as u32)
}