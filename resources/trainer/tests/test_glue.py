"""The stages over the stand-in, in this process: advantages and their owners, several processes, what the self-check finds."""

import io
import json
import math
import statistics
import threading
import unittest
from contextlib import redirect_stderr
from types import SimpleNamespace

from ringside_trainer import self_check
from ringside_trainer.adapters import Registry
from ringside_trainer.checkpoints import start_of
from ringside_trainer.context import Context
from ringside_trainer.cli import main
from ringside_trainer.control import Control
from ringside_trainer.evaluation import evaluate
from ringside_trainer.files import ContentStore
from ringside_trainer.grpo_stage import OtherAdvantages, StepKeeper, trainer_class, training_rows
from ringside_trainer.journal import Journal
from ringside_trainer.once import Once
from ringside_trainer.ranks import LeaderGone, Ranks
from ringside_trainer.reward import CompositeReward, format_reward
from ringside_trainer.run_folder import RunFolder
from ringside_trainer.run_spec import BadSpec, StageSpec, read_spec
from ringside_trainer.standin import base, grpo
from ringside_trainer.standin.grpo import GRPOConfig, GRPOTrainer
from ringside_trainer.standin.kit import StandInKit
from ringside_trainer.standin.policy import SoftmaxPolicy
from ringside_trainer.standin.sampler import repeated
from ringside_trainer.verifier import Expectation, Verifier
from ringside_trainer.waiting import Blocked, Waiting

from .real import run_folder
from .test_base import InFolder
from .unreliable import COMMIT, SUITE, Unreliable


class OverStandIn(InFolder):
    def setUp(self):
        super().setUp()
        self.server = Unreliable()
        self.addCleanup(self.server.close)

    def context(self, ranks=None, deadline_s=60.0, sleep=lambda _: None, **trainer):
        folder = RunFolder(run_folder(self.folder / "run", **trainer))
        spec = read_spec(folder.spec)
        journal = Once(Journal(folder.journal, spec.run))
        self.addCleanup(journal.close)
        control = Control(folder.control)
        verifier = Verifier(lambda: self.server.url, Expectation(SUITE["sha256"], COMMIT))
        waiting = Waiting(verifier, journal, control, deadline_s, sleep=sleep, heartbeat_s=0)
        return Context(spec, folder, StandInKit(), control, ranks or Ranks(folder.ranks, 0, 1), ContentStore(folder.completions),
                       CompositeReward({"format": (0.1, format_reward)}), lambda _: None, journal, waiting, Registry(folder.adapters),
                       [{"id": "task", "prompt": "p"}])


class AdvantageIdentity(OverStandIn):
    def trainer(self, on, rewards=None):
        keeper = StepKeeper(on, StageSpec("grpo"))
        args = GRPOConfig(output_dir=str(self.folder), per_device_train_batch_size=2, gradient_accumulation_steps=4, num_generations=4)
        trainer = trainer_class(GRPOTrainer)(
            model=SoftmaxPolicy(), reward_funcs=rewards or keeper.reward, args=args,
            train_dataset=training_rows(on.tasks, on.spec.trainer, str))
        trainer.ringside = keeper
        return trainer, keeper

    def rows(self, trainer):
        return [trainer.train_dataset[number] for number in next(repeated(2, 4, 2, 1))]

    def test_every_rollout_gets_the_advantage_of_the_published_formula_under_its_own_id(self):
        on = self.context()
        trainer, keeper = self.trainer(on)
        base.GENERATOR.seed(5)
        trainer._generate_and_score_completions(self.rows(trainer))
        totals = {e["rollout"]: e["total"] for e in on.journal.read() if e["type"] == "rollout.graded"}
        self.assertEqual(sorted(keeper._advantages), sorted(totals))
        for group in (0, 1):
            own = {id_: total for id_, total in totals.items() if id_.split("/")[2] == str(group)}
            mean, deviation = statistics.fmean(own.values()), statistics.stdev(own.values())
            for id_, total in own.items():
                self.assertAlmostEqual(keeper._advantages[id_], (total - mean) / (deviation + 1e-4), delta=1e-9)

    def test_a_trainer_that_reorders_its_columns_or_uses_another_formula_is_refused(self):
        on = self.context()
        trainer, keeper = self.trainer(on)
        trainer._generate_and_score_completions(self.rows(trainer))
        ids, values = list(trainer._logs["extra"]["rollout"]), list(trainer._logs["advantages"])
        with self.assertRaisesRegex(OtherAdvantages, "refusing to guess"):
            keeper.scored(ids[::-1], values)
        with self.assertRaisesRegex(OtherAdvantages, "where the formula gives"):
            keeper.scored(ids, [value * 1.3 + 0.1 for value in values])

    def test_one_zero_and_two_silent_rewards_with_format_rewards_present_yield_no_advantage_until_graded(self):
        answered = []

        def line(item, mood):
            first = len(answered) < 4
            answered.append(item["id"])
            index = int(item["id"].rsplit("/", 1)[1])
            return self.graded(item, {0: 1, 1: 0, 2: 0.5, 3: 1}[index]) if not first or index < 2 else self.silent(item)

        self.server._line = line
        on = self.context(deadline_s=0.0)
        call = dict(prompts=["p"] * 4, completions=["```python\nx\n```"] * 4, completion_ids=[[1]] * 4,
                    trainer_state=SimpleNamespace(global_step=0), log_metric=lambda *_: None, row=["r"] * 4, task=["task"] * 4)
        columns = []
        with self.assertRaisesRegex(Blocked, "2 of 4 rollouts have no grade"):
            StepKeeper(on, StageSpec("grpo")).reward(**call, log_extra=lambda *column: columns.append(column))
        self.assertEqual(columns, [])
        silent = [e for e in on.journal.read() if e["type"] == "rollout.graded" and e["grade"]["reward"] is None]
        self.assertEqual([(e["total"], e["components"]) for e in silent], [(None, {"tests": None, "format": None})] * 2)
        totals = StepKeeper(on, StageSpec("grpo")).reward(**call, log_extra=lambda *column: columns.append(column))
        self.assertEqual([totals, len(columns)], [[1.1, 0.1, 0.6, 1.1], 1])
        self.assertEqual(answered.count(answered[0]), 1)
        for used, wanted in zip(grpo._advantages(totals), [(t - 0.725) / (statistics.stdev(totals) + 1e-4) for t in totals]):
            self.assertAlmostEqual(used, wanted, delta=1e-9)

    @staticmethod
    def graded(item, reward):
        from .unreliable import graded_line
        return {**graded_line(item), "reward": reward, "status": "passed" if reward == 1 else "test_failed"}

    @staticmethod
    def silent(item):
        from ringside_trainer.grades import silent_grade
        return {"id": item["id"], "task": item["task"], "extraction": {"outcome": "body", "fences": 1, "info": ""},
                **silent_grade("unresolved", "crash")}


class StandInContract(unittest.TestCase):
    """What the stand-in is trusted with: the parts of TRL's contract that the reward and the journal depend on."""

    def test_rows_repeat_by_group_and_batch_and_a_partial_batch_is_left_out(self):
        self.assertEqual(list(repeated(5, 2, 2, 2)), [[0, 0, 1, 1]] * 2 + [[2, 2, 3, 3]] * 2)

    def test_a_row_counts_as_unscorable_only_where_every_function_is_silent(self):
        self.assertEqual([grpo._weighted_sum([math.nan, 0.1]), math.isnan(grpo._weighted_sum([math.nan, math.nan]))], [0.1, True])
        values = grpo._advantages([1.0, 0.0, math.nan, math.nan])
        self.assertAlmostEqual(values[0], 0.5 / (statistics.stdev([1.0, 0.0]) + 1e-4))
        self.assertEqual(values[2:], [0.0, 0.0])

    def test_generation_and_scoring_happen_once_a_batch_and_before_the_shuffle(self):
        calls = []

        def reward(prompts, completions, completion_ids, trainer_state, log_extra, log_metric, row, **_):
            calls.append(row)
            log_extra("place", list(range(len(row))))
            return [float(place) for place in range(len(row))]

        rows = [{"prompt": "p", "row": str(number)} for number in range(4)]
        args = GRPOConfig(output_dir="unused", per_device_train_batch_size=2, gradient_accumulation_steps=4, num_generations=4)
        trainer = GRPOTrainer(SoftmaxPolicy(), reward, args, rows)
        base.GENERATOR.seed(2)
        trainer._update()
        self.assertEqual(calls, [["0"] * 4 + ["1"] * 4])
        self.assertEqual(list(trainer._logs["extra"]["place"]), list(range(8)))
        shuffled = [value for part in trainer._buffered_inputs for value in part["advantages"]]
        self.assertNotEqual(shuffled, list(trainer._logs["advantages"]))
        self.assertEqual(sorted(shuffled), sorted(trainer._logs["advantages"]))


class Starts(OverStandIn):
    def test_a_run_builds_on_the_adapter_it_names_and_each_stage_on_the_one_before(self):
        given = self.folder / "of-another-run"
        given.mkdir()
        (given / "adapter_model.json").write_text(json.dumps({"logits": [[9.0, 0.0], [0.0, 9.0, 0.0], [9.0, 0.0]]}))
        on = self.context(adapter=str(given), evalDraws=4)
        self.assertEqual(start_of(on, "grpo"), {"resume": None, "adapter": str(given)})
        evaluate(on, "baseline")
        texts = {on.store.get(e["completionSha256"]) for e in on.journal.read() if e["type"] == "rollout.generated"}
        self.assertTrue(all("-event[1]" in text for text in texts))
        sft = on.folder.checkpoints("sft") / "checkpoint-1"
        sft.mkdir(parents=True)
        (sft / "adapter_model.json").write_text("{}")
        on.registry.add(on.spec.run, "sft", 1, sft)
        self.assertEqual(start_of(on, "grpo")["adapter"], str(sft))
        self.assertEqual(start_of(on, "sft")["adapter"], str(given))


class SeveralProcesses(OverStandIn):
    def test_one_grades_and_all_get_their_own_share_however_long_it_takes(self):
        self.server.mood = "refuse"
        waits = []

        def sleep(_seconds):
            waits.append(1)
            self.server.mood = "refuse" if len(waits) < 3 else "well"

        leader_ranks = Ranks(self.folder / "ranks", 0, 2, poll_s=0.01)
        on = self.context(leader_ranks, sleep=sleep)
        follower = Context(**{**vars(on), "ranks": Ranks(self.folder / "ranks", 1, 2, poll_s=0.01), "journal": None, "waiting": None})
        got = {}

        def reward(context, texts):
            columns = []
            keeper = StepKeeper(context, StageSpec("grpo"))
            rows = [["a"] * 4, ["a"] * 2 + ["b"] * 2][0][: len(texts)]
            totals = keeper.reward(
                prompts=["p"] * len(texts), completions=texts, completion_ids=[[1]] * len(texts), log_metric=lambda *_: None,
                trainer_state=SimpleNamespace(global_step=0), log_extra=lambda _, values: columns.extend(values), row=rows,
                task=["task"] * len(texts))
            got[context.ranks.rank] = (columns, totals)

        other = threading.Thread(target=reward, args=(follower, ["ccc", "dddd"]))
        other.start()
        reward(on, ["a", "bb"])
        other.join(30)
        run = on.spec.run
        self.assertEqual(got[0][0] + got[1][0], [f"{run}/1/0/{index}" for index in range(4)])
        self.assertEqual(got[0][1] + got[1][1], [0.35, 0.6, 0.85, 1.1])
        self.assertEqual(len(waits), 3)

    def test_a_block_that_ends_the_leader_ends_the_others_alike(self):
        follower = Ranks(self.folder / "ranks", 1, 2, poll_s=0.01, alive=lambda _: True)
        leader = Ranks(self.folder / "ranks", 0, 2)

        def blocked():
            raise Blocked("http_500", 1, 8)

        with self.assertRaises(Blocked):
            leader.agree("step-1", blocked)
        with self.assertRaisesRegex(Blocked, "http_500"):
            follower.agree("step-1", self.fail)
        with self.assertRaisesRegex(LeaderGone, "has ended"):
            Ranks(self.folder / "ranks", 1, 2, poll_s=0.01, alive=lambda _: False).await_answer("step-2")


class SelfCheck(unittest.TestCase):
    def test_versions(self):
        found = {"trl": "1.9.0", "torch": "2.11.0+cu128", "peft": "0.1"}

        def installed(name):
            if name not in found:
                raise self_check.metadata.PackageNotFoundError(name)
            return found[name]

        lock = {"trl": "1.9.0", "torch": "2.11.0", "peft": "0.18.1", "datasets": "4.7.0"}
        self.assertEqual(self_check.version_problems(lock, installed), [
            "peft is 0.1, the lock has 0.18.1", "datasets 4.7.0 is not installed"])

    def test_hooks_that_are_gone_or_changed_are_named(self):
        class Changed:
            def _generate_single_turn(self, prompts):
                return prompts

            def _prepare_inputs(self, generation_batch):
                return generation_batch

        problems = self_check.hook_problems({"GRPOTrainer": Changed, "TrainerCallback": base.TrainerCallback, "GRPOConfig": GRPOConfig})
        self.assertIn("GRPOTrainer._generate_single_turn takes self, prompts instead of self, prompt_ids, images, multimodal_fields", problems)
        self.assertIn("GRPOTrainer._prepare_inputs no longer holds '_buffered_inputs is None'", problems)
        self.assertIn("GRPOTrainer._calculate_rewards is gone", problems)
        self.assertIn("GRPOConfig has no logging_nan_inf_filter", problems)
        self.assertFalse([problem for problem in problems if problem.startswith("TrainerCallback")])

    def test_the_lock_pins_what_is_checked(self):
        self.assertEqual(sorted(self_check.locked()), ["accelerate", "datasets", "peft", "torch", "transformers", "trl"])


class CommandLine(InFolder):
    def call(self, *arguments):
        error = io.StringIO()
        with redirect_stderr(error):
            return main(arguments), error.getvalue().strip()

    def test_what_keeps_a_run_from_starting_is_one_clear_line(self):
        run = run_folder(self.folder / "trl", backend="trl", model={"base": "/models/small", "revision": None})
        shaped = run_folder(self.folder / "shaped", shaping={"format": 0.5})
        unknown = run_folder(self.folder / "unknown", shaping={"style": 0.1})
        url = ("--verifier", "http://127.0.0.1:9")
        for arguments, said in (
            (("--run-dir", str(run), *url), "cannot start: trl 1.9.0 is not installed; .*run python3 -m ringside_trainer.bootstrap"),
            (("--run-dir", str(self.folder), *url), "cannot start: spec.json is missing or no object"),
            (("--run-dir", str(run), "--verifier", "nowhere"), "cannot start: --verifier nowhere is no http URL"),
            (("--run-dir", str(shaped), *url), "cannot start: shaping weighs 0.5 of the tests' range, more than the cap of 0.2"),
            (("--run-dir", str(unknown), *url), "cannot start: trainer.shaping has 'style'; known are format, length"),
        ):
            with self.subTest(said):
                code, line = self.call(*arguments)
                self.assertEqual((code, line.count("\n")), (1, 0))
                self.assertRegex(line, said)


class Specs(InFolder):
    def test_each_fault_is_one_clear_line(self):
        for change, said in (
            ({"stages": []}, "trainer.stages is empty"),
            ({"stages": [{"stage": "sft"}]}, r"trainer.stages\[0\].data is needed"),
            ({"stages": [{"stage": "fly"}]}, "is 'fly'; known are"),
            ({"stages": [{"stage": "grpo"}, {"stage": "grpo"}]}, "grpo twice"),
            ({"backend": "trl"}, "trainer.model.base is needed"),
            ({"groupSize": 1}, "nothing to be compared with"),
            ({"processes": 3}, "no multiple of processes"),
        ):
            with self.subTest(said), self.assertRaisesRegex(BadSpec, said):
                read_spec(run_folder(self.folder, **change) / "spec.json")
        (self.folder / "spec.json").write_text("{")
        with self.assertRaisesRegex(BadSpec, "spec.json is no JSON"):
            read_spec(self.folder / "spec.json")
        (self.folder / "spec.json").write_text(json.dumps({"run": 1}))
        with self.assertRaisesRegex(BadSpec, "lacks 'name'"):
            read_spec(self.folder / "spec.json")


if __name__ == "__main__":
    unittest.main()
