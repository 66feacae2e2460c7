"""``python3 archive.py OUT``: the trainer as one file that Python runs, for a box that gets nothing else; same files, same bytes."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that the format can hold: the archive's hash is about its content alone."""


def write(out: Path) -> None:
    files = sorted(path for path in (HERE / "ringside_trainer").rglob("*") if path.is_file() and path.suffix in (".py", ".json", ".lock"))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            archive.writestr(zipfile.ZipInfo(path.relative_to(HERE).as_posix(), EPOCH), path.read_bytes())
        archive.writestr(zipfile.ZipInfo("__main__.py", EPOCH), (HERE / "main.py").read_bytes())


if __name__ == "__main__":
    write(Path(sys.argv[1]))
