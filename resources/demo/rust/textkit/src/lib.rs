//! Small text tools.

mod distance;
mod roman;
mod title;
mod words;
mod wrap;

pub use distance::edit_distance;
pub use roman::{RomanError, roman_value};
pub use title::ascii_title;
pub use words::Words;
pub use wrap::wrap_lines;
