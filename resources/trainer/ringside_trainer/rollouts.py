"""Which rollout is which. Identity follows columns and ids, never a position that a shuffle or a gather could change."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Sequence

from .files import read_json, write_json


@dataclass(frozen=True)
class Rollout:
    """One completion before it is graded. ``completion_sha256`` names its text in the completions folder."""

    id: str
    task: str
    step: int
    group: int
    index: int
    completion_sha256: str
    tokens: int | None
    truncated: bool


def places(rows: Sequence[str], group_size: int) -> list[tuple[int, int]]:
    """(group, index) of each row of one generation batch.

    ``rows`` names the data set row behind each completion. Completions of one row fill its groups in order of appearance, so the answer
    does not change when rows of different groups are interleaved. Raises ``ValueError`` where a group stays incomplete.
    """
    seen: Counter[str] = Counter()
    groups: dict[tuple[str, int], int] = {}
    result = []
    for row in rows:
        turn, index = divmod(seen[row], group_size)
        seen[row] += 1
        group = groups.setdefault((row, turn), len(groups))
        result.append((group, index))
    odd = [row for row, count in seen.items() if count % group_size]
    if odd:
        raise ValueError(f"{odd[0]} has {seen[odd[0]]} completions, which is no multiple of the group size {group_size}")
    return result


class PendingGroup:
    """The generation batch in hand, on disk from before its first grade until after its update.

    A run that ends in between goes on with these very completions: sampling anew would let the outage choose what is trained on.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def save(self, step: int, prompts: Sequence[str], rollouts: Sequence[Rollout]) -> None:
        write_json(self.path, {"v": 1, "step": step, "prompts": list(prompts), "rollouts": [asdict(r) for r in rollouts]})

    def load(self) -> tuple[int, list[str], list[Rollout]] | None:
        """(step, prompts, rollouts), or None where no batch is pending."""
        value: dict[str, Any] | None = read_json(self.path)
        if value is None:
            return None
        return value["step"], value["prompts"], [Rollout(**rollout) for rollout in value["rollouts"]]

    def clear(self) -> None:
        self.path.unlink(missing_ok=True)
