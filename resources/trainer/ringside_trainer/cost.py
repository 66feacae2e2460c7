"""What the box costs, by the rate that its user typed, and what of it nothing was done for."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable

from .once import Once
from .run_spec import Cost

IDLE_BELOW = 0.05
"""Utilisation, from 0 to 1, below which a device does nothing that its price is paid for."""


class Meter:
    """Looks at the devices now and then, journals them, and warns once for each stretch in which all of them idle.

    ``look`` gives the devices as the journal has them. A device that does not tell its utilisation is not called idle.
    """

    def __init__(
        self, journal: Once, cost: Cost | None, look: Callable[[], list[dict[str, Any]]], every_s: float = 30.0,
        warn_after_s: float = 600.0, tell_every_s: float = 3600.0, clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._journal, self._cost, self._look, self._clock = journal, cost, look, clock
        self._every_s, self._warn_after_s, self._tell_every_s = every_s, warn_after_s, tell_every_s
        self._began = self._told = clock()
        self._idle_since: float | None = None
        self._warned = False
        self._idle_s = 0.0
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        if self._thread:
            self._thread.join()
        self.tell()

    def sample(self) -> None:
        """One look; called every ``every_s``."""
        devices, now = self._look(), self._clock()
        self._journal.write("memory", devices=devices)
        known = [device["utilisation"] for device in devices if device["utilisation"] is not None]
        if known and max(known) < IDLE_BELOW:
            self._idle_since = self._idle_since if self._idle_since is not None else now
            self._idle_s += self._every_s
            if not self._warned and now - self._idle_since >= self._warn_after_s:
                self._warned = True
                idle_s = now - self._idle_since
                self._journal.write(
                    "alert", code="gpu_idle", level="warning", evidence={"idleS": idle_s, **self._price(idle_s)},
                    text=f"Every device has idled for {idle_s / 60:.0f} minutes{self._words(idle_s)}.")
        else:
            self._idle_since, self._warned = None, False
        if now - self._told >= self._tell_every_s:
            self.tell()

    def tell(self) -> None:
        """What this start of the trainer has cost so far; nothing where no rate was typed."""
        self._told = self._clock()
        if self._cost is None:
            return
        seconds = self._told - self._began
        self._journal.write(
            "alert", code="cost", level="info", evidence={"seconds": seconds, "idleS": self._idle_s, **self._price(seconds)},
            text=f"{seconds / 3600:.2f} hours since the trainer started{self._words(seconds)}; idle for {self._idle_s / 3600:.2f}.")

    def _price(self, seconds: float) -> dict[str, Any]:
        return {} if self._cost is None else {"cost": seconds / 3600 * self._cost.rate_per_hour, "currency": self._cost.currency}

    def _words(self, seconds: float) -> str:
        return "" if self._cost is None else f", {seconds / 3600 * self._cost.rate_per_hour:.2f} {self._cost.currency}"

    def _run(self) -> None:
        while not self._ended.wait(self._every_s):
            self.sample()
