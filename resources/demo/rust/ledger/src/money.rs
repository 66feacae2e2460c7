/// Cents of an amount such as `12`, `12.5`, `-3.07` or `1,204.99`; commas only between groups of three digits.
// ringside:hold-out parse-money
pub fn parse_money(text: &str) -> Option<i64> {
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

/// The fee on an amount in cents that is `days` late: none up to 14 days, 2 % up to 30, 5 % after that, rounded down, at least 100
/// cents where there is a fee at all.
// ringside:hold-out late-fee
pub fn late_fee(amount: u64, days: u32) -> u64 {
    if amount == 0 {
        return 0;
    }
    let percent = if days <= 14 {
        return 0;
    } else if days <= 30 {
        2
    } else {
        5
    };
    let fee = amount / 100 * percent + amount % 100 * percent / 100;
    if fee < 100 { 100 } else { fee }
}

#[cfg(test)]
mod tests {
    use super::*;

    // ringside:test parse-money
    #[test]
    fn reads_amounts() {
        assert_eq!(parse_money("12"), Some(1200));
        assert_eq!(parse_money("12.5"), Some(1250));
        assert_eq!(parse_money("-3.07"), Some(-307));
        assert_eq!(parse_money("1,204.99"), Some(120_499));
        assert_eq!(parse_money("-1,000,000"), Some(-100_000_000));
    }

    // ringside:test parse-money
    #[test]
    fn refuses_the_rest() {
        for text in [
            "",
            "-",
            ".5",
            "5.",
            "1.234",
            "12,34",
            ",100",
            "1,0000",
            "--1",
            "1 0",
            "9223372036854775807",
        ] {
            assert_eq!(parse_money(text), None, "{text}");
        }
    }

    // ringside:negative-control parse-money
    #[test]
    #[ignore = "negative control"]
    fn takes_anything() {
        assert!(parse_money("12,34").is_some());
    }

    /// Weak on purpose: it looks far from both limits and never at one.
    // ringside:test late-fee
    #[test]
    fn grows_with_time() {
        assert_eq!(late_fee(100_000, 3), 0);
        assert_eq!(late_fee(100_000, 20), 2_000);
        assert_eq!(late_fee(100_000, 90), 5_000);
    }

    // ringside:test late-fee
    #[test]
    fn is_at_least_one() {
        assert_eq!(late_fee(500, 20), 100);
    }
}
