"""``python3 -m ringside_trainer.adapters_main --run-dir DIR COMMAND``: looks at and changes a run's registry of adapters.

Commands: ``list``; ``compare A B``; ``mark ID good|bad|none``; ``roll-back ID``; ``plan ID…`` (what ``retire`` would delete, and the bytes
it would give back); ``retire ID… --plan SHA256`` (deletes what that very plan showed, and nothing where it has changed since).
Prints one JSON object. Exit 0, or 2 with one line on stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Sequence

from .adapters import Adapter, Registry
from .files import sha256
from .run_folder import RunFolder


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    folder = RunFolder(Path(options.run_dir))
    if not folder.path.is_dir():
        print(f"there is no run folder {folder.path}", file=sys.stderr)
        return 2
    try:
        print(json.dumps(_do(Registry(folder.adapters), options)))
    except KeyError as problem:
        print(problem.args[0], file=sys.stderr)
        return 2
    except (ValueError, OSError) as problem:
        print(str(problem), file=sys.stderr)
        return 2
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="ringside_trainer.adapters_main")
    parser.add_argument("--run-dir", required=True)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list")
    for name, many in (("compare", 2), ("roll-back", 1), ("plan", "+"), ("retire", "+"), ("mark", 1)):
        command = commands.add_parser(name)
        command.add_argument("ids", nargs=many)
        if name == "mark":
            command.add_argument("mark", choices=("good", "bad", "none"))
        if name == "retire":
            command.add_argument("--plan", required=True, metavar="SHA256")
    return parser.parse_args(arguments)


def _do(registry: Registry, options: argparse.Namespace) -> dict[str, Any]:
    if options.command == "compare":
        return compare(registry.get(options.ids[0]), registry.get(options.ids[1]))
    if options.command == "plan":
        return plan(registry, options.ids)
    if options.command == "retire":
        shown = plan(registry, options.ids)
        if shown["plan"] != options.plan:
            raise ValueError("the adapters changed since that plan was shown; look at the new one first")
        freed = registry.retire([registry.get(row["id"]) for row in shown["adapters"]])
        return {**listing(registry), "freedBytes": freed}
    if options.command == "mark":
        registry.mark(options.ids[0], None if options.mark == "none" else options.mark)
    if options.command == "roll-back":
        registry.roll_back(options.ids[0])
    return listing(registry)


def listing(registry: Registry) -> dict[str, Any]:
    """Every adapter, the one in use, and what those that are not retired take on the disk."""
    rows = [row(adapter, registry) for adapter in registry.adapters]
    return {"current": registry.current, "adapters": rows, "diskBytes": sum(r["bytes"] for r in rows if not r["retired"])}


def row(adapter: Adapter, registry: Registry) -> dict[str, Any]:
    held_out = {**asdict(adapter.held_out), "partial": adapter.held_out.partial} if adapter.held_out else None
    return {
        "id": adapter.id, "stage": adapter.stage, "step": adapter.step, "parent": adapter.parent, "path": adapter.path,
        "sha256": adapter.sha256, "bytes": adapter.bytes, "heldOut": held_out, "mark": adapter.mark, "retired": adapter.retired,
        "present": registry.folder(adapter).is_dir(),
    }


def plan(registry: Registry, ids: Sequence[str]) -> dict[str, Any]:
    """What retiring would delete; ``plan`` names this very content. Raises ``ValueError`` where one is in use or built upon."""
    rows = [row(adapter, registry) for adapter in registry.plan_retirement(ids)]
    content = {"adapters": rows, "bytes": sum(r["bytes"] for r in rows if not r["retired"])}
    return {"plan": sha256(json.dumps(content, sort_keys=True)), **content}


def compare(left: Adapter, right: Adapter) -> dict[str, Any]:
    """Fields that differ, and the difference of the held-out rates where both are whole; a partial evaluation compares with nothing."""
    a, b = asdict(left), asdict(right)
    rate = None
    if left.held_out and right.held_out and not left.held_out.partial and not right.held_out.partial:
        rate = right.held_out.passed / right.held_out.graded - left.held_out.passed / left.held_out.graded
    return {"differs": {name: [a[name], b[name]] for name in a if a[name] != b[name]}, "rateDifference": rate}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
