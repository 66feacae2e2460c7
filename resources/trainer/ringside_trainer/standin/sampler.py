"""The order in which TRL's sampler gives rows: every row a group's size of times, and the batch again for every pass over it."""

from __future__ import annotations

from typing import Iterator


def repeated(rows: int, group_size: int, batch_rows: int, repeats: int) -> Iterator[list[int]]:
    """Batches of ``batch_rows * group_size`` row numbers, each ``repeats`` times in a row; a last batch that is not full is left out."""
    for first in range(0, rows - batch_rows + 1, batch_rows):
        batch = [row for row in range(first, first + batch_rows) for _ in range(group_size)]
        for _ in range(repeats):
            yield batch
