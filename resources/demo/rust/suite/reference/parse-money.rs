{
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let groups: Vec<&str> = whole.split(',').collect();
    for (at, group) in groups.iter().enumerate() {
        let fits = match (groups.len(), at) {
            (1, _) => true,
            (_, 0) => group.len() <= 3,
            _ => group.len() == 3,
        };
        if !fits || !all_digits(group) {
            return None;
        }
    }
    if !all_digits(fraction) || fraction.len() > 2 {
        return None;
    }
    let whole: i64 = groups.concat().parse().ok()?;
    let mut cents: i64 = fraction.parse().ok()?;
    if fraction.len() == 1 {
        cents *= 10;
    }
    whole
        .checked_mul(100)?
        .checked_add(cents)
        .map(|total| sign * total)
}