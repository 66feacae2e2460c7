{
        let mut low = 0;
        let mut high = self.entries.len();
        while low < high {
            let middle = low + (high - low) / 2;
            if self.entries[middle] <= entry {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.entries.insert(low, entry);
        low
    }