import unittest
from types import SimpleNamespace

from ringside_trainer.control import Control
from ringside_trainer.files import ContentStore
from ringside_trainer.grades import is_graded
from ringside_trainer.grpo_reward import GrpoReward
from ringside_trainer.journal import Journal
from ringside_trainer.once import Once
from ringside_trainer.reward import CompositeReward, format_reward
from ringside_trainer.rollouts import PendingGroup, places
from ringside_trainer.verifier import Expectation, Verifier
from ringside_trainer.waiting import Blocked, Waiting

from .test_base import RUN, InFolder
from .unreliable import COMMIT, SUITE, Unreliable, rule

MOODS = ("refuse", "cut", "hang", "garbled", "other_commit", "null")


class OutageTest(InFolder):
    def setUp(self):
        super().setUp()
        self.server = Unreliable()
        self.addCleanup(self.server.close)

    def verifier(self, silence_s=0.2):
        return Verifier(lambda: self.server.url, Expectation(SUITE["sha256"], COMMIT), silence_s=silence_s)

    def reward(self, moods=(), deadline_s=60.0):
        """A reward function whose verifier has each mood for one attempt, then is well."""
        queue = list(moods)
        journal = Once(Journal(self.folder / "events.jsonl", RUN))
        self.addCleanup(journal.close)

        def sleep(_seconds):
            self.server.mood = queue.pop(0) if queue else "well"

        self.server.mood = queue.pop(0) if queue else "well"
        waiting = Waiting(self.verifier(), journal, Control(self.folder / "control.json"), deadline_s, sleep=sleep, heartbeat_s=0)
        return journal, GrpoReward(
            RUN, 4, journal, ContentStore(self.folder / "completions"), PendingGroup(self.folder / "pending.json"), waiting,
            CompositeReward({"format": (0.1, format_reward)}))

    def call(self, reward, texts, step=0, extra=None):
        return reward(
            prompts=["p"] * len(texts), completions=texts, completion_ids=[[1] * len(text) for text in texts],
            trainer_state=SimpleNamespace(global_step=step), log_extra=extra or (lambda *_: None), log_metric=lambda *_: None,
            row=["row"] * len(texts), task=["task"] * len(texts))


class RewardThroughOutages(OutageTest):
    texts = ["a", "bb", "ccc", "dddd"]

    def test_every_outage_blocks_and_then_the_rewards_are_those_of_a_run_without_one(self):
        wanted = [rule(text) + 0.1 for text in self.texts]
        for mood in MOODS:
            with self.subTest(mood):
                self.setUp()
                journal, reward = self.reward([mood, mood])
                self.assertEqual(self.call(reward, self.texts), wanted)
                events = list(journal.read())
                types = [event["type"] for event in events]
                self.assertEqual([types.count("verifier.blocked"), types.count("verifier.unblocked")], [2, 1])
                silent = [event for event in events if event["type"] == "rollout.graded" and not is_graded(event["grade"])]
                self.assertGreater(len(silent), 0)
                for event in silent:
                    self.assertEqual([event["grade"]["reward"], event["total"], *event["components"].values()], [None] * 4)
                self.assertEqual([event["seq"] for event in events], list(range(len(events))))
                # What arrived before a cut is not asked for again, so nothing is graded twice.
                self.assertEqual(set(self.server.answered.values()), {1})

    def test_the_deadline_ends_the_wait_without_a_number(self):
        _, reward = self.reward(["refuse"] * 3, deadline_s=0.0)
        with self.assertRaisesRegex(Blocked, "4 of 4 rollouts have no grade .*http_500"):
            self.call(reward, self.texts)

    def test_a_restart_goes_on_with_the_saved_batch_and_writes_nothing_twice(self):
        _, reward = self.reward(["cut"], deadline_s=0.0)
        with self.assertRaises(Blocked):
            self.call(reward, self.texts)
        journal, again = self.reward()
        self.assertEqual(self.call(again, self.texts), [rule(text) + 0.1 for text in self.texts])
        events = list(journal.read())
        generated = [event["rollout"] for event in events if event["type"] == "rollout.generated"]
        numbers = [event["rollout"] for event in events if event["type"] == "rollout.graded" and is_graded(event["grade"])]
        self.assertEqual([sorted(generated), sorted(numbers)], [sorted(set(generated))] * 2)

    def test_sampling_a_saved_step_anew_is_refused(self):
        _, reward = self.reward(["refuse"], deadline_s=0.0)
        with self.assertRaises(Blocked):
            self.call(reward, self.texts)
        with self.assertRaisesRegex(ValueError, "saved batch"):
            self.call(self.reward()[1], ["x", "y", "z", "w"])


class Identity(unittest.TestCase):
    def test_groups_follow_the_row_whatever_the_order(self):
        self.assertEqual(places(["a", "a", "b", "b", "a", "a"], 2), [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)])
        self.assertEqual(places(["a", "b", "a", "b"], 2), [(0, 0), (1, 0), (0, 1), (1, 1)])
        with self.assertRaisesRegex(ValueError, "no multiple"):
            places(["a", "a", "b"], 2)
