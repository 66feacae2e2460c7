"""Figures as the journal takes them: a number, or None where it is not known."""

from __future__ import annotations

import math
import statistics
from typing import Any, Sequence


def finite(value: Any) -> float | None:
    """The value as a number, or None where there is none or it is not finite (JSON has no NaN)."""
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


def sample_std(values: Sequence[float]) -> float | None:
    """With n − 1 below; None for fewer than two values."""
    return statistics.stdev(values) if len(values) > 1 else None
