import itertools
import json
import math
import unittest
from fractions import Fraction
from pathlib import Path

from ringside_trainer.grpo_stage import StepKeeper
from ringside_trainer.run_spec import BadSpec, StageSpec, read_trainer
from ringside_trainer.selection import Belief, Selection, after_group, begin, difficulty, mixed_chance, observe, prior_from, select

from .test_glue import OverStandIn

GOLDEN = json.loads((Path(__file__).parents[3] / "shared/selection/golden.json").read_text())
MIXED = Selection("mixed")


class Golden(unittest.TestCase):
    """The numbers of the TypeScript code."""

    def test_beliefs(self):
        for one in GOLDEN["utilities"]:
            belief = prior_from(one["phi"], MIXED)
            self.assertEqual((belief.alpha, belief.beta, mixed_chance(belief, one["groupSize"])), (one["alpha"], one["beta"], one["mixed"]))
        for one in GOLDEN["updates"]:
            self.assertEqual(observe(Belief(**one["before"]), one["passed"], one["remembered"]), Belief(**one["after"]))

    def test_choices(self):
        for one in GOLDEN["picks"]:
            selection = Selection(one["by"], one["explore"])
            state = begin(selection, list(GOLDEN["anchors"]), GOLDEN["anchors"])
            for task, passed in GOLDEN["groups"]:
                state = after_group(selection, state, task, passed)
            numbers = itertools.cycle(GOLDEN["numbers"])
            self.assertEqual(select(selection, state, one["count"], one["groupSize"], one["progress"], lambda: next(numbers)), one["tasks"])


class Utility(unittest.TestCase):
    def test_it_is_the_published_one(self):
        self.assertEqual([f"{mixed_chance(prior_from(phi, MIXED), 8):.3f}" for phi in (0.5, 1 / 16, None)], ["0.891", "0.262", "0.778"])

    def test_it_is_the_beta_binomials_in_exact_fractions(self):
        def rising(x, n):
            return math.prod((x + i for i in range(n)), start=Fraction(1))

        for alpha, beta in ((Fraction(3, 10), Fraction(5)), (Fraction(2), Fraction(7, 3))):
            between = sum(math.comb(8, k) * rising(alpha, k) * rising(beta, 8 - k) / rising(alpha + beta, 8) for k in range(1, 8))
            self.assertAlmostEqual(mixed_chance(Belief(float(alpha), float(beta)), 8), float(between), delta=1e-14)

    def test_silence_changes_nothing(self):
        belief = prior_from(0.3, MIXED)
        self.assertIs(observe(belief, [None, None], 8), belief)

    def test_difficulty(self):
        self.assertEqual([difficulty(*one) for one in ((9, 9, True), (1, 9, True), (0, 9, True), (0, 9, False), (0, 7, True))],
                         ["solved", "useful", "later", "doubtful", "unmeasured"])


class InARun(OverStandIn):
    tasks = [{"id": name, "prompt": f"write {name}"} for name in ("solved", "half", "hopeless")]

    def test_the_rows_of_a_step_get_the_tasks_that_were_chosen_and_a_restart_chooses_alike(self):
        anchor = {"solved": 1.0, "half": 0.5, "hopeless": 0.0}
        on = self.context(selection={"by": "mixed", "explore": 0.0, "anchor": anchor}, groupsPerStep=4, updates=2)
        on.tasks[:] = self.tasks
        rows = [{"prompt": "p", "task": "solved", "row": f"solved#{number // 2}"} for number in range(8)]
        keeper = StepKeeper(on, StageSpec("grpo"))
        chosen = keeper.chosen(1, rows)
        self.assertEqual([row["row"].rsplit("#", 1)[1] for row in chosen], [row["row"].rsplit("#", 1)[1] for row in rows])
        self.assertEqual({(row["task"], row["prompt"]) for row in chosen}, {("half", "write half")})
        # A later step knows what the groups of this one came to.
        on.journal.write("step.started", step=1, prompts=["half"] * 4, groupSize=4)
        graded = self.server._line({"id": "x", "task": "half", "completion": "xxxx"}, "well")
        grade = {name: value for name, value in graded.items() if name not in ("id", "task", "extraction")}
        for group in range(4):
            for index in range(4):
                on.journal.write("rollout.graded", rollout=f"{on.spec.run}/1/{group}/{index}", grade={**grade, "status": "passed", "reward": 1},
                                 extraction=None, components={"tests": 1.0}, total=1.0, advantage=None)
        rows = [{**row, "row": f"solved#{4 + number // 2}"} for number, row in enumerate(rows)]
        second = [row["task"] for row in keeper.chosen(2, rows)]
        self.assertEqual([row["task"] for row in StepKeeper(on, StageSpec("grpo")).chosen(2, rows)], second)
        told = [event for event in on.journal.read() if event["type"] == "alert"]
        self.assertEqual([event["code"] for event in told], ["task_difficulty"])

    def test_without_a_selection_the_rows_are_as_they_were(self):
        rows = [{"prompt": "p", "task": "task", "row": "task#0"}]
        self.assertIs(StepKeeper(self.context(), StageSpec("grpo")).chosen(1, rows), rows)

    def test_a_selection_that_is_none_is_one_clear_line(self):
        trainer = {"kind": "pipeline", "backend": "stand_in", "seed": 1, "updates": 1, "stages": [{"stage": "grpo"}]}
        with self.assertRaisesRegex(BadSpec, "trainer.selection.by is none of uniform, curriculum, mixed"):
            read_trainer({**trainer, "selection": {"by": "luck"}})
