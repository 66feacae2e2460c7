//! Amounts in whole cents, and the sums a small business does with them.

pub mod entry;
mod matrix;
mod money;
mod split;

pub use matrix::Matrix;
pub use money::{late_fee, parse_money};
pub use split::split_amount;
