"""``python3 -m ringside_trainer.box_check < TRAINER.json``: whether a run with this trainer could start here; one JSON line with a row a check.

A row is ``{"check", "label", "state", "detail", "remedy"}``, its state passed, warned or failed. What it asks is what the trainer itself would
ask on its way, by the same code: a launch that would end in its first minute ends before it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Callable

from . import bootstrap, self_check
from .datasets import check_file
from .reward import shaped
from .run_spec import BadSpec, Trainer, batch_rows, read_trainer

Row = dict[str, Any]
Finding = tuple[str, str, str | None]

BOOTSTRAP = "Make the box ready (the box's card, or python3 -m ringside_trainer.bootstrap there), and name its interpreter in the run."


def rows(value: Any, folder: Path) -> list[Row]:
    """``folder`` is where relative paths of data files begin: the run's own."""
    try:
        trainer = read_trainer(value)
        composite = shaped(trainer.shaping)
    except (BadSpec, ValueError) as problem:
        return [_row("trainer_settings", "Trainer’s settings", ("failed", str(problem), "Change that field."))]
    used = sum(abs(weight) for weight in trainer.shaping.values())
    told = f"{trainer.groups_per_step} × {trainer.group_size} completions a step, {batch_rows(trainer)} a process; " \
           f"shaping weighs {used:g} of at most {composite.cap:g}"
    found = [_row("trainer_settings", "Trainer’s settings", ("passed", told, None))]
    files = [stage for stage in trainer.stages if stage.data]
    if files:
        found.append(_row("trainer_data", "Data of the stages", _all([data(stage.stage, folder / str(stage.data)) for stage in files])))
    if trainer.backend == "stand_in":
        return found + [_row("trainer_library", "Training library", ("warned", "the stand-in trains a toy, no model", "Choose TRL for a model."))]
    checks: list[tuple[str, str, Callable[[Trainer], Finding]]] = [
        ("trainer_library", "Training library", lambda _: library()), ("trainer_model", "Base model", model),
        ("trainer_gpu", "GPU", lambda _: gpu())]
    return found + [_row(check, label, look(trainer)) for check, label, look in checks]


def data(stage: str, path: Path) -> Finding:
    try:
        good, bad = check_file(stage, path)
    except OSError as problem:
        return "failed", f"{stage}: {path} cannot be read: {problem.strerror or problem}", "Copy the file to the box, or correct its path."
    if bad:
        first = "; ".join(f"line {line.line} {line.reason}" if line.line else line.reason for line in bad[:3])
        return "failed", f"{stage}: {len(bad)} bad lines beside {good} good ones: {first}", "Correct these lines; none is left out silently."
    return "passed", f"{stage}: {good} record{'s' if good != 1 else ''}", None


def library() -> Finding:
    """Versions first: importing the library takes seconds, and says less where another one is installed."""
    problems = self_check.version_problems(self_check.locked())
    if not problems:
        try:
            problems = self_check.hook_problems(self_check.installed_classes())
        except Exception as problem:  # noqa: BLE001 - whatever keeps the library from loading keeps the run from starting
            problems = [f"it cannot be imported: {problem}".splitlines()[0]]
    if problems:
        more = f", and {len(problems) - 3} more" if len(problems) > 3 else ""
        return "failed", "; ".join(problems[:3]) + more, BOOTSTRAP
    return "passed", "; ".join(f"{name} {version}" for name, version in self_check.locked().items()) + ", and every hook as it was read", None


def model(trainer: Trainer) -> Finding:
    base = str((trainer.model or {})["base"])
    if not Path(base).is_absolute():
        return "warned", f"{base} is a name, looked for in the box's model cache when the run starts", "Name the model's folder on the box."
    missing = bootstrap.missing_files(Path(base))
    if missing:
        return "failed", f"{base} lacks {', '.join(missing[:3])}", "Copy the model to the box again."
    return "passed", base, None


def gpu() -> Finding:
    names = bootstrap.gpus()
    return ("passed", "; ".join(names), None) if names else (
        "failed", "no GPU answers nvidia-smi", "Wait until it is attached; the box's card shows since when it is waited for.")


def _all(findings: list[Finding]) -> Finding:
    """The worst state, with what belongs to it."""
    failed = [finding for finding in findings if finding[0] == "failed"]
    shown = failed or findings
    return shown[0][0], "; ".join(detail for _, detail, _ in shown), shown[0][2]


def _row(check: str, label: str, finding: Finding) -> Row:
    state, detail, remedy = finding
    return {"check": check, "label": label, "state": state, "detail": detail, "remedy": remedy}


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path.cwd()
    print(json.dumps(rows(json.load(sys.stdin), folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
