#[derive(Debug, PartialEq, Eq)]
pub enum RomanError {
    Empty,
    BadLetter(char),
    BadOrder,
}

fn letter(c: char) -> Option<u32> {
    Some(match c {
        'I' => 1,
        'V' => 5,
        'X' => 10,
        'L' => 50,
        'C' => 100,
        'D' => 500,
        'M' => 1000,
        _ => return None,
    })
}

/// The number a roman numeral stands for. A smaller letter before a greater one is subtracted, and only the pairs IV, IX, XL, XC, CD
/// and CM may do so; anything else out of order is `BadOrder`.
// ringside:hold-out roman-value
pub fn roman_value(text: &str) -> Result<u32, RomanError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    // ringside:test roman-value
    #[test]
    fn adds_and_subtracts() -> Result<(), RomanError> {
        for (text, value) in [
            ("III", 3),
            ("IV", 4),
            ("XIX", 19),
            ("MCMXCIV", 1994),
            ("DCCC", 800),
        ] {
            let got = roman_value(text).map_err(|error| {
                eprintln!("{text} failed");
                error
            })?;
            assert_eq!(got, value, "{text}");
        }
        Ok(())
    }

    // ringside:test roman-value
    #[test]
    fn refuses_other_letters() {
        assert_eq!(roman_value(""), Err(RomanError::Empty));
        assert_eq!(roman_value("XKI"), Err(RomanError::BadLetter('K')));
    }

    // ringside:test roman-value
    #[test]
    fn refuses_odd_pairs() {
        assert_eq!(roman_value("IC"), Err(RomanError::BadOrder));
        assert_eq!(roman_value("VX"), Err(RomanError::BadOrder));
        assert_eq!(roman_value("IIX"), Err(RomanError::BadOrder));
    }

    // ringside:negative-control roman-value
    #[test]
    #[ignore = "negative control"]
    fn only_adds() {
        assert_eq!(roman_value("IV"), Ok(6));
    }
}
