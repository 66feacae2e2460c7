"""A verifier that fails on request, for outages that a real one cannot be made to show at a given moment.

It speaks the HTTP API of the real service and grades a body by a rule of its own; the same outages with the real service are in
``test_faults.py`` and, killed and restarted under a whole run, in ``test_real_verifier.py``.
"""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ringside_trainer.grades import silent_grade

SUITE = {"name": "rule", "version": "1", "sha256": "a" * 64}
COMMIT = "c" * 40


def rule(text: str) -> float:
    """The reward of a text: what ``unreliable`` grades by, so that a test knows it without asking."""
    return (len(text) % 5) / 4


def graded_line(item, suite=SUITE, commit=COMMIT):
    text = item.get("completion", item.get("body", ""))
    reward = rule(text)
    return {
        "id": item["id"], "task": item["task"], "extraction": {"outcome": "body", "fences": 1, "info": ""},
        **silent_grade("unreachable", ""), "status": "passed" if reward == 1 else "test_failed", "reward": reward, "reason": None,
        "suite": suite, "commit": commit, "cache": "fresh",
    }


class Unreliable:
    """``mood`` decides the next answers: well, refuse (500), cut (half the lines), hang, garbled, other_commit, null."""

    def __init__(self) -> None:
        self.mood = "well"
        self.asked = 0
        self.answered: dict[str, int] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                outer.asked += 1
                outer._answer(self, json.loads(self.rfile.read(int(self.headers["content-length"]))))

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

    def _answer(self, handler, request) -> None:
        mood = self.mood
        if mood == "refuse":
            handler.send_error(500)
            return
        handler.send_response(200)
        handler.end_headers()
        if mood == "hang":
            time.sleep(1.0)
            return
        items = request["items"]
        for item in items[: len(items) // 2] if mood == "cut" else items:
            handler.wfile.write(json.dumps(self._line(item, mood)).encode() + b"\n")
        if mood == "cut":
            handler.wfile.write(b'{"id": "torn')

    def _line(self, item, mood):
        if mood == "garbled":
            return {"id": item["id"], "status": "passed", "reward": 1}
        if mood == "null":
            return {**graded_line(item), **silent_grade("no_test_ran", "suite"), "suite": SUITE, "commit": COMMIT}
        if mood == "other_commit":
            return graded_line(item, commit="d" * 40)
        self.answered[item["id"]] = self.answered.get(item["id"], 0) + 1
        return graded_line(item)
