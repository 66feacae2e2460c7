"""One real verifier and one run without an outage, for all tests of a module; and what every other run must come to."""

import signal
import tempfile
import unittest
from pathlib import Path

from ringside_trainer import schema
from ringside_trainer.adapters import fingerprint
from ringside_trainer.grades import is_graded

from .real import RealVerifier, Trainer, events, node, run_folder


def set_up_module() -> None:
    """What a module's ``setUpModule`` calls."""
    if not node():
        return
    scratch = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(scratch.cleanup)
    shared = WithRealVerifier
    shared.root = Path(scratch.name)
    shared.verifier = RealVerifier(shared.root / "data")
    unittest.addModuleCleanup(lambda: shared.verifier.end(signal.SIGTERM))
    shared.whole = run_folder(shared.root / "whole")
    trainer = Trainer(shared.whole, shared.verifier.url)
    if trainer.wait() != 0:
        raise AssertionError(trainer.said)


@unittest.skipUnless(node(), "needs the project's Node for the verifier: run npm start or npm test once")
class WithRealVerifier(unittest.TestCase):
    """One verifier and one run without an outage for all tests of this module."""

    root: Path
    verifier: RealVerifier
    whole: Path

    def new(self, name, **trainer):
        return run_folder(self.root / name, **trainer)

    def trainer(self, folder, kill_at=None):
        trainer = Trainer(folder, self.verifier.url, kill_at)
        self.addCleanup(trainer.end)
        return trainer

    def check_equal_to_whole(self, folder):
        """No rollout lost, none graded twice, every event readable, numbers without a gap, and the state of a run without an outage."""
        seen, wanted = events(folder), events(self.whole)
        self.assertEqual([event["seq"] for event in seen], list(range(len(seen))))
        for event in seen:
            schema.check(event, schema.load("event"))
        self.assertEqual(self.facts(seen), self.facts(wanted))
        last = "checkpoints/grpo/checkpoint-3"
        self.assertEqual(fingerprint(folder / last), fingerprint(self.whole / last))

    @staticmethod
    def facts(seen):
        """What a run is, beside its id, when it happened and how often it was interrupted; the lists show what was written twice."""
        def local(id_):
            return id_.split("/", 1)[1]

        numbers = [(local(e["rollout"]), e["grade"]["reward"], e.get("total")) for e in seen
                   if e["type"] in ("rollout.graded", "eval.draw") and is_graded(e["grade"])]
        generated = [(local(e["rollout"]), e["completionSha256"]) for e in seen if e["type"] == "rollout.generated"]
        steps = [(e["step"], e["rewardMean"], {local(id_): value for id_, value in e["advantages"].items()}, e["loss"], e["gradNorm"])
                 for e in seen if e["type"] == "step.finished"]
        evaluations = [(e["policy"], e["planned"], e["drawn"], e["passed"]) for e in seen if e["type"] == "eval.finished"]
        stages = [(e["type"], e["stage"]) for e in seen if e["type"].startswith("stage.")]
        return sorted(numbers), sorted(generated), steps, evaluations, stages, seen[-1]["outcome"]

    def check_silence(self, seen):
        """While blocked there is no update, and no silent grade has become a number anywhere."""
        blocked = False
        for event in seen:
            blocked = event["type"] == "verifier.blocked" or (blocked and event["type"] != "verifier.unblocked")
            self.assertFalse(blocked and event["type"] in ("step.finished", "checkpoint"), event)
            if event["type"] == "rollout.graded":
                numbers = [event["total"], *event["components"].values()]
                self.assertEqual([value is not None for value in numbers], [is_graded(event["grade"])] * len(numbers))
