{
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