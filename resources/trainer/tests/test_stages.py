import json
import math

from ringside_trainer.adapters import HeldOut, Registry
from ringside_trainer.control import Control
from ringside_trainer.datasets import check_file
from ringside_trainer.gates import GateFailed, GradientGate, LossGate
from ringside_trainer.journal import Journal
from ringside_trainer.pipeline import EXIT_GATE, Pipeline, Stage
from ringside_trainer.waiting import EXIT_BLOCKED, Blocked

from .test_base import RUN, InFolder


def code_of(see, *figures):
    try:
        for step, figure in enumerate(figures, start=1):
            see(step, figure)
    except GateFailed as gate:
        return gate.code
    return None


class GateTest(InFolder):
    def test_losses(self):
        self.assertEqual(
            [code_of(LossGate().see, *losses) for losses in ([14.5], [2.0, None, 1.5], [2.0, 6.5], [math.nan], [2.0, math.inf])],
            ["first_loss_jump", None, "loss_diverged", "loss_not_finite", "loss_not_finite"])

    def test_gradients_from_the_first_step_on(self):
        self.assertEqual([code_of(GradientGate().see, *norms) for norms in ([math.nan], [1.0, math.inf], [1.0, None, 2e4], [3.0])],
                         ["gradient_not_finite", "gradient_not_finite", "gradient_exploded", None])


class DatasetTest(InFolder):
    def check(self, stage, *lines):
        path = self.folder / "data.jsonl"
        path.write_bytes(b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines))
        good, bad = check_file(stage, path)
        return good, [(line.line, line.reason) for line in bad]

    def test_each_stage_names_its_bad_lines(self):
        self.assertEqual(self.check("sft", {"prompt": "a", "completion": "b"}, b"{", b"\xff", [1], {"prompt": "a", "completion": " "}), (
            1, [(2, "is no JSON"), (3, "is not UTF-8"), (4, "is no object"),
                (5, "completion is neither text nor messages, or is empty")]))
        talk = [{"role": "user", "content": "a"}]
        self.assertEqual(self.check("recovery", {"messages": talk + [{"role": "assistant", "content": "b"}]}, {"messages": talk})[1],
                         [(2, "the last message is not the assistant's: nothing is learnt")])
        self.assertEqual(self.check("dpo", {"prompt": "a", "chosen": "b", "rejected": "b"}, {"prompt": "a", "chosen": "b"})[1],
                         [(1, "chosen and rejected are the same"), (2, "lacks rejected"), (0, "the file has no usable record")])
        self.assertEqual(self.check("kto", {"prompt": "a", "completion": "b", "label": True}, {"prompt": "a", "completion": "b", "label": 1}),
                         (1, [(2, "label is neither true nor false"), (0, "every label is the same: there is nothing to prefer")]))
        self.assertEqual(self.check("cpt", {"text": "x"}, b"", {"text": "y"}), (2, []))


class AdapterTest(InFolder):
    def checkpoint(self, name, text="w"):
        folder = self.folder / name
        folder.mkdir()
        (folder / "adapter.bin").write_text(text)
        return folder

    def registry(self):
        return Registry(self.folder / "adapters.json")

    def test_rolls_back_to_the_last_good_one_and_survives_a_restart(self):
        registry = self.registry()
        sft = registry.add(RUN, "sft", 10, self.checkpoint("a"))
        grpo = registry.add(RUN, "grpo", 24, self.checkpoint("b", "v"))
        registry.measure(grpo.id, HeldOut(passed=3, graded=100, planned=128))
        registry.mark(grpo.id, "bad")
        again = self.registry()
        self.assertEqual([again.current, again.get(grpo.id).parent, again.get(grpo.id).held_out.partial], [sft.id, sft.id, True])
        with self.assertRaisesRegex(ValueError, "marked bad"):
            again.roll_back(grpo.id)
        again.mark(grpo.id, None)
        self.assertEqual(again.roll_back(grpo.id).id, again.current)

    def test_files_that_changed_are_not_rolled_back_to(self):
        registry = self.registry()
        sft = registry.add(RUN, "sft", 10, self.checkpoint("a"))
        (registry.folder(sft) / "adapter.bin").write_text("other")
        with self.assertRaisesRegex(ValueError, "not those that were registered"):
            registry.roll_back(sft.id)

    def test_nothing_in_use_or_built_upon_is_retired(self):
        registry = self.registry()
        first = registry.add(RUN, "sft", 1, self.checkpoint("a"))
        second = registry.add(RUN, "sft", 2, self.checkpoint("b", "vv"))
        third = registry.add(RUN, "grpo", 3, self.checkpoint("c", "u"))
        for ids, reason in (([third.id], "is in use"), ([first.id], "builds on")):
            with self.assertRaisesRegex(ValueError, reason):
                registry.plan_retirement(ids)
        registry.roll_back(first.id)
        plan = registry.plan_retirement([second.id, third.id])
        self.assertEqual(registry.retire(plan), 3)
        self.assertEqual([registry.folder(a).exists() for a in registry.adapters], [True, False, False])
        self.assertEqual([a.retired for a in self.registry().adapters], [False, True, True])


class PipelineTest(InFolder):
    def run_stages(self, stages, skipped=None):
        journal = Journal(self.folder / "events.jsonl", RUN)
        self.addCleanup(journal.close)
        control = Control(self.folder / "control.json")
        pipeline = Pipeline(journal, control, self.folder / "stages.json", [Stage(name, work) for name, work in stages], skipped)
        code = pipeline.run()
        return code, [event["type"] + ":" + str(event.get("stage") or event.get("outcome") or event.get("code")) for event in journal.read()]

    def test_a_blocked_stage_goes_on_at_the_next_start_and_finished_ones_do_not_run_again(self):
        ran = []

        def blocked():
            ran.append("grpo")
            if len(ran) < 3:
                raise Blocked("connection_refused", 2, 8)

        stages = [("baseline", lambda: ran.append("baseline")), ("grpo", blocked), ("final_eval", lambda: ran.append("final_eval"))]
        code, events = self.run_stages(stages)
        self.assertEqual((code, events[-1]), (EXIT_BLOCKED, "run.finished:interrupted"))
        self.assertEqual(self.run_stages(stages)[0], 0)
        self.assertEqual(ran, ["baseline", "grpo", "grpo", "final_eval"])

    def test_a_gate_stops_the_run_before_the_next_stage(self):
        def gate():
            LossGate().see(1, 14.5)

        code, events = self.run_stages([("baseline", lambda: None), ("recovery", gate), ("final_eval", self.fail)])
        self.assertEqual(code, EXIT_GATE)
        self.assertEqual(events[-3:], ["alert:first_loss_jump", "stage.finished:recovery", "run.finished:failed"])

    def test_a_measured_stage_is_left_out_only_with_a_reason(self):
        with self.assertRaisesRegex(ValueError, "final_eval is left out"):
            self.run_stages([("baseline", lambda: None)])
        code, events = self.run_stages([("baseline", lambda: None)], {"final_eval": "measured elsewhere"})
        self.assertEqual((code, events[0]), (0, "alert:stage_left_out"))
