"""The whole trainer, as a process, against the real verifier service: outages, kills and restarts. The policy is the stand-in's."""

import json
import os
import random
import signal
import unittest

from ringside_trainer.adapters import Registry

from .real import events
from .with_real import WithRealVerifier, set_up_module

POINTS = (
    "stage.started:1:after", "eval.draw:3:torn", "batch:2:before", "batch:2:after", "rollout.generated:10:before", "rollout.graded:5:torn",
    "step.finished:1:before", "step.finished:2:after", "checkpoint-files:2:before", "checkpoint:3:after",
)


setUpModule = set_up_module


class Outages(WithRealVerifier):
    def outage(self, name, begins):
        folder = self.new(name)
        trainer = self.trainer(folder)
        trainer.await_event(begins)
        self.verifier.end(signal.SIGKILL)
        trainer.await_event(lambda event, _: event["type"] == "verifier.blocked")
        self.verifier.start()
        self.assertEqual(trainer.wait(), 0, trainer.said)
        self.check_silence(events(folder))
        self.check_equal_to_whole(folder)

    def test_killed_before_the_first_batch(self):
        self.outage("before", lambda event, _: event["type"] == "stage.started" and event["stage"] == "grpo")

    def test_killed_during_a_batch(self):
        self.outage("during", lambda event, before: event["type"] == "rollout.graded" and event["rollout"].split("/")[1] == "2")

    def test_killed_after_a_batch(self):
        self.outage("after", lambda event, _: event["type"] == "step.finished" and event["step"] == 2)

    def test_killed_at_random_moments(self):
        chance = random.Random(11)
        for number in range(2):
            place = chance.randrange(20, 60)
            with self.subTest(place=place):
                self.outage(f"random-{number}", lambda event, _, place=place: event["seq"] >= place)

    def test_a_deadline_that_passes_ends_with_75_and_a_later_start_goes_on(self):
        folder = self.new("deadline", blockDeadlineS=0.5)
        trainer = self.trainer(folder)
        trainer.await_event(lambda event, _: event["type"] == "rollout.graded")
        self.verifier.end(signal.SIGKILL)
        self.assertEqual(trainer.wait(), 75, trainer.said)
        self.check_silence(events(folder))
        ended = events(folder)[-1]
        self.assertEqual([ended["type"], ended["outcome"]], ["run.finished", "interrupted"])
        self.verifier.start()
        again = self.trainer(folder)
        self.assertEqual(again.wait(), 0, again.said)
        self.check_equal_to_whole(folder)


class Kills(WithRealVerifier):
    def test_killed_at_ten_points(self):
        for point in POINTS:
            with self.subTest(point):
                folder = self.new(point.replace(":", "-"))
                killed = self.trainer(folder, point)
                self.assertEqual(killed.wait(), -signal.SIGKILL, killed.said)
                again = self.trainer(folder)
                self.assertEqual(again.wait(), 0, again.said)
                self.check_equal_to_whole(folder)

    def test_many_steps_after_the_last_checkpoint_are_repeated_from_saved_tokens(self):
        folder = self.new("sparse", checkpointEvery=3)
        killed = self.trainer(folder, "step.finished:2:after")
        self.assertEqual(killed.wait(), -signal.SIGKILL, killed.said)
        self.assertEqual(list((folder / "checkpoints").glob("grpo/*")), [])
        again = self.trainer(folder)
        self.assertEqual(again.wait(), 0, again.said)
        self.check_equal_to_whole(folder)

    def test_tokens_that_are_lost_are_sampled_again_alike_and_others_are_refused(self):
        folder = self.new("lost", checkpointEvery=3)
        self.trainer(folder, "step.finished:2:after").wait()
        for path in (folder / "batches").iterdir():
            path.unlink()
        again = self.trainer(folder, "step.finished:1:after")
        self.assertEqual(again.wait(), -signal.SIGKILL, again.said)
        batch = folder / "batches" / "step-3.rank-0.json"
        value = json.loads(batch.read_text())
        value["completionIds"][0] = [1, 3, 6, 0] if value["completionIds"][0] != [1, 3, 6, 0] else [1, 4, 6, 0]
        batch.write_text(json.dumps(value))
        refused = self.trainer(folder)
        self.assertEqual(refused.wait(), 1)
        self.assertIn("the saved tokens of step 3 were changed", refused.said)


class Endings(WithRealVerifier):
    def test_a_stop_after_a_step_keeps_a_checkpoint_and_says_so(self):
        folder = self.new("stopped", paceMs=200, updates=50)
        trainer = self.trainer(folder)
        trainer.await_event(lambda event, _: event["type"] == "step.finished")
        (folder / "control.json").write_text('{"want":"stop_after_step"}')
        self.assertEqual(trainer.wait(), 0, trainer.said)
        seen = events(folder)
        self.assertEqual([seen[-1]["type"], seen[-1]["outcome"]], ["run.finished", "stopped"])
        steps = [event["step"] for event in seen if event["type"] == "step.finished"]
        self.assertEqual([e["step"] for e in seen if e["type"] == "checkpoint"], steps)

    def test_a_signal_interrupts_and_the_next_start_goes_on(self):
        folder = self.new("signal", paceMs=100)
        trainer = self.trainer(folder)
        trainer.await_event(lambda event, _: event["type"] == "step.finished")
        os.kill(trainer.process.pid, signal.SIGTERM)
        self.assertEqual(trainer.wait(), 0, trainer.said)
        self.assertEqual(events(folder)[-1]["outcome"], "interrupted")
        again = self.trainer(folder)
        self.assertEqual(again.wait(), 0, again.said)
        self.check_equal_to_whole(folder)

    def test_a_recovery_that_starts_at_14_5_stops_before_the_next_stage_and_keeps_the_last_good_adapter(self):
        data = self.root / "other-template.jsonl"
        data.write_text(json.dumps({"prompt": "Book.", "completion": "A text in another model's template."}) + "\n")
        stages = [{"stage": "baseline"}, {"stage": "grpo"}, {"stage": "recovery", "data": str(data)}, {"stage": "final_eval"}]
        folder = self.new("gate", stages=stages)
        trainer = self.trainer(folder)
        self.assertEqual(trainer.wait(), 76, trainer.said)
        tail = [event for event in events(folder) if event["type"] in ("stage.step", "alert", "stage.finished", "run.finished")][-4:]
        self.assertEqual([(e["type"], e.get("loss") or e.get("code") or e.get("outcome")) for e in tail], [
            ("stage.step", 14.5), ("alert", "first_loss_jump"), ("stage.finished", "failed"), ("run.finished", "failed")])
        registry = Registry(folder / "adapters.json")
        self.assertEqual([(a.stage, a.step) for a in registry.adapters], [("grpo", 3)])
        self.assertEqual(registry.current, registry.adapters[0].id)
        self.assertEqual(self.trainer(folder).wait(), 0)


if __name__ == "__main__":
    unittest.main()
