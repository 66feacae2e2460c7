"""Grades and what makes one silent. Mirrors the console's ``shared/domain/grade.ts``."""

from __future__ import annotations

from typing import Any

SILENT = ("no_test_ran", "unreachable", "unresolved")

Grade = dict[str, Any]


def is_graded(grade: Grade) -> bool:
    """Whether the grade carries a number. The three silent statuses are no word about the body, and never a 0."""
    return grade["status"] not in SILENT


def silent_grade(status: str, reason: str) -> Grade:
    """The grade of a body that nobody graded: it names no body and no evidence, and its reward is None."""
    if status not in SILENT:
        raise ValueError(f"{status} is no silent status")
    unknown = (
        "total", "passed", "buildMs", "testMs", "queueMs", "cache", "bodySha256", "suite", "commit", "verifier", "isolation",
        "evidenceSha256",
    )
    return {"status": status, "reward": None, "reason": reason, "tests": [], **{name: None for name in unknown}}


def of_line(line: dict[str, Any]) -> Grade:
    """The grade in one line of a verifier's reply, without the fields that only name it."""
    return {name: value for name, value in line.items() if name not in ("id", "task", "extraction")}
