{
    let mut runs: Vec<(K, Vec<T>)> = Vec::new();
    for item in items {
        let current = key(&item);
        let same = match runs.last() {
            Some((last, _)) => *last == current,
            None => false,
        };
        if same {
            if let Some((_, members)) = runs.last_mut() {
                members.push(item);
            }
        } else {
            runs.push((current, vec![item]));
        }
    }
    runs
}