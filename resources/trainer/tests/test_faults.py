"""Every outage with the real verifier: what it hangs on, refuses, halves or answers for another commit is its own traffic, spoilt on the way."""

import random
import time
from types import SimpleNamespace

from ringside_trainer.advantage import advantages
from ringside_trainer.control import Control
from ringside_trainer.files import ContentStore
from ringside_trainer.grades import is_graded
from ringside_trainer.grpo_reward import GrpoReward
from ringside_trainer.journal import Journal
from ringside_trainer.once import Once
from ringside_trainer.reward import CompositeReward, format_reward
from ringside_trainer.rollouts import PendingGroup
from ringside_trainer.run_spec import read_spec
from ringside_trainer.verifier import Expectation, Verifier
from ringside_trainer.waiting import Waiting

from .fault_proxy import COMMIT, FAULTS, MOODS, FaultProxy
from .real import Trainer, events
from .with_real import WithRealVerifier, set_up_module

setUpModule = set_up_module

SILENCE_S = 1.0
"""A hung verifier is given up after this; a busy machine that needs longer for an honest answer only asks once more."""

REASONS = {
    "hang": {"timed_out"}, "refuse": {"http_500"}, "half": {"no_line"}, "other_commit": {"other_commit"}, "kill_before": {"cut"},
    "kill_during": {"no_line"},
}
"""What the journal must say of a fault; a verifier that is just starting again may be met besides."""

BATCHES = 5
"""Requests of a run without an outage: the baseline's draws, three steps, the final draws."""


class WholeRuns(WithRealVerifier):
    """The trainer's own process, through the proxy."""

    def through(self, name, schedule):
        proxy = FaultProxy(self.verifier, schedule)
        self.addCleanup(proxy.close)
        folder = self.new(name, commit=COMMIT)
        trainer = Trainer(folder, proxy.url, silence_s=SILENCE_S)
        self.addCleanup(trainer.end)
        self.assertEqual(trainer.wait(), 0, trainer.said)
        seen = events(folder)
        self.check_silence(seen)
        self.check_equal_to_whole(folder)
        return seen, proxy.met

    def test_each_fault_leaves_the_state_of_a_run_without_it(self):
        for second, third in (("hang", "refuse"), ("half", "other_commit"), ("kill_before", "kill_during"), ("kill_after", "well")):
            schedule = ["well", "well", second, "well", third]
            with self.subTest(schedule=schedule):
                seen, met = self.through(second, schedule)
                self.assertEqual([mood for mood, _ in met][:5], schedule)
                reasons = {event["grade"]["reason"] for event in seen if event["type"] == "rollout.graded" and not is_graded(event["grade"])}
                self.assertLessEqual(REASONS.get(second, set()) | REASONS.get(third, set()), reasons)

    def test_random_schedules_of_faults_in_every_batch(self):
        chance = random.Random(23)
        for number in range(2):
            schedule = []
            for _ in range(BATCHES):
                schedule += [chance.choice(FAULTS) for _ in range(chance.randint(0, 2))] + [chance.choice(("well", "kill_after"))]
            with self.subTest(schedule=schedule):
                _, met = self.through(f"schedule-{number}", schedule)
                self.assertEqual([mood for mood, _ in met][: len(schedule)], schedule)


class Rewards(WithRealVerifier):
    """The reward function alone, so that many schedules can be tried."""

    TEXTS = (
        "```python\ndef required_capacity(bookings):\n    return 0\n```", "```python\ndef required_capacity(bookings:\n```",
        "I would sort them.", "```python\ndef required_capacity(bookings):\n    return len(bookings)\n```",
        "```python\ndef required_capacity(bookings):\n    raise SystemExit\n```",
        "```python\ndef required_capacity(bookings):\n    return max((sum(a <= t < b for a, b in bookings) for t, _ in bookings), default=0)\n```",
    )

    def score(self, name, texts, schedule):
        folder = self.new(name, commit=COMMIT)
        spec = read_spec(folder / "spec.json")
        proxy = FaultProxy(self.verifier, schedule)
        journal = Once(Journal(folder / "events.jsonl", spec.run))
        try:
            verifier = Verifier(lambda: proxy.url, Expectation(spec.suite_sha256, spec.commit), silence_s=SILENCE_S)
            waiting = Waiting(verifier, journal, Control(folder / "control.json"), sleep=lambda _: time.sleep(0.1), heartbeat_s=0)
            reward = GrpoReward(spec.run, 4, journal, ContentStore(folder / "completions"), PendingGroup(folder / "pending.json"), waiting,
                                CompositeReward({"format": (0.1, format_reward)}))
            totals = reward(
                prompts=["p"] * len(texts), completions=texts, completion_ids=[[1]] * len(texts), trainer_state=SimpleNamespace(global_step=0),
                row=["row"] * len(texts), task=["required-capacity"] * len(texts))
        finally:
            journal.close()
            proxy.close()
        return totals, events(folder), proxy.met

    def test_under_random_schedules_no_silence_becomes_a_number_and_the_rewards_are_those_of_a_quiet_day(self):
        chance = random.Random(31)
        quiet = dict(zip(self.TEXTS, self.score("quiet", [*self.TEXTS, *self.TEXTS[:2]], [])[0]))
        self.assertGreater(len(set(quiet.values())), 3)
        for number in range(10):
            schedule = [chance.choice(FAULTS) for _ in range(chance.randint(1, 4))]
            texts = [chance.choice(self.TEXTS) for _ in range(8)]
            with self.subTest(schedule=schedule):
                totals, seen, met = self.score(f"rewards-{number}", texts, schedule)
                self.assertEqual(totals, [quiet[text] for text in texts])
                self.assertEqual([mood for mood, _ in met][: len(schedule) + 1], [*schedule, "well"])
                self.check_silence(seen)
                numbers = [event["rollout"] for event in seen if event["type"] == "rollout.graded" and event["total"] is not None]
                self.assertEqual(len(numbers), len(set(numbers)))
                self.assertEqual([len(advantages(totals[first:first + 4])) for first in (0, 4)], [4, 4])
