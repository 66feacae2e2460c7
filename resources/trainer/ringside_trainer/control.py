"""What the operator wants of a running trainer, read from ``control.json`` in the run's folder."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Literal

Want = Literal["run", "pause", "stop_after_step", "abort"]
_WANTS = ("run", "pause", "stop_after_step", "abort")


class Control:
    """Reads the file anew each time: it is replaced by the console or by hand. A file that cannot be read changes nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._last: Want = "run"
        self.interrupted = False
        """Set when the process is asked to end by a signal: it ends at the next safe moment, and may be started again."""

    @property
    def want(self) -> Want:
        try:
            value = json.loads(self.path.read_text(encoding="utf-8")).get("want")
        except (OSError, ValueError, AttributeError):
            return self._last
        if value in _WANTS:
            self._last = value
        return self._last

    @property
    def stopping(self) -> bool:
        """Whether the run is to end, now or after this step."""
        return self.interrupted or self.want in ("stop_after_step", "abort")

    @property
    def aborting(self) -> bool:
        """Whether not even a step or a wait that is under way is to be finished."""
        return self.interrupted or self.want == "abort"

    def rest(self, seconds: float) -> None:
        """Waits so long, and for as long as the operator has the run paused; ends early when it is to end."""
        until = time.monotonic() + seconds
        while not self.stopping and (self.want == "pause" or time.monotonic() < until):
            time.sleep(0.05 if self.want != "pause" else 0.5)
