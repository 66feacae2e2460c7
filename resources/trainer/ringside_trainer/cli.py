"""Reads the command line, puts the parts of a run together and carries it out."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Sequence
from urllib.parse import urlsplit

from . import __version__
from .adapters import Registry
from .context import Context
from .control import Control
from .cost import Meter
from .evaluation import evaluate
from .file_stage import run_file_stage
from .files import ContentStore, read_json
from .grpo_stage import run_grpo
from .journal import Journal
from .kit import Kit
from .once import Once
from .pipeline import Pipeline, Stage
from .ranks import Ranks
from .reward import CompositeReward, shaped
from .run_folder import RunFolder
from .run_spec import BadSpec, RunSpec, StageSpec, read_spec
from .several import launch, place, say_exit
from .verifier import SILENCE_S, Expectation, Verifier
from .waiting import EXIT_BLOCKED, Blocked, Waiting

ENDED = ("completed", "stopped", "failed")


class CannotStart(Exception):
    """Said in one line on stderr; nothing was done."""


def main(arguments: Sequence[str]) -> int:
    try:
        options = _options(arguments)
        folder = RunFolder(Path(options.run_dir))
        spec = read_spec(folder.spec)
        if spec.trainer.processes > 1 and place() is None:
            return launch(spec.trainer.processes, list(arguments), folder)
        code = _run(options, folder, spec)
        say_exit(folder, code)
        return code
    except (CannotStart, BadSpec) as problem:
        print(f"cannot start: {problem}", file=sys.stderr)
    except OSError as problem:
        print(f"cannot go on: {problem.strerror or problem}: {problem.filename or ''}", file=sys.stderr)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    except Exception as problem:  # noqa: BLE001 - the journal has it, and a person at the log needs one line
        print(f"failed: {type(problem).__name__}: {problem}", file=sys.stderr)
        if os.environ.get("RINGSIDE_TRACE"):
            raise
    return 1


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="ringside_trainer", description="The trainer for a GPU box.", exit_on_error=False)
    parser.add_argument("--run-dir", required=True)
    parser.add_argument("--verifier", required=True, metavar="URL")
    parser.add_argument("--verifier-file", metavar="FILE", help='JSON {"url": …}, read anew at every attempt')
    parser.add_argument("--verifier-silence", type=float, default=SILENCE_S, metavar="SECONDS",
                        help="how long the verifier may say nothing before it is asked again")
    parser.add_argument("--token-file", metavar="FILE", help="the verifier's bearer token")
    parser.add_argument("--stand-in", action="store_true", help="train the toy policy of standin/, without any library")
    try:
        options = parser.parse_args(arguments)
    except argparse.ArgumentError as problem:
        raise CannotStart(str(problem)) from problem
    if urlsplit(options.verifier).scheme not in ("http", "https"):
        raise CannotStart(f"--verifier {options.verifier} is no http URL")
    if not options.verifier_silence > 0:
        raise CannotStart("--verifier-silence is not above 0")
    return options


def _kit(options: argparse.Namespace, spec: RunSpec) -> Kit:
    if options.stand_in or spec.trainer.backend == "stand_in":
        from .standin.kit import StandInKit
        return StandInKit()
    from .trl_glue import NotUsable, load_kit
    try:
        return load_kit(spec)
    except NotUsable as problem:
        raise CannotStart(str(problem)) from problem


def _run(options: argparse.Namespace, folder: RunFolder, spec: RunSpec) -> int:
    reward, kit = _reward(spec), _kit(options, spec)
    rank, world, launched = place() or (0, 1, "single")
    ranks = Ranks(folder.ranks / launched, rank, world)
    control = Control(folder.control)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: setattr(control, "interrupted", True))
    if rank > 0:
        return _follow(folder, spec, kit, control, ranks, reward)
    journal = Once(Journal(folder.journal, spec.run))
    try:
        if journal.outcome in ENDED:
            _log(f"run {spec.run} has already ended ({journal.outcome}); nothing to do")
            return 0
        _begin(journal, spec, kit)
        return _lead(options, folder, spec, kit, control, ranks, journal, reward)
    finally:
        journal.close()


def _lead(
    options: argparse.Namespace, folder: RunFolder, spec: RunSpec, kit: Kit, control: Control, ranks: Ranks, journal: Once,
    reward: CompositeReward,
) -> int:
    waiting = Waiting(_verifier(options, spec), journal, control, spec.trainer.block_deadline_s)
    registry = Registry(folder.adapters)
    meter = Meter(journal, spec.trainer.cost, kit.devices)
    meter.start()
    try:
        tasks = ranks.agree("tasks", waiting.tasks)
        store = ContentStore(folder.completions)
        on = Context(spec, folder, kit, control, ranks, store, reward, _log, journal, waiting, registry, tasks)
        stages = [Stage(stage.stage, _work(on, stage)) for stage in spec.trainer.stages]

        def announce(name: str, what: str) -> None:
            if ranks.world > 1:
                ranks.answer(f"stage-{name}", what)

        return Pipeline(journal, control, folder.stages, stages, spec.trainer.left_out, announce).run()
    except Blocked as blocked:
        outcome = "interrupted" if control.interrupted or not control.stopping else "stopped"
        journal.write("run.finished", outcome=outcome, reason=str(blocked))
        return 0 if control.stopping else EXIT_BLOCKED
    finally:
        meter.stop()


def _follow(folder: RunFolder, spec: RunSpec, kit: Kit, control: Control, ranks: Ranks, reward: CompositeReward) -> int:
    """What the processes beside the leader do: train where it trains, wait where it waits, write no journal."""
    nothing: Any = None
    tasks = ranks.await_answer("tasks")
    store = ContentStore(folder.completions)
    on = Context(spec, folder, kit, control, ranks, store, reward, _log, nothing, nothing, nothing, tasks)
    for stage in spec.trainer.stages:
        what = ranks.await_answer(f"stage-{stage.stage}")
        if what == "end":
            break
        if what == "run":
            try:
                _work(on, stage)()
            except Blocked:
                return EXIT_BLOCKED
    return 0


def _work(on: Context, stage: StageSpec) -> Callable[[], None]:
    if stage.stage == "grpo":
        return lambda: run_grpo(on, stage)
    if stage.stage in ("baseline", "final_eval"):
        return lambda: evaluate(on, "baseline" if stage.stage == "baseline" else "final")
    return lambda: run_file_stage(on, stage)


def _reward(spec: RunSpec) -> CompositeReward:
    try:
        return shaped(spec.trainer.shaping)
    except ValueError as problem:
        raise CannotStart(str(problem)) from problem


def _verifier(options: argparse.Namespace, spec: RunSpec) -> Verifier:
    def url() -> str:
        if options.verifier_file:
            try:
                found = read_json(Path(options.verifier_file))
                if isinstance(found, dict) and isinstance(found.get("url"), str):
                    return found["url"]
            except (OSError, ValueError):
                pass
        return options.verifier

    token = Path(options.token_file).read_text(encoding="utf-8").strip() if options.token_file else None
    return Verifier(url, Expectation(spec.suite_sha256, spec.commit), token, silence_s=options.verifier_silence)


def _begin(journal: Once, spec: RunSpec, kit: Kit) -> None:
    host, versions = socket.gethostname(), {"trainer": __version__, **kit.versions()}
    if journal.started is None:
        journal.write("run.started", spec=spec.raw, specSha256=spec.sha256, host=host, versions=versions, seed=spec.trainer.seed)
        if kit.label == "stand-in":
            journal.write("alert", code="stand_in", level="warning", evidence={"once": "run"},
                          text="This run trains the stand-in's toy policy: it shows the trainer at work, not a model that learns.")
        return
    if journal.started["specSha256"] != spec.sha256:
        raise CannotStart("spec.json is not the one that this run started with; a run's spec is frozen")
    steps = [event["step"] for event in journal.checkpoints if event["path"].startswith("checkpoints/grpo/")]
    journal.write("run.resumed", host=host, versions=versions, fromStep=max(steps, default=0))


def _log(text: str) -> None:
    print(f"{datetime.now(timezone.utc).isoformat(timespec='milliseconds').replace('+00:00', 'Z')} {text}", file=sys.stderr, flush=True)
