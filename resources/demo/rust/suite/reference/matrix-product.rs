{
        let mut product = [[0i64; N]; R];
        for (row, out) in self.0.iter().zip(product.iter_mut()) {
            for (column, cell) in out.iter_mut().enumerate() {
                let mut sum = 0i64;
                for (at, value) in row.iter().enumerate() {
                    let term = value.wrapping_mul(other.0[at][column]);
                    sum = sum.wrapping_add(term);
                }
                *cell = sum;
            }
        }
        Matrix(product)
    }