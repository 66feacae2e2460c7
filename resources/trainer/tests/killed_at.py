"""``python3 -m tests.killed_at POINT ARGUMENTS``: the trainer, ended by SIGKILL at a chosen moment.

POINT is ``TYPE:N:WHEN``: at the N-th event of a type, WHEN being ``before`` it, ``torn`` (half of its line is written) or ``after`` it; or
``batch:N:before|after`` (tokens of a batch), ``checkpoint-files:N:before`` (written by the trainer, not yet in the journal).
"""

from __future__ import annotations

import os
import signal
import sys

from ringside_trainer import batches, checkpoints, cli, journal, schema


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def arm(point: str) -> None:
    name, count, when = point.split(":")
    left = [int(count)]

    def hit(this: str) -> bool:
        left[0] -= this == name
        return this == name and left[0] == 0

    def around(owner, attribute: str, label) -> None:
        inherited = getattr(owner, attribute)

        def wrapped(*args, **kwargs):
            chosen = hit(label(*args, **kwargs))
            if chosen and when == "before":
                die()
            if chosen and when == "torn":
                args[0]._file.write(b'{"v":1,"seq":')
                args[0]._file.flush()
                die()
            result = inherited(*args, **kwargs)
            if chosen:
                die()
            return result

        setattr(owner, attribute, wrapped)

    around(journal.Journal, "_append", lambda _self, type_, _fields: type_)
    around(batches.Batches, "save", lambda *_: "batch")
    around(checkpoints, "sync_tree", lambda *_: "checkpoint-files")


if __name__ == "__main__":
    schema.load("event")
    arm(sys.argv[1])
    sys.exit(cli.main(sys.argv[2:]))
