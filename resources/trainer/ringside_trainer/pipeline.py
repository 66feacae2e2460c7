"""The stages of a run, in order, each done once: a restart goes on at the first that is not finished."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence

from .control import Control
from .files import read_json, write_json
from .gates import GateFailed
from .journal import Journal
from .once import Once
from .waiting import EXIT_BLOCKED, Blocked

MEASURED = ("baseline", "final_eval")
"""Stages that a run cannot leave out without a typed reason: without them nobody knows what the run did."""

EXIT_GATE = 76
"""The exit code of a run that a gate stopped."""


class Stopped(Exception):
    """The operator or a signal ended a stage before its end; what it reached is saved."""


@dataclass(frozen=True)
class Stage:
    name: str
    work: Callable[[], None]


class Pipeline:
    """Runs stages and journals their start and end. ``skipped`` maps a left-out measured stage to its typed reason."""

    def __init__(
        self, journal: Journal | Once, control: Control, state: Path, stages: Sequence[Stage], skipped: dict[str, str] | None = None,
        announce: Callable[[str, str], None] = lambda _stage, _what: None,
    ) -> None:
        """``announce`` hears ``run`` or ``skip`` of each stage before it, and ``end`` of the one that the run does not reach."""
        names = [stage.name for stage in stages]
        for name in MEASURED:
            if name not in names and len((skipped or {}).get(name, "").strip()) < 8:
                raise ValueError(f"the stage {name} is left out without a reason; give one of at least 8 characters, or run it")
        self._journal, self._control, self._state, self._stages, self._skipped = journal, control, state, stages, skipped or {}
        self._announce = announce

    def run(self) -> int:
        """The exit code: 0 done, stopped or interrupted, ``EXIT_BLOCKED``, ``EXIT_GATE``. Other failures are journalled and raised."""
        finished: list[str] = (read_json(self._state) or {"finished": []})["finished"]
        for name, reason in self._skipped.items():
            if name not in finished:
                evidence = {"stage": name, "reason": reason, "once": name}
                self._journal.write("alert", code="stage_left_out", level="warning", evidence=evidence,
                                    text=f"The stage {name} is left out: {reason}")
        for stage in self._stages:
            if stage.name in finished:
                self._announce(stage.name, "skip")
                continue
            if self._control.stopping:
                self._announce(stage.name, "end")
                return self._stopped()
            self._journal.write("stage.started", stage=stage.name)
            self._announce(stage.name, "run")
            try:
                stage.work()
            except GateFailed as gate:
                self._journal.write("alert", code=gate.code, level="error", text=gate.text, evidence=gate.evidence)
                self._journal.write("stage.finished", stage=stage.name, outcome="failed")
                return self._end("failed", f"{stage.name}: {gate.text}", EXIT_GATE)
            except Blocked as blocked:
                # No stage.finished: the stage goes on at the next start, with the very batch that waits.
                if self._control.stopping:
                    return self._stopped()
                return self._end("interrupted", str(blocked), EXIT_BLOCKED)
            except Stopped:
                return self._stopped()
            except Exception as problem:
                self._journal.write("stage.finished", stage=stage.name, outcome="failed")
                self._end("failed", f"{stage.name}: {problem}", 1)
                raise
            self._journal.write("stage.finished", stage=stage.name, outcome="completed")
            finished.append(stage.name)
            write_json(self._state, {"v": 1, "finished": finished})
        return self._end("completed", None, 0)

    def _stopped(self) -> int:
        """A signal interrupts, and the run may go on; the operator's word in the control file ends it."""
        if self._control.interrupted:
            return self._end("interrupted", "ended by a signal", 0)
        return self._end("stopped", "stopped by the operator", 0)

    def _end(self, outcome: str, reason: str | None, code: int) -> int:
        self._journal.write("run.finished", outcome=outcome, reason=reason)
        return code
