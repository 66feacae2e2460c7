"""The spec of a run as the console froze it (``PipelineTrainerSpec`` in ``shared/domain/run.ts``), read with one clear line an error."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from .files import read_json, sha256
from .selection import Selection, read_selection

TRAINED_ON_FILES = ("cpt", "sft", "dpo", "kto", "recovery")
STAGES = ("baseline", *TRAINED_ON_FILES, "grpo", "final_eval")


class BadSpec(ValueError):
    """The spec cannot be run; the message names the field."""


@dataclass(frozen=True)
class Gates:
    first_loss_limit: float = 6.0
    later_factor: float = 3.0
    grad_norm_limit: float = 10_000.0


@dataclass(frozen=True)
class StageSpec:
    stage: str
    data: str | None = None
    epochs: float = 1.0
    max_steps: int | None = None
    learning_rate: float | None = None
    batch_size: int = 8
    gates: Gates = field(default_factory=Gates)


@dataclass(frozen=True)
class Lora:
    rank: int = 16
    alpha: float = 32.0
    dropout: float = 0.0
    targets: list[str] | None = None


@dataclass(frozen=True)
class Limits:
    """Tokens a prompt and a completion may have; sequences a forward pass; bytes kept free on each device."""

    prompt_tokens: int = 1024
    completion_tokens: int = 512
    micro_batch: int = 4
    reserve_bytes: int = 2**30


@dataclass(frozen=True)
class Cost:
    rate_per_hour: float
    currency: str


@dataclass(frozen=True)
class Trainer:
    backend: str
    seed: int
    stages: list[StageSpec]
    updates: int
    left_out: dict[str, str] = field(default_factory=dict)
    group_size: int = 4
    groups_per_step: int = 8
    learning_rate: float = 1e-5
    eval_draws: int = 128
    shaping: dict[str, float] = field(default_factory=dict)
    pace_ms: int = 0
    selection: Selection | None = None
    model: dict[str, Any] | None = None
    adapter: str | None = None
    lora: Lora = field(default_factory=Lora)
    limits: Limits = field(default_factory=Limits)
    checkpoint_every: int = 1
    block_deadline_s: float = 3600.0
    processes: int = 1
    vllm_server: str | None = None
    cost: Cost | None = None


@dataclass(frozen=True)
class RunSpec:
    run: str
    name: str
    suite_sha256: str
    commit: str | None
    trainer: Trainer
    raw: dict[str, Any]
    sha256: str
    """Of the file's text without its final newline: the console writes canonical JSON, so this is the hash that it knows."""


def read_spec(path: Path) -> RunSpec:
    """Raises ``BadSpec``."""
    try:
        raw = read_json(path)
    except ValueError as problem:
        raise BadSpec(f"{path.name} is no JSON") from problem
    if not isinstance(raw, dict):
        raise BadSpec(f"{path.name} is missing or no object")
    try:
        run, name, suite, trainer = raw["run"], raw["name"], raw["suite"], raw["trainer"]
        kind = trainer["kind"]
    except (KeyError, TypeError) as problem:
        raise BadSpec(f"{path.name} lacks {problem}") from problem
    if kind != "pipeline":
        raise BadSpec(f"trainer.kind is {kind!r}; this trainer runs 'pipeline'")
    digest = sha256(path.read_text(encoding="utf-8").strip())
    return RunSpec(run, name, suite["sha256"], suite.get("commit"), read_trainer(trainer), raw, digest)


T = TypeVar("T")


def _of(cls: type[T], value: Any, where: str) -> T:
    """A dataclass from JSON with camelCase names; unknown fields are ignored, as everywhere in the journal's world."""
    if not isinstance(value, dict):
        raise BadSpec(f"{where} is no object")
    names = cls.__dataclass_fields__  # type: ignore[attr-defined]
    known = {_snake(key): item for key, item in value.items() if _snake(key) in names}
    try:
        return cls(**known)
    except TypeError as problem:
        raise BadSpec(f"{where} lacks a field ({str(problem).split(': ')[-1]})") from problem


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


def read_trainer(value: Any) -> Trainer:
    """The ``trainer`` part of a spec. Raises ``BadSpec``."""
    if not isinstance(value, dict):
        raise BadSpec("trainer is no object")
    ready = dict(value)
    stages = value.get("stages")
    if not isinstance(stages, list) or not stages:
        raise BadSpec("trainer.stages is empty")
    ready["stages"] = [_stage(stage, f"trainer.stages[{number}]") for number, stage in enumerate(stages)]
    for name, cls in (("lora", Lora), ("limits", Limits), ("cost", Cost)):
        if value.get(name) is not None:
            ready[name] = _of(cls, value[name], f"trainer.{name}")
    try:
        ready["selection"] = read_selection(value.get("selection"))
    except (TypeError, ValueError) as problem:
        raise BadSpec(str(problem)) from problem
    trainer = _of(Trainer, ready, "trainer")
    _check(trainer)
    return trainer


def _stage(value: Any, where: str) -> StageSpec:
    if isinstance(value, dict) and "gates" in value:
        value = {**value, "gates": _of(Gates, value["gates"], f"{where}.gates")}
    stage = _of(StageSpec, value, where)
    if stage.stage not in STAGES:
        raise BadSpec(f"{where}.stage is {stage.stage!r}; known are {', '.join(STAGES)}")
    if stage.stage in TRAINED_ON_FILES and not stage.data:
        raise BadSpec(f"{where}.data is needed: {stage.stage} trains on a file")
    return stage


def _check(trainer: Trainer) -> None:
    names = [stage.stage for stage in trainer.stages]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise BadSpec(f"trainer.stages has {twice[0]} twice")
    if trainer.backend not in ("trl", "stand_in"):
        raise BadSpec(f"trainer.backend is {trainer.backend!r}; known are trl, stand_in")
    if trainer.backend == "trl" and not (trainer.model or {}).get("base"):
        raise BadSpec("trainer.model.base is needed: a folder on the box or a name in its model cache")
    if trainer.group_size < 2:
        raise BadSpec("trainer.groupSize is below 2: one completion has nothing to be compared with")
    if (trainer.groups_per_step * trainer.group_size) % (trainer.processes * min(trainer.limits.micro_batch, batch_rows(trainer))):
        raise BadSpec(
            f"groupsPerStep × groupSize ({trainer.groups_per_step * trainer.group_size}) is no multiple of processes × microBatch "
            f"({trainer.processes} × {trainer.limits.micro_batch})"
        )


def batch_rows(trainer: Trainer) -> int:
    """Completions of one step on one process."""
    return max(1, trainer.groups_per_step * trainer.group_size // trainer.processes)
