"""What the stages need of a training library. ``trl_glue.py`` fills it from TRL, ``standin/`` from a toy of the standard library."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Sequence

from .run_spec import RunSpec


@dataclass(frozen=True)
class Draw:
    """One completion of an evaluation."""

    text: str
    tokens: int
    truncated: bool


@dataclass(frozen=True)
class Policy:
    """``peft_config`` is None where ``model`` has an adapter already, or needs none."""

    model: Any
    tokenizer: Any
    peft_config: Any


class Kit(Protocol):
    """The classes carry TRL's own names and are used by TRL's documented contract alone."""

    label: str
    GRPOTrainer: type
    GRPOConfig: type
    SFTTrainer: type
    SFTConfig: type
    DPOTrainer: type
    DPOConfig: type
    KTOTrainer: type
    KTOConfig: type
    TrainerCallback: type

    def versions(self) -> dict[str, str]: ...

    def dataset(self, rows: list[dict[str, Any]]) -> Any: ...

    def prompt(self, text: str) -> Any:
        """A task's prompt in the form that the trainer's data set takes."""

    def load(self, spec: RunSpec, adapter: Path | None) -> Policy: ...

    def draw(self, policy: Policy, prompts: Sequence[Any], seeds: Sequence[int], longest: int) -> list[Draw]:
        """One completion a prompt; the same model, prompts and seeds give the same texts."""

    def seed(self, seed: int) -> None: ...

    def random_state(self) -> Any:
        """JSON of all generators that sampling and training draw from."""

    def restore_random_state(self, state: Any) -> None: ...

    def snapshot(self, model: Any) -> Any:
        """A copy of the trainable parameters."""

    def distance(self, model: Any, snapshot: Any) -> float:
        """L2 distance of the trainable parameters from a snapshot."""

    def devices(self) -> list[dict[str, Any]]:
        """As the journal's ``memory`` event has them."""

    def reset_peaks(self) -> None: ...

    def measure_first(self, trainer: Any, spec: RunSpec, longest_prompt: Any) -> dict[str, Any]:
        """Runs the worst step once without keeping anything of it; see ``memory_first``."""

    def arguments(self, stage: str, spec: RunSpec) -> dict[str, Any]:
        """What the library wants in a stage's configuration beside what every stage sets."""

    def release(self) -> None:
        """Gives back what a stage's model held."""
