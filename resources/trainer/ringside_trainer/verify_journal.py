"""``python3 -m ringside_trainer.verify_journal DIR [--like DIR]``: what a run's journal proves, line by line.

Reads ``events.jsonl`` of a run's folder (and compares it with another's). Prints one line for each thing that holds, and ends with 1 and a
line on stderr at the first that does not.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

from . import schema
from .advantage import advantages
from .files import ContentStore
from .grades import is_graded
from .grpo_stage import TOLERANCE

Event = dict[str, Any]


class DoesNotHold(Exception):
    """The text names the event or the rollout."""


def read(folder: Path) -> list[Event]:
    data = (folder / "events.jsonl").read_bytes()
    if data and not data.endswith(b"\n"):
        raise DoesNotHold("the last line is torn")
    return [json.loads(line) for line in data.splitlines()]


def valid(events: list[Event]) -> str:
    for place, event in enumerate(events):
        try:
            schema.check(event, schema.load("event"))
        except schema.SchemaError as problem:
            raise DoesNotHold(f"event {place}: {problem}") from problem
        if event["seq"] != place:
            raise DoesNotHold(f"event {place} has seq {event['seq']}")
    return f"all {len(events)} events fit the schema, numbered without a gap"


def silent(events: list[Event]) -> str:
    """No update while blocked, and no number beside a grade that is none."""
    blocked, blocks = False, 0
    for event in events:
        blocks += event["type"] == "verifier.unblocked"
        blocked = event["type"] == "verifier.blocked" or (blocked and event["type"] not in ("verifier.unblocked", "run.resumed"))
        if blocked and event["type"] in ("step.finished", "checkpoint"):
            raise DoesNotHold(f"event {event['seq']} is a {event['type']} while the verifier was silent")
        if event["type"] == "rollout.graded":
            known = {value is not None for value in (event["total"], *event["components"].values())}
            if known != {is_graded(event["grade"])}:
                raise DoesNotHold(f"{event['rollout']} is {event['grade']['status']} and has numbers, or the reverse")
    return f"no update while the verifier was silent ({blocks} times), no silent grade became a number"


def once(events: list[Event]) -> str:
    generated = [event["rollout"] for event in events if event["type"] == "rollout.generated"]
    graded = [event["rollout"] for event in events if event["type"] in ("rollout.graded", "eval.draw") and is_graded(event["grade"])]
    for name, ids in (("generated", generated), ("graded", graded)):
        if len(ids) != len(set(ids)):
            raise DoesNotHold(f"a rollout is {name} twice")
    finished = {event["step"] for event in events if event["type"] == "step.finished"}
    lost = [id_ for id_ in generated if id_.split("/")[1].isdigit() and int(id_.split("/")[1]) in finished and id_ not in set(graded)]
    if lost:
        raise DoesNotHold(f"{lost[0]} has no grade although its step is finished")
    return f"{len(generated)} rollouts generated once and {len(graded)} graded once, none of a finished step lost"


def own_advantages(events: list[Event]) -> str:
    totals = {event["rollout"]: event["total"] for event in events if event["type"] == "rollout.graded" and is_graded(event["grade"])}
    count = 0
    for event in events:
        if event["type"] != "step.finished":
            continue
        groups: dict[str, list[str]] = {}
        for id_ in sorted(event["advantages"], key=lambda id_: int(id_.rsplit("/", 1)[1])):
            groups.setdefault(id_.split("/")[2], []).append(id_)
        for ids in groups.values():
            for id_, wanted in zip(ids, advantages([totals[id_] for id_ in ids])):
                count += 1
                if abs(event["advantages"][id_] - wanted) > TOLERANCE * max(1.0, abs(wanted)):
                    raise DoesNotHold(f"{id_} was trained with {event['advantages'][id_]} where the formula gives {wanted}")
    return f"{count} advantages are those of the formula, each under its own rollout"


def completions(folder: Path, events: list[Event]) -> str:
    store = ContentStore(folder / "completions")
    names = {event["completionSha256"] for event in events if event["type"] == "rollout.generated"}
    for name in names:
        try:
            store.get(name)
        except (OSError, ValueError) as problem:
            raise DoesNotHold(f"completion {name}: {problem}") from problem
    return f"{len(names)} distinct completions are on the disk under their hashes"


def alike(events: list[Event], others: list[Event]) -> str:
    """The same rollouts with the same tokens, hash by hash, and the same grades: an interruption changed nothing."""
    def local(event: Event) -> str:
        return event["rollout"].split("/", 1)[1]

    def texts(of: list[Event]) -> dict[str, str]:
        return {local(event): event["completionSha256"] for event in of if event["type"] == "rollout.generated"}

    def rewards(of: list[Event]) -> dict[str, float]:
        return {local(e): e["grade"]["reward"] for e in of if e["type"] in ("rollout.graded", "eval.draw") and is_graded(e["grade"])}

    for name, make in (("text", texts), ("reward", rewards)):
        left, right = make(events), make(others)
        for id_ in sorted(set(left) | set(right)):
            if left.get(id_) != right.get(id_):
                raise DoesNotHold(f"{id_} has another {name} than in the other run: {left.get(id_)} against {right.get(id_)}")
    return f"{len(texts(events))} rollouts have the texts and rewards of the other run"


def checks(folder: Path, like: Path | None) -> Iterator[Callable[[], str]]:
    events = read(folder)
    yield lambda: valid(events)
    yield lambda: silent(events)
    yield lambda: once(events)
    yield lambda: own_advantages(events)
    yield lambda: completions(folder, events)
    if like is not None:
        yield lambda: alike(events, read(like))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="ringside_trainer.verify_journal")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--like", type=Path)
    options = parser.parse_args(arguments)
    try:
        for check in checks(options.folder, options.like):
            print(f"holds: {check()}")
    except (DoesNotHold, OSError, ValueError) as problem:
        print(f"does not hold: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
