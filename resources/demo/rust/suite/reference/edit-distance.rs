{
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let exchanged = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = exchanged.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}