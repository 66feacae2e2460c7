"""The journal together with what it already holds, so that a trainer that is killed and run again makes each event happen once."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

from .grades import Grade, is_graded
from .journal import Journal

Event = dict[str, Any]


class Once:
    """Writes like a ``Journal``, leaves out what the journal has, and knows what was graded, checkpointed and finished before."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._seen: set[str] = set()
        self.started: Event | None = None
        self.outcome: str | None = None
        self.completions: dict[str, str] = {}
        """sha256 of the completion of every rollout that was generated."""
        self.grades: dict[str, tuple[Grade, dict[str, Any] | None]] = {}
        """(grade, extraction) of every rollout that has a number."""
        self.prompts: dict[int, list[str]] = {}
        """Task of each group by step."""
        self.baseline: dict[str, tuple[int, int]] = {}
        """By task: the baseline's draws that passed, and those that have a number."""
        self.checkpoints: list[Event] = []
        self.evaluated: dict[str, Event] = {}
        self.began: str | None = None
        for event in journal.read():
            self._learn(event)

    @property
    def run(self) -> str:
        return self._journal.run

    @property
    def path(self) -> Path:
        return self._journal.path

    def write(self, type_: str, **fields: Any) -> Event | None:
        """The event as written, or None where the journal has it. Raises ``SchemaError`` as ``Journal.write`` does."""
        key = once_key(type_, fields)
        if key is not None and key in self._seen:
            return None
        event = self._journal.write(type_, **fields)
        self._learn(event)
        return event

    def has(self, type_: str, **fields: Any) -> bool:
        """Whether the journal holds that event; only for types that occur once."""
        return once_key(type_, fields) in self._seen

    def read(self) -> Iterator[Event]:
        return self._journal.read()

    def close(self) -> None:
        self._journal.close()

    def _learn(self, event: Event) -> None:
        type_ = event.get("type", "")
        self.began = self.began or event.get("at")
        try:
            key = once_key(type_, event)
        except (KeyError, TypeError):
            return
        if key is not None:
            self._seen.add(key)
        if type_ == "run.started":
            self.started = event
        elif type_ == "run.resumed":
            self.outcome = None
        elif type_ == "run.finished":
            self.outcome = event["outcome"]
        elif type_ == "rollout.generated":
            self.completions[event["rollout"]] = event["completionSha256"]
        elif type_ in ("rollout.graded", "eval.draw") and is_graded(event["grade"]):
            self.grades[event["rollout"]] = (event["grade"], event.get("extraction"))
            if event.get("policy") == "baseline":
                passed, graded = self.baseline.get(event["task"], (0, 0))
                self.baseline[event["task"]] = (passed + (event["grade"]["status"] == "passed"), graded + 1)
        elif type_ == "step.started":
            self.prompts[event["step"]] = event["prompts"]
        elif type_ == "checkpoint":
            self.checkpoints.append(event)
        elif type_ == "eval.finished":
            self.evaluated[event["policy"]] = event


def once_key(type_: str, fields: dict[str, Any]) -> str | None:
    """What may be in a journal once only; None for what may repeat. A silent grade and the number that replaces it are two things."""
    if type_ == "run.started":
        return type_
    if type_ in ("stage.started", "stage.finished"):
        return f"{type_}/{fields['stage']}"
    if type_ in ("step.started", "step.finished"):
        return f"{type_}/{fields['step']}"
    if type_ == "stage.step":
        return f"{type_}/{fields['stage']}/{fields['step']}"
    if type_ == "checkpoint":
        return f"{type_}/{fields['path']}"
    if type_ == "rollout.generated":
        return f"generated/{fields['rollout']}"
    if type_ in ("rollout.graded", "eval.draw"):
        return f"{'graded' if is_graded(fields['grade']) else 'silent'}/{fields['rollout']}"
    if type_ in ("eval.started", "eval.finished"):
        return f"{type_}/{fields['policy']}"
    if type_ == "alert" and isinstance(fields["evidence"], dict) and fields["evidence"].get("once"):
        return f"alert/{fields['code']}/{fields['evidence']['once']}"
    return None
