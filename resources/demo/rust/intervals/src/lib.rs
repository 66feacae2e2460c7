//! Half-open spans of whole numbers, and what a booking system asks of them.

pub mod calendar;
mod group;
mod merge;
mod span;

pub use group::group_runs;
pub use merge::merge_spans;
pub use span::{ParseSpanError, Span};
