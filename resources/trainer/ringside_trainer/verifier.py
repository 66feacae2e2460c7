"""Asks a verifier for grades. One attempt at a time: what did not come is named silent, and nothing is guessed."""

from __future__ import annotations

import http.client
import json
import socket
from dataclasses import dataclass
from typing import Any, Callable, Iterable
from urllib.parse import urlsplit

from . import schema
from .grades import of_line, silent_grade

Item = dict[str, str]

SILENCE_S = 120.0
"""How long nothing may come before the verifier counts as hung: longer than a slow body may take, short beside a lost night."""


@dataclass(frozen=True)
class Expectation:
    """What the run is pinned to. A grade by any other suite or commit says nothing about this run."""

    suite_sha256: str
    commit: str | None


class Unreachable(Exception):
    """No usable answer; ``reason`` is a short code, as it goes into the journal."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Verifier:
    """A client of the verifier's HTTP API. ``url`` is called anew for every attempt, since a restarted verifier may have moved."""

    def __init__(
        self, url: Callable[[], str], expect: Expectation, token: str | None = None, connect_s: float = 5.0, silence_s: float = SILENCE_S,
    ) -> None:
        """``silence_s`` bounds the wait for the next byte of a reply."""
        self._url, self._expect, self._token, self._connect_s, self._silence_s = url, expect, token, connect_s, silence_s
        self._schema = schema.load("grade-line")

    def health(self) -> dict[str, Any]:
        """``GET /v1/health``. Raises ``Unreachable``."""
        try:
            response = self._send("GET", "/v1/health", None, self._connect_s)
            value = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as problem:
            raise Unreachable(_reason(problem)) from problem
        if not isinstance(value, dict):
            raise Unreachable("malformed_answer")
        return value

    def tasks(self) -> list[dict[str, Any]]:
        """``GET /v1/tasks``: id, prompt, signature and tests of each. Raises ``Unreachable``."""
        try:
            value = json.loads(self._send("GET", "/v1/tasks", None, self._connect_s).read())
        except (OSError, http.client.HTTPException, ValueError) as problem:
            raise Unreachable(_reason(problem)) from problem
        tasks = value.get("tasks") if isinstance(value, dict) else value
        if not isinstance(tasks, list) or not all(isinstance(task, dict) and "id" in task and "prompt" in task for task in tasks):
            raise Unreachable("malformed_answer")
        return tasks

    def grade(self, run: str, items: Iterable[Item]) -> dict[str, dict[str, Any]]:
        """One reply line for each item, by id.

        Lines that arrive before a cut are kept. An item without a line gets an ``unreachable`` grade with the reason; a line that does not
        fit the schema, or that another suite or commit graded, becomes ``unresolved``.
        """
        wanted = {item["id"]: item for item in items}
        lines: dict[str, dict[str, Any]] = {}
        reason = "no_line"
        try:
            response = self._send("POST", "/v1/grade", {"run": run, "items": list(wanted.values())}, self._silence_s)
            for raw in response:
                line = self._accept(raw, wanted)
                if line is not None:
                    lines[line["id"]] = line
        except (OSError, http.client.HTTPException, Unreachable) as problem:
            reason = problem.reason if isinstance(problem, Unreachable) else _reason(problem)
        for id_, item in wanted.items():
            if id_ not in lines:
                lines[id_] = {"id": id_, "task": item["task"], "extraction": None, **silent_grade("unreachable", reason)}
        return lines

    def _accept(self, raw: bytes, wanted: dict[str, Item]) -> dict[str, Any] | None:
        """The line if it speaks of a wanted item; a torn last line (no newline) was cut and does not count."""
        if not raw.endswith(b"\n"):
            return None
        try:
            line = json.loads(raw)
            id_ = line["id"]
        except (ValueError, TypeError, KeyError):
            return None
        item = wanted.get(id_) if isinstance(id_, str) else None
        if item is None:
            return None
        named = {"id": id_, "task": item["task"], "extraction": None}
        try:
            schema.check(line, self._schema)
        except schema.SchemaError:
            return {**named, **silent_grade("unresolved", "malformed_answer")}
        if (line["reward"] is None) != (line["status"] in ("no_test_ran", "unreachable", "unresolved")):
            return {**named, **silent_grade("unresolved", "reward_misfits_status")}
        other = self._other_referee(line)
        return {**named, **silent_grade("unresolved", other)} if other else line

    def _other_referee(self, line: dict[str, Any]) -> str | None:
        suite = line["suite"]
        if suite is not None and suite["sha256"] != self._expect.suite_sha256:
            return "other_suite"
        if suite is not None and self._expect.commit is not None and line["commit"] != self._expect.commit:
            return "other_commit"
        return None

    def _send(self, method: str, path: str, body: Any, timeout_s: float) -> http.client.HTTPResponse:
        """The response with its body still to be read; the connection lives as long as the response. Raises ``Unreachable``."""
        target = urlsplit(self._url())
        kind = http.client.HTTPSConnection if target.scheme == "https" else http.client.HTTPConnection
        connection = kind(target.hostname or "127.0.0.1", target.port, timeout=self._connect_s)
        connection.connect()
        connection.sock.settimeout(timeout_s)
        headers = {"content-type": "application/json", "connection": "close"}
        if self._token:
            headers["authorization"] = f"Bearer {self._token}"
        connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
        response = connection.getresponse()
        if response.status != 200:
            response.read(65_536)
            raise Unreachable(f"http_{response.status}")
        return response


def _reason(problem: Exception) -> str:
    if isinstance(problem, ConnectionRefusedError):
        return "connection_refused"
    if isinstance(problem, (socket.timeout, TimeoutError)):
        return "timed_out"
    if isinstance(problem, (http.client.IncompleteRead, http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)):
        return "cut"
    if isinstance(problem, ValueError):
        return "malformed_answer"
    return type(problem).__name__.lower()


def grade_of(line: dict[str, Any]) -> dict[str, Any]:
    """The grade in a reply line, ready for the journal."""
    return of_line(line)
