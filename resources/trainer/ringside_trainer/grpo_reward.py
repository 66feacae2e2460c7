"""The one reward function of a GRPO run, in the form that TRL's trainer calls.

One composite function, not several: TRL leaves a row out only where *every* function returned None for it, so that separate shaping
functions would keep training through an outage. This one returns numbers for all rows, or raises ``Blocked`` and returns nothing.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Callable, Sequence

from .files import ContentStore
from .once import Once
from .reward import Components, CompositeReward, shaping_outweighs
from .rollouts import PendingGroup, Rollout, places
from .verifier import grade_of
from .waiting import Waiting


def text_of(completion: Any) -> str:
    """A completion's text, in TRL's plain form (a string) or its conversational one (a list of messages)."""
    if isinstance(completion, str):
        return completion
    return "".join(str(message.get("content") or "") for message in completion if message.get("role") == "assistant")


@dataclass(frozen=True)
class Scored:
    """A step's batch with a number for every rollout; ``totals`` in the order of ``rollouts``."""

    step: int
    rollouts: list[Rollout]
    totals: list[float]
    tests_mean: float
    grade_ms: float

    @property
    def ids(self) -> list[str]:
        return [rollout.id for rollout in self.rollouts]


class GrpoReward:
    """Persists, grades and journals a generation batch; see the module's text.

    ``row_column`` is the data set's column that names its row, ``task_column`` the one that names the verifier's task.
    """

    __name__ = "ringside"

    def __init__(
        self,
        run: str,
        group_size: int,
        journal: Once,
        store: ContentStore,
        pending: PendingGroup,
        waiting: Waiting,
        reward: CompositeReward,
        longest: int | None = None,
        row_column: str = "row",
        task_column: str = "task",
    ) -> None:
        self._run, self._group_size, self._journal, self._store = run, group_size, journal, store
        self._pending, self._waiting, self._reward, self._longest = pending, waiting, reward, longest
        self._row_column, self._task_column = row_column, task_column
        self.last: Scored | None = None

    def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        completion_ids: Sequence[Sequence[int]] | None = None,
        trainer_state: Any = None,
        log_extra: Callable[[str, list[Any]], None] | None = None,
        log_metric: Callable[[str, float], None] | None = None,
        **columns: list[Any],
    ) -> list[float]:
        scored = self.score(
            int(trainer_state.global_step) + 1, [text_of(completion) for completion in completions],
            [len(ids) for ids in completion_ids] if completion_ids is not None else None,
            [str(row) for row in columns[self._row_column]], [str(task) for task in columns[self._task_column]])
        if log_extra:
            # The id travels as a column, so that the advantage that the trainer used can be told for each rollout after its gather.
            log_extra("rollout", scored.ids)
        if log_metric:
            log_metric("tests", scored.tests_mean)
        return scored.totals

    def score(self, step: int, texts: list[str], tokens: list[int] | None, rows: list[str], tasks: list[str]) -> Scored:
        """Persists, grades and journals the whole generation batch of a step, of all processes, in the order of its rows.

        Raises ``Blocked`` with nothing returned, and ``ValueError`` where the batch is not the one that was saved.
        """
        rollouts = self._identify(step, texts, tokens, rows, tasks)
        self._persist(step, rows, rollouts)
        began = time.perf_counter()
        parts = self._grade(rollouts, dict(zip([rollout.id for rollout in rollouts], texts)))
        grade_ms = (time.perf_counter() - began) * 1000
        totals = [self._known_total(parts[rollout.id]) for rollout in rollouts]
        self._warn_of_shaping(step, list(parts.values()))
        # No `or 0.0` here or anywhere near a reward: a silence that got this far must fail, not count as nothing.
        tests = sum(float(parts[rollout.id]["tests"]) for rollout in rollouts) / len(rollouts)  # type: ignore[arg-type]
        self.last = Scored(step, rollouts, totals, tests, grade_ms)
        return self.last

    def _identify(self, step: int, texts: list[str], tokens: list[int] | None, rows: list[str], tasks: list[str]) -> list[Rollout]:
        result = []
        for position, (group, index) in enumerate(places(rows, self._group_size)):
            count = tokens[position] if tokens is not None else None
            result.append(Rollout(
                id=f"{self._run}/{step}/{group}/{index}", task=tasks[position], step=step, group=group, index=index,
                completion_sha256=self._store.put(texts[position]), tokens=count,
                truncated=count is not None and self._longest is not None and count >= self._longest,
            ))
        return result

    def _persist(self, step: int, rows: list[str], rollouts: list[Rollout]) -> None:
        """Everything that grading needs is on the disk before the first grade is asked for."""
        saved = self._pending.load()
        if saved and saved[0] == step and saved[2] != rollouts:
            raise ValueError(f"step {step} has a saved batch and was sampled again; resume with the saved completions")
        for rollout in rollouts:
            if self._journal.completions.get(rollout.id, rollout.completion_sha256) != rollout.completion_sha256:
                raise ValueError(f"{rollout.id} was sampled again with another text than the journal has; the state was not restored")
        by_group = {rollout.group: (str(rows[position]), rollout.task) for position, rollout in enumerate(rollouts)}
        in_order = [by_group[group] for group in sorted(by_group)]
        self._pending.save(step, [row for row, _ in in_order], rollouts)
        self._journal.write("step.started", step=step, prompts=[task for _, task in in_order], groupSize=self._group_size)
        for rollout in rollouts:
            self._journal.write(
                "rollout.generated", rollout=rollout.id, step=step, group=rollout.group, index=rollout.index, task=rollout.task,
                completionSha256=rollout.completion_sha256, tokens=rollout.tokens, truncated=rollout.truncated,
            )

    def _grade(self, rollouts: list[Rollout], texts: dict[str, str]) -> dict[str, Components]:
        """Components by rollout id, none of them None. Raises ``Blocked``."""
        def on_line(line: dict[str, Any]) -> None:
            parts = self._reward.components(line, texts[line["id"]])
            self._journal.write(
                "rollout.graded", rollout=line["id"], grade=grade_of({**line}), extraction=line["extraction"], components=parts,
                total=CompositeReward.total(parts), advantage=None,
            )

        # What the journal has a number for is not asked about again: a restart grades nothing twice.
        known = {r.id: {"id": r.id, "task": r.task, "extraction": self._journal.grades[r.id][1], **self._journal.grades[r.id][0]}
                 for r in rollouts if r.id in self._journal.grades}
        items = [{"id": r.id, "task": r.task, "completion": texts[r.id]} for r in rollouts if r.id not in known]
        lines = {**known, **self._waiting.grade(self._run, items, on_line)}
        return {id_: self._reward.components(line, texts[id_]) for id_, line in lines.items()}

    @staticmethod
    def _known_total(components: Components) -> float:
        total = CompositeReward.total(components)
        if total is None:
            raise ValueError("a silent grade reached the update: refusing to return a number for it")
        return total

    def _warn_of_shaping(self, step: int, rows: list[Components]) -> None:
        spreads = shaping_outweighs(rows)
        if spreads:
            self._journal.write(
                "alert", code="shaping_dominates", level="warning", evidence={"step": step, "once": step, **spreads},
                text=f"In step {step} shaping spreads more than the tests ({spreads['shaping']:.3f} against {spreads['tests']:.3f}).",
            )

