"""The run's journal: one JSON object a line, synced before the call returns, numbered without gaps over restarts."""

from __future__ import annotations

import json
import os
import threading
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Iterator

from . import schema


def utc_now() -> str:
    """The time as the journal writes it: RFC 3339, UTC, milliseconds."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Journal:
    """Appends events to ``path``. One writer a file; a torn last line, left by a crash, is cut off at opening."""

    def __init__(self, path: Path, run: str, now: Callable[[], str] = utc_now) -> None:
        self.path, self.run, self._now = path, run, now
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(path, "a+b")
        self._lock = threading.Lock()
        self.seq = self._repair()
        self._schema = schema.load("event")

    def _repair(self) -> int:
        """Cuts a torn tail and returns the next sequence number: one more than the largest that a readable line has."""
        self._file.seek(0)
        data = self._file.read()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            self._file.truncate(whole)
            os.fsync(self._file.fileno())
        last = -1
        for line in data[:whole].splitlines():
            try:
                last = max(last, int(json.loads(line)["seq"]))
            except (ValueError, KeyError, TypeError):
                continue
        return last + 1

    def write(self, type_: str, **fields: Any) -> dict[str, Any]:
        """Appends one event and returns it. Raises ``SchemaError`` for one that the console could not read; nothing is written then."""
        with self._lock:
            return self._append(type_, fields)

    def _append(self, type_: str, fields: dict[str, Any]) -> dict[str, Any]:
        event = {"v": 1, "seq": self.seq, "at": self._now(), "run": self.run, "type": type_, **fields}
        schema.check(event, self._schema)
        line = json.dumps(event, separators=(",", ":"), allow_nan=False, ensure_ascii=True) + "\n"
        before = self._file.seek(0, os.SEEK_END)
        try:
            self._file.write(line.encode())
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError:
            # A full disk can leave half a line, which the next event would be glued to.
            try:
                os.ftruncate(self._file.fileno(), before)
            except OSError:
                pass
            raise
        self.seq += 1
        return event

    def read(self) -> Iterator[dict[str, Any]]:
        """The events so far, oldest first; lines that are no JSON are passed over (the console reports them)."""
        with open(self.path, "rb") as file:
            for line in file:
                try:
                    event = json.loads(line)
                except ValueError:
                    continue
                if isinstance(event, dict):
                    yield event

    def close(self) -> None:
        self._file.close()
