"""Which task each group of the next step gets, by where a group teaches. The same code as ``shared/selection`` has in TypeScript, which says why
each formula is as it is; ``shared/selection/golden.json`` holds both to the same numbers.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from typing import Any, Callable, Mapping, Sequence

UNLOCKED_BY = 0.6
"""A curriculum has every task unlocked after this share of the run."""

ENOUGH = 8
"""Rollouts below which a pass rate of 0 or 1 says little."""


@dataclass(frozen=True)
class Belief:
    """A Beta distribution over a task's pass rate."""

    alpha: float
    beta: float


@dataclass(frozen=True)
class Selection:
    """``SelectionSpec`` in ``shared/domain/selection.ts``."""

    by: str
    explore: float = 0.3
    kappa: float = 4.0
    epsilon: float = 1e-3
    remember_groups: float = 4.0
    anchor: dict[str, float] | None = None


@dataclass(frozen=True)
class State:
    beliefs: dict[str, Belief]
    anchors: dict[str, float | None]


def prior_from(phi: float | None, selection: Selection) -> Belief:
    """α = κφ + ε, β = κ(1 − φ) + ε; (1, 1) where nothing was measured."""
    if phi is None:
        return Belief(1.0, 1.0)
    return Belief(selection.kappa * phi + selection.epsilon, selection.kappa * (1 - phi) + selection.epsilon)


def mixed_chance(belief: Belief, group_size: int) -> float:
    """The chance that a group has a pass and a failure, under the Beta-binomial."""
    all_pass = all_fail = 1.0
    for i in range(group_size):
        all_pass *= (belief.alpha + i) / (belief.alpha + belief.beta + i)
        all_fail *= (belief.beta + i) / (belief.alpha + belief.beta + i)
    return max(0.0, 1 - all_pass - all_fail)


def observe(belief: Belief, passed: Sequence[bool | None], remembered: float) -> Belief:
    """The belief after a group. None is silence and changes nothing; older evidence fades to ``remembered`` rollouts."""
    known = [one for one in passed if one is not None]
    if not known:
        return belief
    kept = min(1.0, remembered / (belief.alpha + belief.beta))
    passes = sum(known)
    return Belief(belief.alpha * kept + passes, belief.beta * kept + len(known) - passes)


def begin(selection: Selection, tasks: Sequence[str], anchors: Mapping[str, float | None]) -> State:
    given = selection.anchor or {}
    known = {task: given[task] if task in given else anchors.get(task) for task in tasks}
    return State({task: prior_from(phi, selection) for task, phi in known.items()}, known)


def after_group(selection: Selection, state: State, task: str, passed: Sequence[bool | None]) -> State:
    belief = state.beliefs.get(task)
    if belief is None:
        return state
    after = observe(belief, passed, selection.remember_groups * len(passed))
    return replace(state, beliefs={**state.beliefs, task: after})


def select(
    selection: Selection, state: State, count: int, group_size: int, progress: float, chance: Callable[[], float],
) -> list[str]:
    """A task for each of ``count`` groups. ``progress`` is the share of the run that is done; ``chance`` gives numbers in [0, 1)."""
    if selection.by == "uniform":
        return _deal(list(state.beliefs), count, chance)
    if selection.by == "curriculum":
        return _deal(_unlocked(state, progress), count, chance)
    tasks = list(state.beliefs)
    utilities = [mixed_chance(belief, group_size) for belief in state.beliefs.values()]
    return [
        tasks[int(chance() * len(tasks))] if chance() < selection.explore else _weighted(tasks, utilities, chance())
        for _ in range(count)]


def _deal(tasks: list[str], count: int, chance: Callable[[], float]) -> list[str]:
    dealt: list[str] = []
    while len(dealt) < count:
        left = list(tasks)
        while left and len(dealt) < count:
            dealt.append(left.pop(int(chance() * len(left))))
    return dealt


def _unlocked(state: State, progress: float) -> list[str]:
    by_ease = sorted(state.anchors, key=lambda task: -(0.5 if state.anchors[task] is None else state.anchors[task]))
    return by_ease[: max(1, math.ceil(len(by_ease) * min(1.0, progress / UNLOCKED_BY)))]


def _weighted(tasks: list[str], weights: list[float], point: float) -> str:
    total = 0.0
    for weight in weights:
        total += weight
    if not total > 0:
        return tasks[int(point * len(tasks))]
    left = point * total
    for task, weight in zip(tasks, weights):
        left -= weight
        if left < 0:
            return task
    return tasks[-1]


def difficulty(passed: int, graded: int, confirmed: bool) -> str:
    """solved, useful, later, doubtful or unmeasured; see ``shared/selection/difficulty.ts``. A label is never changed."""
    if graded < ENOUGH:
        return "unmeasured"
    if passed == graded:
        return "solved"
    if passed > 0:
        return "useful"
    return "later" if confirmed else "doubtful"


class Chooser:
    """The tasks of each step, as a function of the journal: a run that was cut chooses on as it would have.

    ``prompts`` are the tasks of the groups of each step so far, ``passed`` tells a rollout's outcome by its id (None: no number).
    """

    def __init__(
        self, selection: Selection, run: str, seed: int, tasks: Sequence[str], anchors: Mapping[str, float | None],
        prompts: Mapping[int, Sequence[str]], passed: Callable[[str], bool | None],
    ) -> None:
        self._selection, self._run, self._seed = selection, run, seed
        self._prompts, self._passed = prompts, passed
        self._state, self._known = begin(selection, tasks, anchors), 0

    def of(self, step: int, count: int, group_size: int, updates: int) -> list[str]:
        while self._known < step - 1:
            self._known += 1
            for group, task in enumerate(self._prompts.get(self._known, ())):
                outcomes = [self._passed(f"{self._run}/{self._known}/{group}/{index}") for index in range(group_size)]
                self._state = after_group(self._selection, self._state, task, outcomes)
        generator = random.Random(f"{self._seed}/choose/{step}")
        return select(self._selection, self._state, count, group_size, (step - 1) / updates, generator.random)


def read_selection(value: Any) -> Selection | None:
    """The ``selection`` of a spec; None where it has none. Raises ``ValueError``."""
    if value is None:
        return None
    if not isinstance(value, dict) or value.get("by") not in ("uniform", "curriculum", "mixed"):
        raise ValueError("trainer.selection.by is none of uniform, curriculum, mixed")
    names = {"by": "by", "explore": "explore", "kappa": "kappa", "epsilon": "epsilon", "rememberGroups": "remember_groups", "anchor": "anchor"}
    return Selection(**{names[key]: item for key, item in value.items() if key in names})
