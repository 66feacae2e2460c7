"""The one reward function of a GRPO run, in the form that TRL's trainer calls.

One composite function, not several: TRL leaves a row out only where *every* function returned None for it, so that separate shaping
functions would keep training through an outage. This one returns numbers for all rows, or raises ``Blocked`` and returns nothing.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence

from .files import ContentStore
from .grades import is_graded
from .journal import Journal
from .reward import Components, CompositeReward, shaping_outweighs
from .rollouts import PendingGroup, Rollout, places
from .verifier import grade_of
from .waiting import Waiting


def text_of(completion: Any) -> str:
    """A completion's text, in TRL's plain form (a string) or its conversational one (a list of messages)."""
    if isinstance(completion, str):
        return completion
    return "".join(str(message.get("content") or "") for message in completion if message.get("role") == "assistant")


class GrpoReward:
    """Persists, grades and journals a generation batch; see the module's text.

    ``row_column`` is the data set's column that names its row, ``task_column`` the one that names the verifier's task.
    """

    __name__ = "ringside"

    def __init__(
        self,
        run: str,
        group_size: int,
        journal: Journal,
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
        self._generated, self._graded = _journalled(journal)

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
        step = int(trainer_state.global_step) + 1
        texts = [text_of(completion) for completion in completions]
        rollouts = self._identify(step, texts, completion_ids, columns)
        self._persist(step, columns[self._row_column], rollouts)
        rows = self._grade(rollouts, dict(zip([rollout.id for rollout in rollouts], texts)))
        totals = [self._known_total(rows[rollout.id]) for rollout in rollouts]
        self._warn_of_shaping(step, list(rows.values()))
        if log_extra:
            # The id travels as a column, so that the advantage that the trainer used can be told for each rollout after its gather.
            log_extra("rollout", [rollout.id for rollout in rollouts])
        if log_metric:
            log_metric("tests", sum(float(rows[rollout.id]["tests"] or 0.0) for rollout in rollouts) / len(rollouts))
        return totals

    def _identify(
        self, step: int, texts: list[str], ids: Sequence[Sequence[int]] | None, columns: dict[str, list[Any]]
    ) -> list[Rollout]:
        rows, tasks = columns[self._row_column], columns[self._task_column]
        result = []
        for position, (group, index) in enumerate(places([str(row) for row in rows], self._group_size)):
            tokens = len(ids[position]) if ids is not None else None
            result.append(Rollout(
                id=f"{self._run}/{step}/{group}/{index}", task=str(tasks[position]), step=step, group=group, index=index,
                completion_sha256=self._store.put(texts[position]), tokens=tokens,
                truncated=tokens is not None and self._longest is not None and tokens >= self._longest,
            ))
        return result

    def _persist(self, step: int, rows: list[Any], rollouts: list[Rollout]) -> None:
        """Everything that grading needs is on the disk before the first grade is asked for."""
        prompts = {rollout.group: str(rows[position]) for position, rollout in enumerate(rollouts)}
        saved = self._pending.load()
        if saved and saved[0] == step and saved[2] != rollouts:
            raise ValueError(f"step {step} has a saved batch and was sampled again; resume with the saved completions")
        self._pending.save(step, [prompts[group] for group in sorted(prompts)], rollouts)
        if f"{self._run}/{step}" not in {id_.rsplit("/", 2)[0] for id_ in self._generated}:
            self._journal.write("step.started", step=step, prompts=list(prompts.values()), groupSize=self._group_size)
        for rollout in rollouts:
            if rollout.id not in self._generated:
                self._generated.add(rollout.id)
                self._journal.write(
                    "rollout.generated", rollout=rollout.id, step=step, group=rollout.group, index=rollout.index, task=rollout.task,
                    completionSha256=rollout.completion_sha256, tokens=rollout.tokens, truncated=rollout.truncated,
                )

    def _grade(self, rollouts: list[Rollout], texts: dict[str, str]) -> dict[str, Components]:
        """Components by rollout id, none of them None. Raises ``Blocked``."""
        def on_line(line: dict[str, Any]) -> None:
            if line["id"] in self._graded:
                return
            if is_graded(line):
                self._graded.add(line["id"])
            parts = self._reward.components(line, texts[line["id"]])
            self._journal.write(
                "rollout.graded", rollout=line["id"], grade=grade_of({**line}), extraction=line["extraction"], components=parts,
                total=CompositeReward.total(parts), advantage=None,
            )

        # Asking again for what is graded costs nothing: the same id replays its saved grade, and nothing is executed twice.
        items = [{"id": rollout.id, "task": rollout.task, "completion": texts[rollout.id]} for rollout in rollouts]
        lines = self._waiting.grade(self._run, items, on_line)
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
                "alert", code="shaping_dominates", level="warning", evidence={"step": step, **spreads},
                text=f"In step {step} shaping spreads more than the tests ({spreads['shaping']:.3f} against {spreads['tests']:.3f}).",
            )


def _journalled(journal: Journal) -> tuple[set[str], set[str]]:
    """Rollouts that the journal has as generated, and those that it has with a number: neither is written twice."""
    generated: set[str] = set()
    graded: set[str] = set()
    for event in journal.read():
        if event.get("type") == "rollout.generated":
            generated.add(event["rollout"])
        elif event.get("type") == "rollout.graded" and is_graded(event["grade"]):
            graded.add(event["rollout"])
    return generated, graded
