"""Grades a batch to its end, however often the verifier goes away: blocked is a state that is seen, waited out, and never trained on."""

from __future__ import annotations

import time
from typing import Any, Callable, Iterable

from .control import Control
from .grades import is_graded
from .journal import Journal, utc_now
from .once import Once
from .verifier import Item, Unreachable, Verifier

EXIT_BLOCKED = 75
"""The exit code of a run that ended blocked (EX_TEMPFAIL): everything is saved, and starting it again goes on."""


class Blocked(Exception):
    """The verifier stayed silent past the deadline, or the operator ended the wait. Nothing was updated and everything is saved."""

    def __init__(self, reason: str, silent: int, of: int) -> None:
        what = f"{silent} of {of} rollouts have no grade" if of else "the verifier does not answer"
        super().__init__(f"{what} ({reason}); no update was made")
        self.reason, self.silent, self.of = reason, silent, of


class Waiting:
    """Retry with backoff and a heartbeat in the journal.

    The first wait is short, since most silences are a restart; the longest is long enough not to hammer a verifier that warms up.
    """

    def __init__(
        self,
        verifier: Verifier,
        journal: Journal | Once,
        control: Control,
        deadline_s: float = 3600.0,
        first_s: float = 0.2,
        longest_s: float = 15.0,
        heartbeat_s: float = 10.0,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._verifier, self._journal, self._control = verifier, journal, control
        self._deadline_s, self._first_s, self._longest_s, self._heartbeat_s = deadline_s, first_s, longest_s, heartbeat_s
        self._sleep, self._clock = sleep, clock

    def grade(
        self,
        run: str,
        items: Iterable[Item],
        on_line: Callable[[dict[str, Any]], None],
    ) -> dict[str, dict[str, Any]]:
        """A graded line for every item, by id. ``on_line`` hears of each line once it is graded, and once when it is first silent.

        Raises ``Blocked``; the grades that did arrive have been told to ``on_line`` by then.
        """
        waiting = {item["id"]: item for item in items}
        if not waiting:
            return {}
        done: dict[str, dict[str, Any]] = {}
        told: set[str] = set()
        block: _Block | None = None
        wait_s = self._first_s
        while True:
            silent = self._attempt(run, waiting, done, told, on_line)
            if not waiting:
                if block:
                    block.end("every rollout is graded")
                return done
            reason = next(iter(silent.values()))
            block = block or _Block(self._journal, self._clock, self._heartbeat_s)
            block.beat(reason)
            if self._control.aborting:
                raise Blocked("ended while waiting", len(waiting), len(waiting) + len(done))
            if self._clock() - block.began >= self._deadline_s:
                raise Blocked(reason, len(waiting), len(waiting) + len(done))
            self._sleep(wait_s)
            wait_s = min(self._longest_s, wait_s * 2)

    def tasks(self) -> list[dict[str, Any]]:
        """The verifier's tasks, once it answers. Raises ``Blocked``."""
        block: _Block | None = None
        wait_s = self._first_s
        while True:
            try:
                tasks = self._verifier.tasks()
            except Unreachable as problem:
                block = block or _Block(self._journal, self._clock, self._heartbeat_s)
                block.beat(problem.reason)
                if self._control.aborting or self._clock() - block.began >= self._deadline_s:
                    raise Blocked(problem.reason, 0, 0) from problem
                self._sleep(wait_s)
                wait_s = min(self._longest_s, wait_s * 2)
                continue
            if block:
                block.end("the verifier answers")
            return tasks

    def _attempt(
        self,
        run: str,
        waiting: dict[str, Item],
        done: dict[str, dict[str, Any]],
        told: set[str],
        on_line: Callable[[dict[str, Any]], None],
    ) -> dict[str, str]:
        """Asks once for all that wait; moves what is graded to ``done`` and returns why the rest is silent."""
        silent: dict[str, str] = {}
        for id_, line in self._verifier.grade(run, list(waiting.values())).items():
            if is_graded(line):
                done[id_] = line
                del waiting[id_]
                on_line(line)
                continue
            silent[id_] = f"{line['status']}: {line['reason']}"
            if id_ not in told:
                told.add(id_)
                on_line(line)
        return silent


class _Block:
    """One stretch of silence, told to the journal when it begins, now and then while it lasts, and when it ends."""

    def __init__(self, journal: Journal | Once, clock: Callable[[], float], heartbeat_s: float) -> None:
        self._journal, self._clock, self._heartbeat_s = journal, clock, heartbeat_s
        self.began = clock()
        self._since = utc_now()
        self._attempts = 0
        self._last: float | None = None

    def beat(self, reason: str) -> None:
        self._attempts += 1
        if self._last is None or self._clock() - self._last >= self._heartbeat_s:
            self._last = self._clock()
            self._journal.write("verifier.blocked", since=self._since, reason=reason, attempts=self._attempts)

    def end(self, reason: str) -> None:
        self._journal.write("verifier.unblocked", since=self._since, reason=reason, attempts=self._attempts)
