"""What a box needs around the training: measured memory, bootstrapping, the meter, the adapters' program, the example for other trainers."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from ringside_trainer import adapters_main, bootstrap, box_check, schema
from ringside_trainer.adapters import HeldOut, Registry
from ringside_trainer.cost import Meter
from ringside_trainer.gates import GateFailed
from ringside_trainer.journal import Journal
from ringside_trainer.memory_first import judge, measure_first
from ringside_trainer.once import Once
from ringside_trainer.run_spec import Cost, Limits, Trainer

from .test_base import RUN, InFolder
from .test_glue import OverStandIn

GIB = 2**30


class MemoryFirst(OverStandIn):
    measured = {"totalBytes": 16 * GIB, "modelBytes": 3 * GIB, "optimizerBytes": GIB, "generateBytes": 9 * GIB, "updateBytes": 4 * GIB}
    trainer = Trainer("trl", 1, [], 1, limits=Limits(1024, 1024, 4, GIB))

    def test_headroom_is_what_stays_at_the_worst_moment_less_the_reserve(self):
        verdict = judge(self.measured, self.trainer)
        self.assertEqual((verdict.peak, verdict.headroom, verdict.worst, verdict.knobs), (13 * GIB, 2 * GIB, "generate", []))

    def test_a_run_that_would_not_fit_says_by_how_much_and_what_helps(self):
        verdict = judge({**self.measured, "generateBytes": 14 * GIB}, self.trainer)
        self.assertEqual(verdict.headroom, -3 * GIB)
        self.assertEqual(verdict.knobs, [
            "vllmServer on another device takes the sampling (its KV cache) away gives back about 10.00 GiB, enough",
            "groupSize 4 → 2 gives back about 7.00 GiB, enough",
            "groupsPerStep 8 → 4 gives back about 7.00 GiB, enough",
            "limits.completionTokens 1024 → 512 gives back about 3.50 GiB, enough",
            "limits.promptTokens 1024 → 512 gives back about 3.50 GiB, enough",
        ])
        heavy = judge({**self.measured, "modelBytes": 15 * GIB}, self.trainer)
        self.assertIn("the model alone needs 16.00 GiB", heavy.knobs[-1])

    def test_it_is_a_gate_before_the_first_step_and_told_where_it_holds(self):
        on = self.context(limits={"completionTokens": 8192, "promptTokens": 16384, "microBatch": 8})
        with self.assertRaisesRegex(GateFailed, "would not fit: .* are missing .* What helps: ") as failed:
            measure_first(on, None)
        self.assertEqual(failed.exception.code, "memory_does_not_fit")
        fits = self.context()
        measure_first(fits, None)
        alert = [event for event in fits.journal.read() if event["type"] == "alert"][-1]
        self.assertEqual((alert["code"], alert["level"]), ("memory_first", "info"))
        self.assertGreater(alert["evidence"]["headroomBytes"], 0)


class MeterTest(InFolder):
    def test_idle_devices_are_told_once_a_stretch_with_their_price_and_unknown_is_not_idle(self):
        journal = Once(Journal(self.folder / "events.jsonl", RUN))
        self.addCleanup(journal.close)
        now, utilisation = [0.0], [0.0]

        def look():
            now[0] += 60
            return [{"name": "gpu", "usedBytes": None, "totalBytes": None, "reservedBytes": None, "peakBytes": None,
                     "utilisation": utilisation[0], "temperatureC": None, "powerW": None}]

        meter = Meter(journal, Cost(3.6, "EUR"), look, every_s=60, warn_after_s=120, clock=lambda: now[0])
        for value in (0.0, 0.0, 0.0, 0.0, 0.9, None, None, None, None):
            utilisation[0] = value
            meter.sample()
        meter.tell()
        alerts = [(e["code"], e["text"]) for e in journal.read() if e["type"] == "alert"]
        self.assertEqual(alerts, [
            ("gpu_idle", "Every device has idled for 2 minutes, 0.12 EUR."),
            ("cost", "0.15 hours since the trainer started, 0.54 EUR; idle for 0.07."),
        ])


class Bootstrap(InFolder):
    def options(self, **changes):
        return bootstrap.Options(**{"home": self.folder / "home", "wheels": None, "model": None, "need_bytes": 1, "wait_for_gpu_s": 0.0, **changes})

    def test_a_cut_bootstrap_goes_on_at_the_first_step_that_is_not_done(self):
        ran, broken = [], [True]

        def work(name):
            def step(_options):
                ran.append(name)
                if name == "b" and broken[0]:
                    raise bootstrap.StepFailed("no room; clear some")
                return "fine"
            return step

        plan = [(name, lambda _options: "1", work(name)) for name in ("a", "b", "c")]
        said = []
        self.assertEqual(bootstrap.bootstrap(self.options(), plan, said.append), 1)
        broken[0] = False
        self.assertEqual(bootstrap.bootstrap(self.options(), plan, said.append), 0)
        self.assertEqual(ran, ["a", "b", "b", "c"])
        self.assertEqual([(line["step"], line["state"], line["detail"]) for line in said if line["state"] != "running"], [
            ("a", "done", "fine"), ("b", "failed", "no room; clear some"), ("b", "done", "fine"), ("c", "done", "fine")])
        self.assertEqual([line["step"] for line in said if line["state"] == "running"], ["a", "b", "b", "c"])
        told = bootstrap.status(self.options(), [*plan, ("d", lambda _options: "1", work("d"))])
        self.assertEqual([told["ready"], [step["state"] for step in told["steps"]]], [False, ["done", "done", "done", "todo"]])
        changed = [(name, lambda _options: "2", work) for name, _, work in plan[:1]]
        bootstrap.bootstrap(self.options(), changed, said.append)
        self.assertEqual(ran[-1], "a")

    def test_waiting_for_a_gpu_is_a_state_that_keeps_its_age(self):
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = str(self.folder)
        plan = [step for step in bootstrap.steps() if step[0] == "gpu"]
        said = []
        codes = [bootstrap.bootstrap(self.options(), plan, said.append) for _ in range(2)]
        waits = [line for line in said if line["state"] == "waiting"]
        self.assertEqual((codes, len(waits), waits[0]["since"]), ([75, 75], 2, waits[1]["since"]))

    def test_a_long_step_tells_how_far_it_is_and_a_second_bootstrap_of_a_home_is_refused(self):
        script = "print('Collecting trl'); print('noise'); print('Installing collected packages: trl')"
        options, said = self.options(), []

        def step(given):
            second = []
            self.assertEqual(bootstrap.bootstrap(options, [], second.append), 1)
            self.assertEqual(second[0]["detail"], "another bootstrap is at work there")
            bootstrap._run([sys.executable, "-c", script], "cannot", tell=given.progress)
            with self.assertRaisesRegex(bootstrap.StepFailed, "cannot: no such wheel"):
                bootstrap._run([sys.executable, "-c", "import sys; sys.exit('no such wheel')"], "cannot")
            return "done"

        self.assertEqual(bootstrap.bootstrap(options, [("packages", lambda _options: "1", step)], said.append), 0)
        self.assertEqual([(line["state"], line["detail"]) for line in said], [
            ("running", ""), ("running", "Collecting trl"), ("running", "Installing collected packages: trl"), ("done", "done")])

    def test_each_want_is_one_line_that_says_what_to_do(self):
        model = self.folder / "model"
        model.mkdir()
        (model / "config.json").write_text("{}")
        (model / "model.safetensors.index.json").write_text('{"weight_map":{"a":"one.safetensors","b":"two.safetensors"}}')
        (model / "one.safetensors").write_text("w")
        wants = [
            (bootstrap.check_disk, {"need_bytes": 2**70, "home": self.folder}, "are needed; clear some"),
            (bootstrap.check_model, {"model": model}, "lacks tokenizer_config.json, two.safetensors; copy it"),
            (bootstrap.install, {"wheels": self.folder / "none"}, "no folder of wheels"),
        ]
        for step, changes, said in wants:
            with self.subTest(said), self.assertRaisesRegex(bootstrap.StepFailed, said):
                step(self.options(**changes))


class BoxCheck(InFolder):
    trainer = {"kind": "pipeline", "backend": "stand_in", "seed": 1, "updates": 1, "shaping": {"format": 0.1}, "stages": [
        {"stage": "baseline"}, {"stage": "sft", "data": "sft.jsonl"}, {"stage": "dpo", "data": "dpo.jsonl"}, {"stage": "final_eval"}]}

    def look(self, **changes):
        return {row["check"]: (row["state"], row["detail"]) for row in box_check.rows({**self.trainer, **changes}, self.folder)}

    def test_what_would_end_a_run_in_its_first_minute_ends_it_before(self):
        (self.folder / "sft.jsonl").write_text(json.dumps({"prompt": "a", "completion": "b"}) + "\n")
        self.addCleanup(os.environ.__setitem__, "PATH", os.environ["PATH"])
        os.environ["PATH"] = str(self.folder)
        self.assertEqual(self.look(), {
            "trainer_settings": ("passed", "8 × 4 completions a step, 32 a process; shaping weighs 0.1 of at most 0.2"),
            "trainer_data": ("failed", f"dpo: {self.folder / 'dpo.jsonl'} cannot be read: No such file or directory"),
            "trainer_library": ("warned", "the stand-in trains a toy, no model")})
        (self.folder / "dpo.jsonl").write_text(json.dumps({"prompt": "a", "chosen": "b", "rejected": "b"}) + "\n")
        self.assertIn("dpo: 2 bad lines beside 0 good ones: line 1 chosen and rejected are the same", self.look()["trainer_data"][1])
        (self.folder / "dpo.jsonl").write_text(json.dumps({"prompt": "a", "chosen": "b", "rejected": "c"}) + "\n")
        self.assertEqual(self.look()["trainer_data"], ("passed", "sft: 1 record; dpo: 1 record"))
        self.assertEqual(self.look(shaping={"format": 0.3}), {
            "trainer_settings": ("failed", "shaping weighs 0.3 of the tests' range, more than the cap of 0.2; lower its weights")})
        real = self.look(backend="trl", model={"base": str(self.folder), "revision": None})
        self.assertIn("trl 1.9.0 is not installed", real["trainer_library"][1])
        self.assertEqual((real["trainer_library"][0], real["trainer_gpu"]), ("failed", ("failed", "no GPU answers nvidia-smi")))
        self.assertIn("lacks config.json", real["trainer_model"][1])


class AdapterProgram(InFolder):
    def call(self, *arguments):
        out, error = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(error):
            code = adapters_main.main(["--run-dir", str(self.folder), *arguments])
        return (code, json.loads(out.getvalue())) if code == 0 else (code, error.getvalue().strip())

    def test_nothing_is_deleted_but_by_the_plan_that_was_shown(self):
        registry = Registry(self.folder / "adapters.json")
        ids = []
        for stage in ("sft", "grpo"):
            folder = self.folder / "checkpoints" / stage
            folder.mkdir(parents=True)
            (folder / "adapter.bin").write_text(stage)
            ids.append(registry.add(RUN, stage, 1, folder).id)
            registry.measure(ids[-1], HeldOut(len(ids), 8, 8))
        sft, grpo = ids
        self.assertEqual(self.call("plan", grpo), (2, f"{grpo} is in use; roll back to another first"))
        self.assertEqual(self.call("compare", sft, grpo)[1]["rateDifference"], 0.125)
        self.assertEqual(self.call("roll-back", sft)[1]["current"], sft)
        plan = self.call("plan", grpo)[1]
        self.assertEqual((plan["bytes"], [row["path"] for row in plan["adapters"]]), (4, ["checkpoints/grpo"]))
        self.call("mark", grpo, "bad")
        code, said = self.call("retire", grpo, "--plan", plan["plan"])
        self.assertEqual((code, "changed since that plan" in said), (2, True))
        again = self.call("plan", grpo)[1]["plan"]
        self.assertEqual(self.call("retire", grpo, "--plan", again)[1]["freedBytes"], 4)
        self.assertEqual([path.name for path in (self.folder / "checkpoints").iterdir()], ["sft"])
        self.assertEqual(self.call("mark", "none-such", "bad")[0], 2)


class Attached(InFolder):
    def test_another_trainers_rollouts_become_a_journal_that_the_console_reads_and_silence_is_said(self):
        program, file = Path(__file__).parents[1] / "examples" / "attach.py", self.folder / "rollouts.jsonl"
        lines = [
            {"step": step, "group": 0, "index": index, "task": "t", "completion": f"c{step}{index}", "reward": reward, "advantage": 0.5}
            for step in (1, 2, 3) for index, reward in enumerate((1, 0, None if step == 2 else 0.5))]
        for count, more in ((6, []), (9, []), (9, ["--ended"]), (9, ["--ended"])):
            file.write_text("".join(json.dumps(line) + "\n" for line in lines[:count]))
            subprocess.run([sys.executable, "-B", str(program), "--run-dir", str(self.folder), "--run", RUN, *more, str(file)], check=True)
        self.assertLessEqual(len(program.read_text().splitlines()), 100)
        seen = [json.loads(line) for line in (self.folder / "events.jsonl").read_text().splitlines()]
        self.assertEqual([event["seq"] for event in seen], list(range(len(seen))))
        for event in seen:
            schema.check(event, schema.load("event"))
        self.assertEqual([(e["step"], e["rewardMean"]) for e in seen if e["type"] == "step.finished"], [(1, 0.5), (2, 0.5), (3, 0.5)])
        self.assertEqual([e["text"] for e in seen if e["type"] == "alert"], [
            "Step 2 was updated although 1 of 3 rollouts have no reward."])
        graded = [event["rollout"] for event in seen if event["type"] == "rollout.graded"]
        self.assertEqual([len(graded), len(set(graded)), seen[-1]["type"]], [9, 9, "run.finished"])
