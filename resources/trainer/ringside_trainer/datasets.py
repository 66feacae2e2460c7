"""Checks of the files that the supervised and preference stages train on, before a GPU is touched.

Every bad line is named with its number and what is wrong; a file with any is refused, since a silently shorter data set is another data
set.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator

Record = dict[str, Any]


@dataclass(frozen=True)
class BadLine:
    line: int
    reason: str


def _text(value: Any) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _messages(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) > 0
        and all(isinstance(m, dict) and m.get("role") in ("system", "user", "assistant") and _text(m.get("content")) for m in value)
    )


def _needs(record: Record, *names: str) -> str | None:
    missing = [name for name in names if name not in record]
    if missing:
        return f"lacks {', '.join(missing)}"
    empty = [name for name in names if not (_text(record[name]) or _messages(record[name]))]
    return f"{empty[0]} is neither text nor messages, or is empty" if empty else None


def _cpt(record: Record) -> str | None:
    return _needs(record, "text")


def _sft(record: Record) -> str | None:
    if "messages" in record:
        if not _messages(record["messages"]):
            return "messages is no list of role and content"
        return None if record["messages"][-1]["role"] == "assistant" else "the last message is not the assistant's: nothing is learnt"
    return _needs(record, "prompt", "completion")


def _dpo(record: Record) -> str | None:
    problem = _needs(record, "prompt", "chosen", "rejected")
    if problem:
        return problem
    return "chosen and rejected are the same" if record["chosen"] == record["rejected"] else None


def _kto(record: Record) -> str | None:
    problem = _needs(record, "prompt", "completion")
    if problem:
        return problem
    return None if isinstance(record.get("label"), bool) else "label is neither true nor false"


_CHECKS: dict[str, Callable[[Record], "str | None"]] = {"cpt": _cpt, "sft": _sft, "recovery": _sft, "dpo": _dpo, "kto": _kto}


def check_file(stage: str, path: Path) -> tuple[int, list[BadLine]]:
    """(good records, bad lines) of a JSONL file for a stage. Raises ``ValueError`` for a stage without a file, ``OSError`` for none."""
    if stage not in _CHECKS:
        raise ValueError(f"the stage {stage} trains on no file")
    good, bad, labels = 0, [], set()
    for number, record in _records(path):
        problem = record if isinstance(record, str) else _CHECKS[stage](record)
        if problem:
            bad.append(BadLine(number, problem))
            continue
        good += 1
        if stage == "kto" and isinstance(record, dict):
            labels.add(record["label"])
    if good == 0:
        bad.append(BadLine(0, "the file has no usable record"))
    if stage == "kto" and good > 0 and len(labels) < 2:
        bad.append(BadLine(0, "every label is the same: there is nothing to prefer"))
    return good, bad


def _records(path: Path) -> Iterator[tuple[int, Record | str]]:
    """(line number, record or what is wrong with the line); blank lines are passed over."""
    with open(path, "rb") as file:
        for number, raw in enumerate(file, start=1):
            if not raw.strip():
                continue
            try:
                value = json.loads(raw.decode("utf-8"))
            except UnicodeDecodeError:
                yield number, "is not UTF-8"
            except ValueError:
                yield number, "is no JSON"
            else:
                yield number, value if isinstance(value, dict) else "is no object"
