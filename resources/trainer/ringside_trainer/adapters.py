"""The registry of checkpoints: what made each, how good it is, which one is in use, and what each costs on disk."""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, Sequence

from .files import read_json, write_json

Mark = Literal["good", "bad"]


@dataclass(frozen=True)
class HeldOut:
    """Full passes of the graded draws; ``planned`` tells a partial evaluation from a whole one."""

    passed: int
    graded: int
    planned: int

    @property
    def partial(self) -> bool:
        return self.graded < self.planned


@dataclass(frozen=True)
class Adapter:
    id: str
    run: str
    stage: str
    step: int
    parent: str | None
    path: str
    sha256: str
    bytes: int
    held_out: HeldOut | None = None
    mark: Mark | None = None
    retired: bool = False


class Registry:
    """Kept in one file, replaced whole at each change. ``current`` is the adapter that the next stage starts from."""

    def __init__(self, path: Path) -> None:
        self.path = path
        value = read_json(path) or {"v": 1, "current": None, "adapters": []}
        self.current: str | None = value["current"]
        self._adapters = {
            raw["id"]: Adapter(**{**raw, "held_out": HeldOut(**raw["held_out"]) if raw["held_out"] else None}) for raw in value["adapters"]
        }

    @property
    def adapters(self) -> list[Adapter]:
        return list(self._adapters.values())

    def get(self, id_: str) -> Adapter:
        """Raises ``KeyError`` with what there is."""
        if id_ not in self._adapters:
            raise KeyError(f"there is no adapter {id_}; there are {', '.join(self._adapters) or 'none'}")
        return self._adapters[id_]

    def add(self, run: str, stage: str, step: int, folder: Path) -> Adapter:
        """Takes a finished checkpoint folder in, as the child of the one in use, and puts it in use."""
        digest, size = fingerprint(folder)
        adapter = Adapter(
            id=f"{stage}-{step}-{digest[:8]}", run=run, stage=stage, step=step, parent=self.current, path=self._relative(folder),
            sha256=digest, bytes=size,
        )
        if adapter.id not in self._adapters:
            self._adapters[adapter.id] = adapter
        self.current = adapter.id
        self._save()
        return self._adapters[adapter.id]

    def folder(self, adapter: Adapter) -> Path:
        """Where its files are; a path within the registry's own folder is kept relative, so that the folder may move."""
        return self.path.parent / adapter.path

    def _relative(self, folder: Path) -> str:
        try:
            return folder.resolve().relative_to(self.path.parent.resolve()).as_posix()
        except ValueError:
            return str(folder)

    def measure(self, id_: str, held_out: HeldOut) -> Adapter:
        return self._change(id_, held_out=held_out)

    def mark(self, id_: str, mark: Mark | None) -> Adapter:
        """An adapter marked bad is never in use: its nearest ancestor that is not bad takes its place."""
        adapter = self._change(id_, mark=mark)
        if mark == "bad" and self.current == id_:
            self.current = self._good_ancestor(adapter)
            self._save()
        return adapter

    def roll_back(self, id_: str) -> Adapter:
        """Puts an earlier adapter in use. Raises ``ValueError`` where its files are gone or changed, or it is marked bad."""
        adapter = self.get(id_)
        if adapter.mark == "bad":
            raise ValueError(f"{id_} is marked bad; unmark it first")
        if adapter.retired or not self.folder(adapter).is_dir():
            raise ValueError(f"the files of {id_} are gone")
        if fingerprint(self.folder(adapter))[0] != adapter.sha256:
            raise ValueError(f"the files of {id_} are not those that were registered")
        self.current = id_
        self._save()
        return adapter

    def plan_retirement(self, ids: Sequence[str]) -> list[Adapter]:
        """What ``retire`` would delete. The adapter in use, and one that another still builds on, are refused with ``ValueError``."""
        chosen = [self.get(id_) for id_ in ids]
        for adapter in chosen:
            if adapter.id == self.current:
                raise ValueError(f"{adapter.id} is in use; roll back to another first")
            children = [a.id for a in self._adapters.values() if a.parent == adapter.id and not a.retired and a.id not in ids]
            if children:
                raise ValueError(f"{children[0]} builds on {adapter.id}; retire it as well, or keep both")
        return chosen

    def retire(self, plan: Sequence[Adapter]) -> int:
        """Deletes the files of the shown plan and returns the bytes given back. The record of what they were stays."""
        freed = 0
        for adapter in self.plan_retirement([adapter.id for adapter in plan]):
            if self.folder(adapter).is_dir():
                shutil.rmtree(self.folder(adapter))
                freed += adapter.bytes
            self._change(adapter.id, retired=True)
        return freed

    def _good_ancestor(self, adapter: Adapter) -> str | None:
        parent = adapter.parent
        while parent is not None:
            candidate = self._adapters[parent]
            if candidate.mark != "bad" and not candidate.retired:
                return parent
            parent = candidate.parent
        return None

    def _change(self, id_: str, **changes: object) -> Adapter:
        self._adapters[id_] = replace(self.get(id_), **changes)  # type: ignore[arg-type]
        self._save()
        return self._adapters[id_]

    def _save(self) -> None:
        write_json(self.path, {"v": 1, "current": self.current, "adapters": [asdict(a) for a in self._adapters.values()]})


def fingerprint(folder: Path) -> tuple[str, int]:
    """(sha256 over every file's relative path and bytes, total bytes) of a checkpoint folder."""
    digest, size = hashlib.sha256(), 0
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        digest.update(os.fsencode(path.relative_to(folder)) + b"\0")
        with open(path, "rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
                size += len(chunk)
    return digest.hexdigest(), size
