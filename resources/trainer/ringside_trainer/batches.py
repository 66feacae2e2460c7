"""The tokens of every generation batch since the last checkpoint, so that what was sampled once is never sampled again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .files import read_json, sha256, write_json


@dataclass(frozen=True)
class Batch:
    """``random_after`` is the state of the process's generators after sampling; with it a resumed run draws on as if never ended."""

    completion_ids: list[list[int]]
    logprobs: list[list[float]] | None
    random_after: Any

    @property
    def tokens_sha256(self) -> str:
        return tokens_sha256(self.completion_ids)


def tokens_sha256(ids: list[list[int]]) -> str:
    return sha256(json.dumps(ids, separators=(",", ":")))


class Batches:
    """One file a step for one process (``rank``). A file is whole or not there."""

    def __init__(self, folder: Path, rank: int) -> None:
        self._folder, self._rank = folder, rank

    def _path(self, step: int) -> Path:
        return self._folder / f"step-{step}.rank-{self._rank}.json"

    def save(self, step: int, batch: Batch) -> None:
        write_json(self._path(step), {
            "v": 1, "step": step, "completionIds": batch.completion_ids, "logprobs": batch.logprobs, "randomAfter": batch.random_after,
            "tokensSha256": batch.tokens_sha256,
        })

    def load(self, step: int) -> Batch | None:
        """Raises ``ValueError`` where the file's tokens are not those that were saved."""
        value = read_json(self._path(step))
        if value is None:
            return None
        batch = Batch(value["completionIds"], value["logprobs"], value["randomAfter"])
        if batch.tokens_sha256 != value["tokensSha256"]:
            raise ValueError(f"the saved tokens of step {step} were changed; restore {self._path(step).name} or start a new run")
        return batch

    def drop_through(self, step: int) -> None:
        """Forgets what a checkpoint after ``step`` makes unnecessary."""
        for path in self._folder.glob(f"step-*.rank-{self._rank}.json"):
            if int(path.name.split(".")[0].split("-")[1]) <= step:
                path.unlink(missing_ok=True)
