"""What the operator wants of a running trainer, read from ``control.json`` in the run's folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

Want = Literal["run", "pause", "stop_after_step", "abort"]
_WANTS = ("run", "pause", "stop_after_step", "abort")


class Control:
    """Reads the file anew each time: it is replaced by the console or by hand. A file that cannot be read changes nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._last: Want = "run"

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
        return self.want in ("stop_after_step", "abort")
