"""Checkpoints that hold the full state: named in the journal once they are durable, and taken up only where every byte is still there."""

from __future__ import annotations

from pathlib import Path

from .adapters import fingerprint
from .context import Context
from .files import sync_tree

HOLDS = ["adapter", "optimizer", "scheduler", "generators", "sampler position"]


def keep(on: Context, stage: str, step: int) -> None:
    """Makes the folder that the trainer just wrote durable and journals it. What it makes unnecessary may be dropped after this."""
    folder = folder_of(on, stage, step)
    sync_tree(folder)
    on.journal.write(
        "checkpoint", path=on.folder.relative(folder), step=step, sha256=fingerprint(folder)[0], holds=HOLDS)


def folder_of(on: Context, stage: str, step: int) -> Path:
    return on.folder.checkpoints(stage) / f"checkpoint-{step}"


def newest(on: Context, stage: str) -> tuple[int, Path] | None:
    """(step, folder) of the newest checkpoint of the stage whose files are those that were journalled; None where there is none."""
    prefix = on.folder.relative(on.folder.checkpoints(stage)) + "/"
    for event in reversed(on.journal.checkpoints):
        folder = on.folder.path / event["path"]
        if event["path"].startswith(prefix) and folder.is_dir() and fingerprint(folder)[0] == event["sha256"]:
            return event["step"], folder
    return None


def start_of(on: Context, stage: str) -> dict[str, str | None]:
    """Folders that a stage starts with: ``resume``, its own newest checkpoint, and ``adapter``, what it builds on."""
    found = newest(on, stage)
    base = on.registry.get(on.registry.current) if on.registry.current else None
    if base is not None and base.stage == stage:
        # The stage had ended and was put in use just before a crash: it still builds on what was there before.
        base = on.registry.get(base.parent) if base.parent else None
    adapter = str(on.registry.folder(base)) if base else on.spec.trainer.adapter
    return {"resume": str(found[1]) if found else None, "adapter": adapter}
