/// Shares `amount` by `weights` so that the shares add up to it exactly: each share is rounded down, and the cents left over go one by
/// one to the greatest remainders, the earlier first among equals.
///
/// # Panics
/// Where the weights are empty or all 0.
// ringside:hold-out split-amount
pub fn split_amount(amount: u64, weights: &[u64]) -> Vec<u64> {
    let total: u128 = weights.iter().map(|&w| u128::from(w)).sum();
    assert!(total > 0, "weights must not be all zero");
    let mut shares = Vec::with_capacity(weights.len());
    let mut remainders = Vec::with_capacity(weights.len());
    for (at, &weight) in weights.iter().enumerate() {
        let product = u128::from(amount) * u128::from(weight);
        shares.push((product / total) as u64);
        remainders.push((product % total, at));
    }
    let mut left = amount - shares.iter().sum::<u64>();
    remainders.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    for (_, at) in remainders {
        if left == 0 {
            break;
        }
        shares[at] += 1;
        left -= 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    // ringside:test split-amount
    #[test]
    fn adds_up() {
        assert_eq!(split_amount(100, &[1, 1, 1]), [34, 33, 33]);
        assert_eq!(split_amount(101, &[1, 2]), [34, 67]);
        assert_eq!(split_amount(7, &[0, 1, 0]), [0, 7, 0]);
    }

    // ringside:test split-amount
    #[test]
    #[should_panic(expected = "all zero")]
    fn no_weights() {
        split_amount(5, &[]);
    }

    // ringside:test split-amount
    #[test]
    #[should_panic]
    fn only_zero_weights() {
        split_amount(5, &[0, 0]);
    }

    // ringside:test split-amount
    #[test]
    fn great_amounts() {
        assert_eq!(
            split_amount(u64::MAX, &[u64::MAX, u64::MAX]),
            [u64::MAX / 2 + 1, u64::MAX / 2]
        );
    }

    // ringside:negative-control split-amount
    #[test]
    #[ignore = "negative control"]
    fn loses_the_rest() {
        assert_eq!(split_amount(100, &[1, 1, 1]), [33, 33, 33]);
    }
}
