"""``python3 -m ringside_trainer.bootstrap --home DIR [--wheels DIR] [--model PATH] [--need-bytes N] [--wait-for-gpu SECONDS] [--status]``

Makes a box ready: Python, disk, a virtual environment with the locked versions, the base model, a GPU, the self-check. Each step is done
once and remembered in ``bootstrap.json``; a run that was cut goes on at the first step that is not done. Progress is one JSON line a change
on stdout; ``--status`` does nothing and says where it stands in one. With ``--wheels`` nothing but that folder is asked for packages. Exit 0
ready, 1 with the step's reason as the last line, 75 while a GPU is still waited for.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Sequence

from .files import read_json, sha256, write_json
from .journal import utc_now
from .self_check import LOCK, locked

PACKAGE = Path(__file__).parents[1]
"""What has to be on the path of another interpreter for it to find this package: a folder, or an archive."""

NEED_BYTES = 40 * 2**30
"""PyTorch with CUDA takes about 8 GiB, and pip holds the wheels beside it while it installs; the rest is for a small model and a run."""


TELLING = ("Collecting", "Downloading", "Processing", "Installing", "Successfully")
"""First words of the lines by which pip says how far it is."""


class StepFailed(Exception):
    """The text says what to do."""


class StillWaiting(Exception):
    """What is waited for has not come; the step keeps its age."""


@dataclass(frozen=True)
class Options:
    home: Path
    wheels: Path | None
    model: Path | None
    need_bytes: int
    wait_for_gpu_s: float
    progress: Callable[[str], None] = lambda _text: None
    """Hears of what a step that takes minutes is at."""

    @property
    def python(self) -> Path:
        return self.home / "venv" / "bin" / "python3"


Step = tuple[str, Callable[[Options], str], Callable[[Options], str]]
"""Name; what it depends on (another value: it is done again); the work, which returns a line on what it found."""


def steps() -> list[Step]:
    def constant(_options: Options) -> str:
        return "1"

    return [
        ("python", lambda _options: sys.version, check_python),
        ("disk", lambda options: str(options.need_bytes), check_disk),
        ("venv", lambda _options: sys.version, make_venv),
        ("packages", lambda _options: sha256(LOCK.read_bytes()), install),
        ("model", lambda options: str(options.model), check_model),
        ("gpu", constant, find_gpu),
        ("self-check", lambda _options: sha256(LOCK.read_bytes()), self_check),
    ]


def bootstrap(options: Options, plan: Sequence[Step], say: Callable[[dict[str, Any]], None]) -> int:
    """Runs what is not done. ``bootstrap.json``: by step, ``state`` (running, done, failed, waiting), ``since``, ``detail`` and ``key``.

    A step that is found ``running`` by a later start was cut. One bootstrap a home: a second is refused.
    """
    options.home.mkdir(parents=True, exist_ok=True)
    with open(options.home / "bootstrap.lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say({"step": "start", "state": "failed", "since": utc_now(), "key": "", "detail": "another bootstrap is at work there"})
            return 1
        return _bootstrap(options, plan, say)


def _bootstrap(options: Options, plan: Sequence[Step], say: Callable[[dict[str, Any]], None]) -> int:
    path = options.home / "bootstrap.json"
    record = _record(path)

    def note(name: str, state: str, key: str, detail: str) -> None:
        before = record["steps"].get(name, {})
        since = before["since"] if before.get("state") == state else utc_now()
        record["steps"][name] = {"state": state, "since": since, "key": key, "detail": detail}
        write_json(path, record)
        say({"step": name, **record["steps"][name]})

    for name, key_of, work in plan:
        key = key_of(options)
        before = record["steps"].get(name, {})
        if before.get("state") == "done" and before.get("key") == key and name not in ("disk", "gpu"):
            continue
        # A wait keeps its age over every look; other work begins anew.
        if before.get("state") != "waiting":
            note(name, "running", key, "")
        try:
            note(name, "done", key, work(replace(options, progress=lambda text, at=(name, key): note(at[0], "running", at[1], text))))
        except StillWaiting as waiting:
            note(name, "waiting", key, str(waiting))
            return 75
        except StepFailed as failure:
            note(name, "failed", key, str(failure))
            return 1
    return 0


def _record(path: Path) -> dict[str, Any]:
    return read_json(path) or {"v": 1, "steps": {}}


def status(options: Options, plan: Sequence[Step]) -> dict[str, Any]:
    """Every step of the plan as it was left (``todo`` where it was never begun), and the interpreter that a run is to name."""
    found = _record(options.home / "bootstrap.json")["steps"]
    unknown = {"state": "todo", "since": None, "detail": ""}
    told = [{"step": name, **{field: found.get(name, unknown)[field] for field in unknown}} for name, _, _ in plan]
    return {"python": str(options.python), "ready": all(step["state"] == "done" for step in told), "steps": told}


def check_python(_options: Options) -> str:
    if sys.version_info < (3, 10):
        raise StepFailed(f"Python {sys.version.split()[0]} is too old; install 3.10 or newer")
    return sys.version.split()[0]


def check_disk(options: Options) -> str:
    free = shutil.disk_usage(options.home).free
    if free < options.need_bytes:
        told = f"{free / 2**30:.1f} GiB are free in {options.home}, {options.need_bytes / 2**30:.1f} are needed"
        raise StepFailed(f"{told}; clear some or use another folder")
    return f"{free / 2**30:.1f} GiB free"


def make_venv(options: Options) -> str:
    if not options.python.exists():
        remedy = "the virtual environment cannot be made (Debian: apt install python3-venv)"
        _run([sys.executable, "-m", "venv", str(options.home / "venv")], remedy)
    return str(options.python)


def install(options: Options) -> str:
    """pip takes up what is installed already, so that a cut installation goes on."""
    if options.wheels and not options.wheels.is_dir():
        raise StepFailed(f"there is no folder of wheels {options.wheels}")
    lock = options.home / "requirements.lock"
    lock.write_bytes(LOCK.read_bytes())
    command = [str(options.python), "-m", "pip", "install", "--disable-pip-version-check", "-r", str(lock)]
    if options.wheels:
        command += ["--no-index", "--find-links", str(options.wheels)]
    _run(command, "the locked packages cannot be installed", tell=options.progress)
    return f"{len(locked())} locked packages installed"


def check_model(options: Options) -> str:
    """The folder holds a configuration, a tokenizer and every file of weights that its index names."""
    if options.model is None:
        return "none named; a run checks its own"
    missing = missing_files(options.model)
    if missing:
        raise StepFailed(f"the base model in {options.model} lacks {', '.join(missing[:3])}; copy it to the box again")
    return str(options.model)


def missing_files(folder: Path) -> list[str]:
    missing = [name for name in ("config.json", "tokenizer_config.json") if not (folder / name).is_file()]
    index = read_json(folder / "model.safetensors.index.json")
    weights = sorted(set(index["weight_map"].values())) if index else ["model.safetensors"]
    return missing + [name for name in weights if not (folder / name).is_file() or (folder / name).stat().st_size == 0]


def find_gpu(options: Options) -> str:
    """Waits, for a box whose GPU is still being attached or whose quota is still to come."""
    until = time.monotonic() + options.wait_for_gpu_s
    while True:
        names = gpus()
        if names:
            return "; ".join(names)
        if time.monotonic() >= until:
            raise StillWaiting("no GPU answers nvidia-smi yet")
        time.sleep(min(5.0, max(0.0, until - time.monotonic())))


def gpus() -> list[str]:
    """Name and memory of each GPU that answers; empty where there is none."""
    try:
        query = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
        told = subprocess.run(query, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in told.stdout.splitlines() if line.strip()] if told.returncode == 0 else []


def self_check(options: Options) -> str:
    program = (
        "import sys; from ringside_trainer import self_check as s; "
        "p = s.version_problems(s.locked()) or s.hook_problems(s.installed_classes()); print('; '.join(p)); sys.exit(1 if p else 0)")
    _run([str(options.python), "-c", program], "TRL is not the one that this trainer was written against", {"PYTHONPATH": str(PACKAGE)})
    return "versions and hooks are as they were read"


def _run(command: list[str], remedy: str, environment: dict[str, str] | None = None, tell: Callable[[str], None] | None = None) -> None:
    """``tell`` hears each line that says what the program is at, by its first word. Raises ``StepFailed`` with the program's last line."""
    last = ""
    with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            env={**os.environ, **(environment or {})}) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                last = line.strip() or last
                if tell and last.startswith(TELLING):
                    tell(last[:160])
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise StepFailed(f"{remedy}: {last or 'it said nothing'}")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="ringside_trainer.bootstrap")
    parser.add_argument("--home", required=True, type=Path)
    parser.add_argument("--wheels", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--need-bytes", type=int, default=NEED_BYTES)
    parser.add_argument("--wait-for-gpu", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--status", action="store_true")
    given = parser.parse_args(arguments)
    options = Options(given.home, given.wheels, given.model, given.need_bytes, given.wait_for_gpu)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if given.status:
        print(json.dumps(status(options, steps())))
        return 0
    return bootstrap(options, steps(), lambda line: print(json.dumps(line), flush=True))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
