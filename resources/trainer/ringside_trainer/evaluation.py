"""The pass rate before and after, on the same fixed draws of the same tasks, graded by the run's verifier; nothing is learnt from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .adapters import HeldOut
from .context import Context
from .files import read_json, write_json
from .kit import Draw, Policy
from .pipeline import Stopped
from .verifier import grade_of

CHUNK = 32
"""Draws that are sampled, saved and graded together: small enough that a stop does not wait long, large enough to fill a device."""


def evaluate(on: Context, policy_name: str) -> None:
    """Draw i has seed i for every policy, so that rates can be compared in pairs. Raises ``Blocked``; may be called again.

    Where the operator stops it, what is graded by then is journalled as a partial evaluation, with the planned count beside it.
    """
    planned = on.spec.trainer.eval_draws
    if planned == 0 or not on.ranks.leads or policy_name in on.journal.evaluated:
        return
    on.journal.write("eval.started", policy=policy_name, planned=planned)
    lazy = _Lazy(on)
    ids: list[str] = []
    for first in range(0, planned, CHUNK):
        if on.control.stopping:
            break
        ids += _chunk(on, policy_name, range(first, min(first + CHUNK, planned)), lazy)
    if on.control.interrupted and len(ids) < planned:
        raise Stopped()
    grades = [on.journal.grades[id_][0] for id_ in ids]
    passed = sum(grade["status"] == "passed" for grade in grades)
    on.journal.write("eval.finished", policy=policy_name, planned=planned, drawn=len(grades), passed=passed)
    if len(grades) < planned:
        on.journal.write(
            "alert", code="evaluation_partial", level="warning", evidence={"policy": policy_name, "drawn": len(grades), "planned": planned},
            text=f"The {policy_name} evaluation is partial: {len(grades)} of {planned} draws; its rate is not comparable.")
    if on.registry.current is not None:
        on.registry.measure(on.registry.current, HeldOut(passed, len(grades), planned))
    on.log(f"{policy_name} evaluation: {passed} of {len(grades)} draws pass the run's suite")
    on.kit.release()
    if len(grades) < planned:
        raise Stopped()


def _chunk(on: Context, policy_name: str, numbers: range, lazy: "_Lazy") -> list[str]:
    """The rollout ids of the chunk's draws, each with a number in the journal when this returns."""
    tasks = [on.tasks[number % len(on.tasks)] for number in numbers]
    path = on.folder.draws / f"{policy_name}-{numbers.start}.json"
    saved: list[dict[str, Any]] | None = read_json(path)
    if saved is None:
        draws = on.kit.draw(
            lazy.policy(), [on.kit.prompt(task["prompt"]) for task in tasks], list(numbers), on.spec.trainer.limits.completion_tokens)
        saved = [_saved(on, draw) for draw in draws]
        write_json(path, saved)
    ids = [f"{on.spec.run}/eval/{policy_name}/{task['id']}/{number}" for task, number in zip(tasks, numbers)]
    for id_, task, number, draw in zip(ids, tasks, numbers, saved):
        on.journal.write(
            "rollout.generated", rollout=id_, step=None, group=None, index=number, task=task["id"], completionSha256=draw["sha256"],
            tokens=draw["tokens"], truncated=draw["truncated"])
    by_id = {id_: (task["id"], number) for id_, task, number in zip(ids, tasks, numbers)}

    def on_line(line: dict[str, Any]) -> None:
        task, number = by_id[line["id"]]
        on.journal.write("eval.draw", policy=policy_name, task=task, drawSeed=number, rollout=line["id"], grade=grade_of(line))

    items = [{"id": id_, "task": by_id[id_][0], "completion": on.store.get(draw["sha256"])}
             for id_, draw in zip(ids, saved) if id_ not in on.journal.grades]
    on.waiting.grade(on.spec.run, items, on_line)
    return ids


def _saved(on: Context, draw: Draw) -> dict[str, Any]:
    return {"sha256": on.store.put(draw.text), "tokens": draw.tokens, "truncated": draw.truncated}


class _Lazy:
    """The model is loaded only where something is left to draw."""

    def __init__(self, on: Context) -> None:
        self._on, self._policy = on, None

    def policy(self) -> Policy:
        if self._policy is None:
            current = self._on.registry.current
            given = self._on.spec.trainer.adapter
            folder = self._on.registry.folder(self._on.registry.get(current)) if current else Path(given) if given else None
            self._policy = self._on.kit.load(self._on.spec, folder)
        return self._policy
