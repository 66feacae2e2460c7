"""Real processes for tests: the verifier service as the console starts it, and the trainer with the stand-in's policy."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SUITE = ROOT / "resources" / "demo" / "booking" / "weak"
PATIENCE_S = 120.0
"""For what a busy machine may take; no test measures time."""


def node() -> str | None:
    """The project's own Node, which runs the verifier's source."""
    path = ROOT / "node_modules" / ".bin" / "node"
    return str(path) if path.exists() else None


class RealVerifier:
    """Keeps its data over restarts, and its port once it has one."""

    def __init__(self, data: Path) -> None:
        self._data, self.port, self._process = data, 0, None
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._process = subprocess.Popen(
            [str(node()), str(ROOT / "resources/verifier/main.ts"), "--suite", str(SUITE), "--data", str(self._data), "--port",
             str(self.port), "--workers", "2"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        line = self._process.stdout.readline()
        self.port = int(json.loads(line)["listening"]["url"].rsplit(":", 1)[1])

    def end(self, number: int = signal.SIGKILL) -> None:
        if self._process.poll() is None:
            self._process.send_signal(number)
        self._process.wait()
        self._process.stdout.close()


def run_id(folder: Path) -> str:
    """One for each folder, so that the verifier grades every run anew and replays nothing of another's."""
    digest = hashlib.sha256(str(folder).encode()).digest()
    return "r-20261129-" + "".join("abcdefghijklmnopqrstuvwxyz234567"[byte % 32] for byte in digest[:6])


def spec(run: str, commit: str | None = None, **trainer) -> dict:
    suite = json.loads((SUITE / "suite.json").read_text())
    stages = [{"stage": "baseline"}, {"stage": "grpo"}, {"stage": "final_eval"}]
    return {
        "v": 1, "name": "test", "run": run, "box": {"kind": "local"}, "audit": None, "verifier": {"workers": 2}, "overrides": [],
        "suite": {"path": str(SUITE), "name": suite["name"], "version": suite["version"], "sha256": suite["sha256"],
                  "commit": commit},
        "trainer": {"kind": "pipeline", "backend": "stand_in", "seed": 3, "stages": stages, "updates": 3, "groupSize": 4,
                    "groupsPerStep": 2, "learningRate": 1.0, "evalDraws": 6, "shaping": {"format": 0.1}, **trainer},
    }


def run_folder(folder: Path, **trainer) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "spec.json").write_text(json.dumps(spec(run_id(folder), **trainer), sort_keys=True, separators=(",", ":")) + "\n")
    return folder


class Trainer:
    """``kill_at`` is a point of ``killed_at.py``; the process then ends itself there with SIGKILL."""

    def __init__(self, folder: Path, url: str, kill_at: str | None = None, silence_s: float | None = None) -> None:
        self.folder = folder
        program = ["-m", "ringside_trainer"] if kill_at is None else ["-m", "tests.killed_at", kill_at]
        more = ["--verifier-silence", str(silence_s)] if silence_s else []
        self._log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, "-B", *program, "--run-dir", str(folder), "--verifier", url, *more],
            cwd=ROOT / "resources" / "trainer", stdout=self._log, stderr=self._log, env={**os.environ, "PYTHONUNBUFFERED": "1"})

    def wait(self) -> int:
        code = self.process.wait(PATIENCE_S)
        self._log.seek(0)
        self.said = self._log.read().decode()
        self._log.close()
        return code

    def await_event(self, wanted) -> None:
        """Until the journal holds an event for which ``wanted(event, events before it)``."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            seen = events(self.folder)
            for place, event in enumerate(seen):
                if wanted(event, seen[:place]):
                    return
            if self.process.poll() is not None:
                self.wait()
                raise AssertionError(f"the trainer ended with {self.process.returncode} before that: {self.said}")
            time.sleep(0.005)
        raise AssertionError("the event did not come")

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if not self._log.closed:
            self._log.close()


def events(folder: Path) -> list[dict]:
    try:
        text = (folder / "events.jsonl").read_bytes()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in text[: text.rfind(b"\n") + 1].splitlines()]
