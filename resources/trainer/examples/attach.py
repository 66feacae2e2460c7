"""How a trainer that is not ours is watched by the console: it writes the journal. About a hundred lines, standard library alone.

    python3 attach.py --run-dir DIR --run r-20261129-abcdef ROLLOUTS.jsonl [--ended]

DIR is a run's folder as the console knows it. ROLLOUTS.jsonl is what verl, prime-rl or ART can write from a hook after each step, one line a
rollout: {"step", "group", "index", "task", "completion", "tokens", "truncated", "reward", "advantage", "status"}. A reward of null says that
nobody graded it. Lines of a step stand together. Called again with a longer file, it goes on where the journal ends; --ended ends the run.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
from pathlib import Path
from typing import Any, Iterable

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ringside_trainer.files import ContentStore, sha256  # noqa: E402 - found by the line above, from a checkout that is not installed
from ringside_trainer.grades import silent_grade  # noqa: E402 - found by the line above, from a checkout that is not installed
from ringside_trainer.journal import Journal  # noqa: E402 - found by the line above, from a checkout that is not installed
from ringside_trainer.once import Once  # noqa: E402 - found by the line above, from a checkout that is not installed

Line = dict[str, Any]


def grade(line: Line) -> dict[str, Any]:
    """A grade with what the other trainer knows; everything that it does not know is null, and no reward is ever made up."""
    if line["reward"] is None:
        return silent_grade("unreachable", "the trainer has no reward for it")
    status = line.get("status") or ("passed" if line["reward"] >= 1 else "test_failed")
    return {**silent_grade("unreachable", ""), "status": status, "reward": line["reward"], "reason": None}


def write_step(journal: Once, store: ContentStore, step: int, lines: list[Line]) -> None:
    ids = [f"{journal.run}/{step}/{line['group']}/{line['index']}" for line in lines]
    groups: dict[int, list[Line]] = {}
    for line in lines:
        groups.setdefault(line["group"], []).append(line)
    prompts = [members[0]["task"] for members in groups.values()]
    journal.write("step.started", step=step, prompts=prompts, groupSize=max(len(members) for members in groups.values()))
    for id_, line in zip(ids, lines):
        # The completion is on the disk before an event names it: the console fetches it by its hash.
        journal.write(
            "rollout.generated", rollout=id_, step=step, group=line["group"], index=line["index"], task=line["task"],
            completionSha256=store.put(line["completion"]), tokens=line.get("tokens"), truncated=bool(line.get("truncated")))
        journal.write(
            "rollout.graded", rollout=id_, grade=grade(line), extraction=None, components={"tests": line["reward"]}, total=line["reward"],
            advantage=None)
    known = [line["reward"] for line in lines if line["reward"] is not None]
    if len(known) < len(lines):
        # Said aloud: the other trainer went on with a batch that its verifier had not graded in full.
        journal.write(
            "alert", code="trained_on_silence", level="error", evidence={"step": step, "once": step},
            text=f"Step {step} was updated although {len(lines) - len(known)} of {len(lines)} rollouts have no reward.")
    journal.write(
        "step.finished", step=step, loss=None, gradNorm=None, kl=None, entropy=None, lr=None, parameterDelta=None,
        rewardMean=statistics.fmean(known) if known else None, rewardStd=statistics.stdev(known) if len(known) > 1 else None,
        silentGroups=sum(len({line["reward"] for line in members}) == 1 for members in groups.values()), groups=len(groups),
        advantages={id_: line["advantage"] for id_, line in zip(ids, lines) if line.get("advantage") is not None},
        stepMs={"generate": 0, "grade": 0, "update": 0})


def attach(folder: Path, run: str, lines: Iterable[Line], ended: bool = False) -> None:
    """Writes what the journal does not have. The last step may still be going on: it waits for a later one, or for the end."""
    journal = Once(Journal(folder / "events.jsonl", run))
    store = ContentStore(folder / "completions")
    try:
        spec = folder / "spec.json"
        text = spec.read_text(encoding="utf-8") if spec.exists() else "{}"
        journal.write("run.started", spec=json.loads(text), specSha256=sha256(text.strip()), host="unknown", seed=0,
                      versions={"trainer": "attached"})
        journal.write("stage.started", stage="grpo")
        steps = [(step, list(group)) for step, group in itertools.groupby(lines, key=lambda line: line["step"])]
        for step, group in steps if ended else steps[:-1]:
            write_step(journal, store, step, group)
        if ended and journal.outcome is None:
            journal.write("stage.finished", stage="grpo", outcome="completed")
            journal.write("run.finished", outcome="completed", reason=None)
    finally:
        journal.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run-dir", required=True, type=Path)
    parser.add_argument("--run", required=True)
    parser.add_argument("--ended", action="store_true")
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    with open(options.file, encoding="utf-8") as file:
        attach(options.run_dir, options.run, [json.loads(line) for line in file if line.strip()], options.ended)
    return 0


if __name__ == "__main__":
    sys.exit(main())
