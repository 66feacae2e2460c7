"""A proxy on loopback between the trainer and the **real** verifier service, which spoils what the verifier really says.

Every request for grades that reaches a living verifier takes the next mood of a schedule; without one it is passed on as it is. The verifier
has graded before most faults strike, as it would have in life: what the trainer did not hear is replayed to it later, under the same id. A
killed verifier is started again at once; until it listens, every request is cut.
"""

from __future__ import annotations

import http.client
import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from .real import RealVerifier

COMMIT, OTHER_COMMIT = "c" * 40, "d" * 40
"""The suite for tests has no repository, so the proxy writes the commit that a repository's verifier would name into every line."""

FAULTS = ("hang", "refuse", "half", "other_commit", "kill_before", "kill_during")
MOODS = (*FAULTS, "kill_after")
"""``kill_after`` ends the verifier when everything was said, so that the batch is whole and the next one meets a dead verifier."""


class FaultProxy:
    """``met`` tells each request for grades that came: its mood and how many items it asked about."""

    def __init__(self, verifier: RealVerifier, schedule: list[str]) -> None:
        self.met: list[tuple[str, int]] = []
        self._verifier, self._schedule, self._turn = verifier, list(schedule), threading.Lock()
        self._revival: threading.Thread | None = None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                with suppress(OSError, http.client.HTTPException):
                    outer._pass_on(self)

            def do_POST(self):
                # What the verifier or the trainer cuts, is cut here too.
                with outer._turn, suppress(OSError, http.client.HTTPException):
                    outer._grade(self)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        if self._revival:
            self._revival.join()

    def _kill(self) -> None:
        self._verifier.end()
        self._revival = threading.Thread(target=self._verifier.start)
        self._revival.start()

    def _dead(self) -> bool:
        return self._revival is not None and self._revival.is_alive()

    def _pass_on(self, handler) -> None:
        if self._dead():
            return
        connection, response = self._ask("GET", handler.path, None)
        handler.send_response(response.status)
        handler.end_headers()
        handler.wfile.write(response.read())
        connection.close()

    def _grade(self, handler) -> None:
        body = handler.rfile.read(int(handler.headers["content-length"]))
        if self._dead():
            return
        mood = self._schedule.pop(0) if self._schedule else "well"
        items = len(json.loads(body)["items"])
        self.met.append((mood, items))
        if mood == "kill_before":
            self._kill()
            return
        connection, response = self._ask("POST", handler.path, body)
        try:
            self._answer(handler, mood, items, response)
        finally:
            connection.close()
        if mood == "kill_after":
            self._kill()

    def _answer(self, handler, mood: str, items: int, response) -> None:
        if mood == "refuse":
            response.read()
            handler.send_error(500)
            return
        handler.send_response(response.status)
        handler.end_headers()
        if mood == "hang":
            response.read()
            # The client gives up and closes; until then nothing is said.
            handler.connection.recv(1)
            return
        for number, line in enumerate(response):
            if mood in ("half", "kill_during") and number >= items // 2:
                handler.wfile.write(line[: len(line) // 2])
                if mood == "kill_during":
                    self._kill()
                return
            handler.wfile.write(_with_commit(line, OTHER_COMMIT if mood == "other_commit" else COMMIT))
            handler.wfile.flush()

    def _ask(self, method: str, path: str, body: bytes | None):
        connection = http.client.HTTPConnection("127.0.0.1", urlsplit(self._verifier.url).port, timeout=120)
        connection.request(method, path, body, {"content-type": "application/json"})
        return connection, connection.getresponse()


def _with_commit(line: bytes, commit: str) -> bytes:
    return json.dumps({**json.loads(line), "commit": commit}).encode() + b"\n"
