"""Several GPUs on one box: the first process starts `accelerate launch` with itself as the program, one process a GPU."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from .files import read_json, write_json
from .run_folder import RunFolder

_LAUNCH = "RINGSIDE_LAUNCH"


def place() -> tuple[int, int, str] | None:
    """(rank, processes, launch) of a process that was launched as one of several; None for any other."""
    launch_id, rank, world = (os.environ.get(name) for name in (_LAUNCH, "RANK", "WORLD_SIZE"))
    return (int(rank), int(world), launch_id) if launch_id and rank and world else None


def launch(processes: int, arguments: list[str], folder: RunFolder) -> int:
    """Runs all processes to their end and gives the leader's exit code: the launcher itself turns every failure into 1."""
    launch_id = secrets.token_hex(8)
    command = [sys.executable, "-m", "accelerate.commands.launch", "--num_processes", str(processes), "-m", "ringside_trainer", *arguments]
    path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    child = subprocess.Popen(command, env={**os.environ, _LAUNCH: launch_id, "PYTHONPATH": path})

    def forward(number: int, _frame: Any) -> None:
        child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, forward)
    code = child.wait()
    said = read_json(folder.ranks / launch_id / "exit.json")
    return int(said["code"]) if said else (code if code >= 0 else 128 - code)


def say_exit(folder: RunFolder, code: int) -> None:
    """The leader's exit code, for the process that launched it."""
    where = place()
    if where and where[0] == 0:
        write_json(folder.ranks / where[2] / "exit.json", {"code": code})
