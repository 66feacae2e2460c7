use std::ops::Mul;

/// A small matrix of whole numbers, rows first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix<const R: usize, const C: usize>(pub [[i64; C]; R]);

impl<const R: usize, const C: usize, const N: usize> Mul<Matrix<C, N>> for Matrix<R, C> {
    type Output = Matrix<R, N>;

    /// The product of the two; entries are sums of products, wrapping where they are too great.
    // ringside:hold-out matrix-product
    fn mul(self, other: Matrix<C, N>) -> Matrix<R, N> {
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
}
