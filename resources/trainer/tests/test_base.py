import json
import math
import tempfile
import unittest
from pathlib import Path

from ringside_trainer import schema
from ringside_trainer.advantage import SilentReward, advantages
from ringside_trainer.control import Control
from ringside_trainer.files import ContentStore
from ringside_trainer.grades import silent_grade
from ringside_trainer.journal import Journal
from ringside_trainer.reward import CompositeReward, format_reward, shaping_outweighs

RUN = "r-20261129-abcdef"


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class JournalTest(InFolder):
    def journal(self):
        journal = Journal(self.folder / "events.jsonl", RUN, now=lambda: "2026-11-29T12:00:00.000Z")
        self.addCleanup(journal.close)
        return journal

    def test_numbers_go_on_after_a_restart_and_a_torn_line_is_cut(self):
        first = self.journal()
        first.write("stage.started", stage="baseline")
        first.write("log", stream="trainer", text="ü")
        first.close()
        with open(first.path, "ab") as file:
            file.write(b'{"v":1,"seq":2,"at"')
        self.journal().write("stage.finished", stage="baseline", outcome="completed")
        events = [json.loads(line) for line in first.path.read_text().splitlines()]
        self.assertEqual([(event["seq"], event["type"]) for event in events],
                         [(0, "stage.started"), (1, "log"), (2, "stage.finished")])

    def test_an_event_that_the_console_could_not_read_is_refused_and_leaves_no_trace(self):
        journal = self.journal()
        for fields in ({"stage": 3}, {}, {"stage": "baseline", "extra": 1}):
            with self.assertRaises(schema.SchemaError):
                journal.write("stage.started", **fields)
        with self.assertRaises(schema.SchemaError):
            journal.write("checkpoint", path="p", step=1, sha256="short", holds=[])
        self.assertEqual(journal.path.read_bytes(), b"")
        self.assertEqual(journal.write("stage.started", stage="grpo")["seq"], 0)

    def test_a_number_that_is_none_in_json_is_refused(self):
        with self.assertRaisesRegex(schema.SchemaError, "write null"):
            self.journal().write("memory", devices=[{
                "name": "gpu", "usedBytes": math.nan, "totalBytes": None, "reservedBytes": None, "peakBytes": None,
                "utilisation": None, "temperatureC": None, "powerW": None,
            }])


class StoreTest(InFolder):
    def test_content_is_kept_once_and_damage_is_noticed(self):
        store = ContentStore(self.folder / "completions")
        name = store.put("d\udce9f")
        self.assertEqual([store.put("d\udce9f"), store.get(name)], [name, "d\udce9f"])
        (self.folder / "completions" / name).write_bytes(b"other")
        with self.assertRaisesRegex(ValueError, "the bytes under"):
            store.get(name)


class ControlTest(InFolder):
    def test_a_broken_file_keeps_the_last_word(self):
        control = Control(self.folder / "control.json")
        self.assertEqual(control.want, "run")
        control.path.write_text('{"want":"stop_after_step"}')
        self.assertTrue(control.stopping)
        for broken in ("{", "[]", '{"want":"fly"}'):
            control.path.write_text(broken)
            self.assertEqual(control.want, "stop_after_step")


class AdvantageTest(unittest.TestCase):
    def test_two_passes_in_eight_as_published(self):
        values = advantages([1, 1, 0, 0, 0, 0, 0, 0])
        self.assertAlmostEqual(values[0], 1.62, places=2)
        self.assertAlmostEqual(values[2], -0.54, places=2)

    def test_a_silent_reward_yields_no_advantage_at_all(self):
        with self.assertRaisesRegex(SilentReward, "2 of 4"):
            advantages([1.0, 0.0, None, None])

    def test_equal_rewards_and_single_ones_give_zero(self):
        self.assertEqual([advantages([0.5, 0.5]), advantages([1.0])], [[0.0, 0.0], [0.0]])


def line(reward):
    grade = silent_grade("unreachable", "cut")
    graded = {**grade, "status": "test_failed" if reward else "no_answer", "reward": reward}
    return {"id": "a", "task": "t", "extraction": {"outcome": "body", "fences": 1, "info": ""},
            **(grade if reward is None else graded)}


class RewardTest(unittest.TestCase):
    reward = CompositeReward({"format": (0.1, format_reward)})

    def test_silence_silences_every_component(self):
        parts = self.reward.components(line(None), "text")
        self.assertEqual([parts, CompositeReward.total(parts)], [{"tests": None, "format": None}, None])

    def test_shaping_adds_to_what_the_tests_say(self):
        self.assertAlmostEqual(CompositeReward.total(self.reward.components(line(0.5), "text")), 0.6)

    def test_shaping_above_its_cap_is_refused(self):
        with self.assertRaisesRegex(ValueError, "more than the cap"):
            CompositeReward({"format": (0.3, format_reward)})

    def test_shaping_that_spreads_more_than_the_tests_is_told(self):
        rows = [{"tests": 0.5, "format": 0.0}, {"tests": 0.5, "format": 0.1}, {"tests": None, "format": None}]
        self.assertEqual(shaping_outweighs(rows)["tests"], 0.0)
        self.assertIsNone(shaping_outweighs([{"tests": 0.0, "format": 0.1}, {"tests": 1.0, "format": 0.0}]))
        self.assertIsNone(shaping_outweighs(rows[:1]))


if __name__ == "__main__":
    unittest.main()
