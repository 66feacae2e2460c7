"""How the processes of a run on several GPUs wait for grades: through files, never inside a collective operation.

A collective that one process enters while another waits for a verifier would be ended by its time-out (minutes), and the run with it. So each
process writes its share of the batch to a file; the first process grades all of them and journals; the others look for its answer, for as
long as it takes. All of them have finished the same collectives before and enter the next one together after.

The folder is on the box's own disk and new for every launch, so nothing of an earlier launch can be taken for an answer.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Callable

from .files import read_json, write_json
from .waiting import Blocked


class LeaderGone(RuntimeError):
    """The process that grades has ended without a word."""


class Ranks:
    """``rank`` 0 leads. ``alive(pid)`` tells whether a process lives."""

    def __init__(
        self, folder: Path, rank: int, world: int, poll_s: float = 0.2, alive: Callable[[int], bool] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.rank, self.world = rank, world
        self._folder, self._poll_s, self._alive, self._sleep = folder, poll_s, alive or _alive, sleep
        folder.mkdir(parents=True, exist_ok=True)
        if rank == 0:
            write_json(folder / "leader.json", {"pid": os.getpid()})

    @property
    def leads(self) -> bool:
        return self.rank == 0

    def share(self, name: str, value: Any) -> None:
        """Tells the others this process's share of ``name``."""
        write_json(self._folder / f"{name}.rank-{self.rank}.json", value)

    def shares(self, name: str) -> list[Any]:
        """Every process's share, in the order of their ranks, which is the order in which TRL gathers. Waits for all of them."""
        return [self._await(self._folder / f"{name}.rank-{rank}.json") for rank in range(self.world)]

    def answer(self, name: str, value: Any) -> None:
        """The leader's word on ``name``."""
        write_json(self._folder / f"{name}.answer.json", {"value": value})

    def end(self, name: str, problem: Exception) -> None:
        """Tells the others that no answer comes; they end as the leader does."""
        write_json(self._folder / f"{name}.answer.json", {"blocked": isinstance(problem, Blocked), "reason": str(problem)})

    def await_answer(self, name: str) -> Any:
        """The leader's word. Raises ``Blocked`` or ``LeaderGone`` where none comes."""
        answer = self._await(self._folder / f"{name}.answer.json")
        if "value" in answer:
            return answer["value"]
        if answer["blocked"]:
            raise Blocked(answer["reason"], 0, 0)
        raise LeaderGone(answer["reason"])

    def agree(self, name: str, make: Callable[[], Any]) -> Any:
        """What ``make`` gives on the leader, on every process."""
        if not self.leads:
            return self.await_answer(name)
        try:
            value = make()
        except Exception as problem:
            if self.world > 1:
                self.end(name, problem)
            raise
        if self.world > 1:
            self.answer(name, value)
        return value

    def forget(self, name: str) -> None:
        """Takes the files of ``name`` away, once every process is known to have read them."""
        for path in self._folder.glob(f"{name}.*"):
            path.unlink(missing_ok=True)

    def _await(self, path: Path) -> Any:
        while True:
            value = read_json(path)
            if value is not None:
                return value
            leader = read_json(self._folder / "leader.json")
            if not self.leads and leader is not None and not self._alive(leader["pid"]):
                raise LeaderGone("the process that grades has ended")
            self._sleep(self._poll_s)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
