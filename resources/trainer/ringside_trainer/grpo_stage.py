"""The GRPO stage: TRL's trainer, with saved tokens in place of new ones after a restart, and every step told to the journal."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any, Callable

from . import advantage, checkpoints
from .batches import Batch, Batches
from .context import Context
from .gates import GradientGate, LossGate
from .grpo_reward import GrpoReward, Scored, text_of
from .memory_first import measure_first
from .numbers import finite, mean, sample_std
from .pipeline import Stopped
from .rollouts import PendingGroup
from .run_spec import StageSpec, Trainer, batch_rows
from .selection import Chooser, difficulty

STAGE = "grpo"

TOLERANCE = 5e-3
"""Between the trainer's advantages and the published formula. The trainer works in single precision: with a spread near zero, a difference of
1e-7 is divided by 1e-4."""


class OtherAdvantages(ValueError):
    """The trainer used other advantages than the formula that its configuration names."""


def training_rows(tasks: list[dict[str, Any]], trainer: Trainer, prompt: Callable[[str], Any]) -> list[dict[str, Any]]:
    """One row for each group of the whole run, tasks in seeded order and evenly; so the position in the data is the step alone.

    ``row`` is unique, which is what tells the groups of one task apart; ``task`` names the verifier's task.
    """
    chance, rows = random.Random(f"order/{trainer.seed}"), []
    while len(rows) < trainer.updates * trainer.groups_per_step:
        for task in chance.sample(tasks, len(tasks)):
            rows.append({"prompt": prompt(task["prompt"]), "task": task["id"], "row": f"{task['id']}#{len(rows)}"})
    return rows[: trainer.updates * trainer.groups_per_step]


def configuration(on: Context, stage: StageSpec) -> Any:
    """One generation batch is one step: a checkpoint then always falls between two batches, and the sampler's position is the step."""
    trainer = on.spec.trainer
    rows = batch_rows(trainer)
    micro = min(trainer.limits.micro_batch, rows)
    return on.kit.GRPOConfig(
        output_dir=str(on.folder.checkpoints(STAGE)), learning_rate=stage.learning_rate or trainer.learning_rate,
        per_device_train_batch_size=micro, gradient_accumulation_steps=rows // micro, num_generations=trainer.group_size,
        num_iterations=1, max_completion_length=trainer.limits.completion_tokens, max_steps=trainer.updates,
        save_steps=trainer.checkpoint_every, seed=trainer.seed, shuffle_dataset=False, scale_rewards="group",
        **on.kit.arguments(STAGE, on.spec))


def run_grpo(on: Context, stage: StageSpec) -> None:
    """Trains to the last update or to where the operator stops it. Raises ``Blocked`` or ``GateFailed``; may be called again."""
    trainer = on.spec.trainer
    if trainer.updates == 0:
        return
    on.kit.seed(trainer.seed)
    start = on.ranks.agree("grpo-start", lambda: checkpoints.start_of(on, STAGE))
    policy = on.kit.load(on.spec, Path(start["adapter"]) if start["adapter"] else None)
    keeper = StepKeeper(on, stage)
    cls = trainer_class(on.kit.GRPOTrainer)
    instance = cls(
        model=policy.model, reward_funcs=keeper.reward, args=configuration(on, stage),
        train_dataset=on.kit.dataset(training_rows(on.tasks, trainer, on.kit.prompt)), processing_class=policy.tokenizer,
        callbacks=[callback_class(on.kit.TrainerCallback)(keeper)], peft_config=policy.peft_config)
    instance.ringside = keeper
    if start["resume"] is None:
        measure_first(on, instance)
    instance.train(resume_from_checkpoint=start["resume"])
    if on.ranks.leads:
        _register(on)
    on.kit.release()
    if instance.state.global_step < trainer.updates:
        raise Stopped()
    keeper.close()


def _register(on: Context) -> None:
    found = checkpoints.newest(on, STAGE)
    if found:
        on.registry.add(on.spec.run, STAGE, found[0], found[1])


def trainer_class(base: type) -> type:
    """TRL's trainer with two of its methods extended; see ``trl_glue`` for what is verified about them."""

    class RingsideGrpoTrainer(base):  # type: ignore[misc, valid-type]
        ringside: StepKeeper

        def _generate_single_turn(self, prompt_ids, images, multimodal_fields):
            inherited = super()._generate_single_turn
            return self.ringside.tokens(self.state.global_step + 1, lambda: inherited(prompt_ids, images, multimodal_fields))

        def _generate_and_score_completions(self, inputs):
            result = super()._generate_and_score_completions(self.ringside.chosen(self.state.global_step + 1, inputs))
            self.ringside.scored(list(self._logs["extra"]["rollout"]), list(self._logs["advantages"]))
            return result

    return RingsideGrpoTrainer


def callback_class(base: type) -> type:
    class Journalled(base):  # type: ignore[misc, valid-type]
        def __init__(self, keeper: StepKeeper) -> None:
            super().__init__()
            self.keeper = keeper

        def on_step_begin(self, args, state, control, model=None, **kwargs):
            self.keeper.begin(model)

        def on_step_end(self, args, state, control, **kwargs):
            self.keeper.end_of_step(state, control)

        def on_log(self, args, state, control, logs=None, model=None, **kwargs):
            if logs and "loss" in logs:
                self.keeper.finish(state.global_step, logs, model)

        def on_save(self, args, state, control, **kwargs):
            self.keeper.saved(state.global_step)

    return Journalled


class StepKeeper:
    """One step at a time, from its tasks to its checkpoint. Only the leader chooses, grades and writes."""

    def __init__(self, on: Context, stage: StageSpec) -> None:
        self._on, trainer = on, on.spec.trainer
        self._batches = Batches(on.folder.batches, on.ranks.rank)
        self._reward = GrpoReward(
            on.spec.run, trainer.group_size, on.journal, on.store, PendingGroup(on.folder.pending), on.waiting, on.reward,
            longest=trainer.limits.completion_tokens) if on.ranks.leads else None
        self._gates = (LossGate(first_limit=float("inf"), later_factor=float("inf")), GradientGate(stage.gates.grad_norm_limit))
        self._advantages: dict[str, float] = {}
        self._tasks = {task["id"]: task for task in on.tasks}
        self._chooser: Chooser | None = None
        self._before: Any = None
        self._began = self._generated_ms = 0.0

    def begin(self, model: Any) -> None:
        self._began, self._generated_ms = time.perf_counter(), 0.0
        self._before = self._on.kit.snapshot(model)
        self._on.kit.reset_peaks()

    def chosen(self, step: int, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The rows of the step's batch on this process with the tasks that its selection chose; as they are where the spec has none.

        The data set was laid out before the run, and a loader fetches ahead; what is chosen by the step before can only be put in here.
        """
        on, trainer = self._on, self._on.spec.trainer
        if trainer.selection is None:
            return rows
        tasks = on.ranks.agree(f"tasks-{step}", lambda: self._choose(step))

        def put(row: dict[str, Any]) -> dict[str, Any]:
            number = int(row["row"].rsplit("#", 1)[1])
            task = self._tasks[tasks[number % trainer.groups_per_step]]
            return {**row, "prompt": on.kit.prompt(task["prompt"]), "task": task["id"], "row": f"{task['id']}#{number}"}

        return [put(row) for row in rows]

    def _choose(self, step: int) -> list[str]:
        on, trainer = self._on, self._on.spec.trainer
        assert trainer.selection is not None
        if self._chooser is None:
            anchors = {task: passed / graded for task, (passed, graded) in on.journal.baseline.items() if graded}
            self._chooser = Chooser(
                trainer.selection, on.spec.run, trainer.seed, list(self._tasks), anchors, on.journal.prompts, self._passed)
            # The launch let nothing through whose controls do not hold: a label that nothing meets yet is still a right one.
            found = {task: difficulty(*on.journal.baseline.get(task, (0, 0)), confirmed=True) for task in self._tasks}
            on.journal.write(
                "alert", code="task_difficulty", level="info", evidence={"once": "run", "difficulty": found},
                text=f"Tasks are chosen by {trainer.selection.by}, from what the baseline measured.")
        return self._chooser.of(step, trainer.groups_per_step, trainer.group_size, trainer.updates)

    def _passed(self, rollout: str) -> bool | None:
        graded = self._on.journal.grades.get(rollout)
        return None if graded is None else graded[0]["status"] == "passed"

    def tokens(self, step: int, sample: Callable[[], tuple[list[list[int]], Any]]) -> tuple[list[list[int]], Any]:
        """The tokens of the step's batch on this process: the saved ones where there are, else new ones, saved before all else."""
        began = time.perf_counter()
        saved = self._batches.load(step)
        if saved is None:
            ids, logprobs = sample()
            saved = Batch([list(row) for row in ids], logprobs, self._on.kit.random_state())
            self._batches.save(step, saved)
        else:
            self._on.kit.restore_random_state(saved.random_after)
        self._generated_ms += (time.perf_counter() - began) * 1000
        self._memory()
        return saved.completion_ids, saved.logprobs

    def reward(self, prompts, completions, completion_ids=None, trainer_state=None, log_extra=None, log_metric=None, **columns):
        """The reward function that TRL calls on every process with that process's rows."""
        step = int(trainer_state.global_step) + 1
        name, ranks = f"step-{step}", self._on.ranks
        ranks.share(name, {
            "texts": [text_of(one) for one in completions], "tokens": [len(ids) for ids in completion_ids],
            "rows": [str(row) for row in columns["row"]], "tasks": [str(task) for task in columns["task"]]})
        answer = ranks.agree(name, lambda: self._score(step, ranks.shares(name)))
        first = ranks.rank * len(completions)
        mine = slice(first, first + len(completions))
        log_extra("rollout", answer["ids"][mine])
        log_metric("tests", answer["tests"])
        return answer["totals"][mine]

    reward.__name__ = "ringside"

    def _score(self, step: int, shares: list[dict[str, list[Any]]]) -> dict[str, Any]:
        assert self._reward is not None
        merged = {name: [item for share in shares for item in share[name]] for name in ("texts", "tokens", "rows", "tasks")}
        scored = self._reward.score(step, merged["texts"], merged["tokens"], merged["rows"], merged["tasks"])
        for name in (f"step-{step - 1}", f"tasks-{step - 1}", f"step-{step - 2}-want", f"saved-{step - 2}"):
            self._on.ranks.forget(name)
        return {"ids": scored.ids, "totals": scored.totals, "tests": scored.tests_mean}

    def scored(self, ids: list[str], advantages: list[float]) -> None:
        """The advantages that the trainer will use, each with its rollout's id: both came through the same gather, in the same order."""
        if not self._on.ranks.leads:
            return
        scored = self._last()
        count = len(scored.ids)
        if ids[-count:] != scored.ids:
            raise OtherAdvantages("the trainer's log columns are not those of this batch; refusing to guess whose advantage is whose")
        self._advantages = dict(zip(ids[-count:], [float(value) for value in advantages[-count:]]))
        for totals, own in self._groups(scored):
            for wanted, used in zip(advantage.advantages(totals), own):
                if abs(wanted - used) > TOLERANCE * max(1.0, abs(wanted)):
                    raise OtherAdvantages(f"step {scored.step}: the trainer used {used:.6f} where the formula gives {wanted:.6f}")

    def _groups(self, scored: Scored) -> list[tuple[list[float], list[float]]]:
        groups: dict[int, tuple[list[float], list[float]]] = {}
        for rollout, total in zip(scored.rollouts, scored.totals):
            totals, own = groups.setdefault(rollout.group, ([], []))
            totals.append(total)
            own.append(self._advantages[rollout.id])
        return list(groups.values())

    def finish(self, step: int, logs: dict[str, Any], model: Any) -> None:
        """``step.finished``; the gates look at the figures after they are journalled and before anything is saved."""
        if not self._on.ranks.leads:
            return
        scored, on = self._last(), self._on
        if scored.step != step:
            raise ValueError(f"the trainer finished step {step} while step {scored.step} was scored last")
        groups = self._groups(scored)
        whole_ms = (time.perf_counter() - self._began) * 1000
        update_ms = max(0.0, whole_ms - self._generated_ms - scored.grade_ms)
        self._memory()
        on.journal.write(
            "step.finished", step=step, loss=finite(logs.get("loss")), gradNorm=finite(logs.get("grad_norm")), kl=finite(logs.get("kl")),
            entropy=finite(logs.get("entropy")), lr=finite(logs.get("learning_rate")),
            parameterDelta=finite(on.kit.distance(model, self._before)), rewardMean=mean(scored.totals),
            rewardStd=sample_std(scored.totals), silentGroups=sum(len(set(totals)) == 1 for totals, _ in groups), groups=len(groups),
            advantages=self._advantages,
            stepMs={"generate": round(self._generated_ms), "grade": round(scored.grade_ms), "update": round(update_ms)})
        on.log(f"step {step} of {on.spec.trainer.updates}: reward {mean(scored.totals):.3f}, tests {scored.tests_mean:.3f}")
        loss_gate, gradient_gate = self._gates
        loss_gate.see(step, logs.get("loss"))
        gradient_gate.see(step, logs.get("grad_norm"))

    def end_of_step(self, state: Any, control: Any) -> None:
        """Paces, pauses and stops between steps, on all processes alike: the leader's reading of the control file counts."""
        on = self._on

        def want() -> str:
            on.control.rest(on.spec.trainer.pace_ms / 1000)
            return "stop" if on.control.stopping else "go"

        wanted = on.ranks.agree(f"step-{state.global_step}-want", want)
        if wanted == "stop":
            control.should_save = True
            control.should_training_stop = True
        if state.global_step >= on.spec.trainer.updates:
            control.should_save = True

    def saved(self, step: int) -> None:
        """After every process has written its part of the checkpoint (its generators' states)."""
        name, ranks = f"saved-{step}", self._on.ranks
        if ranks.world > 1:
            ranks.share(name, True)
        if ranks.leads:
            if ranks.world > 1:
                ranks.shares(name)
            checkpoints.keep(self._on, STAGE, step)
        self._batches.drop_through(step)

    def close(self) -> None:
        """The last batch has become an update and a checkpoint: nothing is pending."""
        if self._on.ranks.leads:
            PendingGroup(self._on.folder.pending).clear()

    def _memory(self) -> None:
        if self._on.ranks.leads:
            self._on.journal.write("memory", devices=self._on.kit.devices())

    def _last(self) -> Scored:
        assert self._reward is not None
        if self._reward.last is None:
            raise ValueError("the trainer reached an update without asking for a reward")
        return self._reward.last
