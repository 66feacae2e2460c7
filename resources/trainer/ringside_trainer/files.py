"""Files that survive a crash: what is named is whole, and what is said to be written is on the disk."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any


def sync_folder(folder: Path) -> None:
    """Makes new names in ``folder`` durable. A file system that cannot sync a folder is left to its own order."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def write_atomic(path: Path, data: bytes) -> None:
    """Replaces ``path`` by ``data``: a reader sees the old bytes or the new, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_tree(folder: Path) -> None:
    """Makes all files below ``folder``, as another library wrote them, durable."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            sync_folder(path)
            continue
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    sync_folder(folder)
    sync_folder(folder.parent)


def write_json(path: Path, value: Any) -> None:
    """``write_atomic`` of compact JSON. Raises ``ValueError`` for NaN and infinities, which JSON does not have."""
    write_atomic(path, json.dumps(value, separators=(",", ":"), allow_nan=False).encode())


def read_json(path: Path) -> Any | None:
    """The file's value, or None where there is no such file. Raises ``ValueError`` where it is no JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def sha256(data: bytes | str) -> str:
    """The hash, as 64 hex digits; text is hashed as UTF-8, lone surrogates as they are."""
    return hashlib.sha256(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data).hexdigest()


class ContentStore:
    """Bytes under their hash. The same content again is a no-op; a name never changes its bytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, text: str) -> str:
        """Keeps ``text`` and returns its sha256. It is on the disk when this returns."""
        data = text.encode("utf-8", "surrogatepass")
        name = sha256(data)
        if not (self.folder / name).exists():
            write_atomic(self.folder / name, data)
        return name

    def get(self, name: str) -> str:
        """The text of that hash. Raises ``FileNotFoundError``, or ``ValueError`` where the bytes are not those of the name."""
        data = (self.folder / name).read_bytes()
        if sha256(data) != name:
            raise ValueError(f"the bytes under {name} are others: the disk or a person changed them")
        return data.decode("utf-8", "surrogatepass")
