{
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