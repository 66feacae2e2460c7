"""Where everything of one run lies on its box; the layout is that of the embedded trainer, with folders for what only a GPU box has."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RunFolder:
    path: Path

    @property
    def spec(self) -> Path:
        return self.path / "spec.json"

    @property
    def journal(self) -> Path:
        return self.path / "events.jsonl"

    @property
    def completions(self) -> Path:
        return self.path / "completions"

    @property
    def control(self) -> Path:
        return self.path / "control.json"

    @property
    def pending(self) -> Path:
        return self.path / "pending.json"

    @property
    def batches(self) -> Path:
        """Tokens of every generation batch since the last checkpoint, one file a step and process."""
        return self.path / "batches"

    @property
    def draws(self) -> Path:
        """Completions of evaluations in progress."""
        return self.path / "draws"

    @property
    def ranks(self) -> Path:
        """What the processes of a run on several GPUs tell one another while they wait for grades."""
        return self.path / "ranks"

    @property
    def stages(self) -> Path:
        return self.path / "stages.json"

    @property
    def adapters(self) -> Path:
        return self.path / "adapters.json"

    def checkpoints(self, stage: str) -> Path:
        return self.path / "checkpoints" / stage

    def relative(self, path: Path) -> str:
        """As the journal names it: from the run's folder on."""
        return path.resolve().relative_to(self.path.resolve()).as_posix()
