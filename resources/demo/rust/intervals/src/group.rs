/// Splits `items` into runs of neighbours with equal keys: each run's key and its items, in the order given.
// ringside:hold-out group-runs
pub fn group_runs<T, K, F>(items: Vec<T>, mut key: F) -> Vec<(K, Vec<T>)>
where
    K: PartialEq,
    F: FnMut(&T) -> K,
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

#[cfg(test)]
mod tests {
    use super::*;

    // ringside:test group-runs
    #[test]
    fn splits_where_the_key_changes() {
        let runs = group_runs(vec![1, 3, 2, 4, 5], |n| n % 2);
        assert_eq!(runs, vec![(1, vec![1, 3]), (0, vec![2, 4]), (1, vec![5])]);
    }

    // ringside:test group-runs
    #[test]
    fn empty() {
        assert!(group_runs(Vec::<u8>::new(), |n| *n).is_empty());
    }

    // ringside:test group-runs
    #[test]
    fn asks_for_each_key_once() {
        let mut asked = 0;
        let runs = group_runs(vec!["a", "ab", "b"], |word| {
            asked += 1;
            word.chars().next()
        });
        assert_eq!(asked, 3);
        assert_eq!(runs.len(), 2);
    }

    // ringside:negative-control group-runs
    #[test]
    #[ignore = "negative control"]
    fn gathers_across_gaps() {
        assert_eq!(group_runs(vec![1, 2, 1], |n| *n).len(), 2);
    }
}
