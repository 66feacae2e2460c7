"""The stages that train on a file: continued pretraining, SFT, DPO, KTO and recovery, through TRL's own trainers, each with its gates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import checkpoints
from .context import Context
from .datasets import check_file
from .gates import GateFailed, GradientGate, LossGate
from .numbers import finite
from .pipeline import Stopped
from .run_spec import StageSpec

CHECKPOINT_STEPS = 50
"""Steps between two checkpoints of such a stage: its data lies on the disk, so that a crash costs time and nothing else."""

_KINDS = {"cpt": "SFT", "sft": "SFT", "recovery": "SFT", "dpo": "DPO", "kto": "KTO"}


def run_file_stage(on: Context, stage: StageSpec) -> None:
    """Raises ``GateFailed`` for a file with bad lines, a first loss that jumps, a loss or gradient that is not finite."""
    path = on.folder.path / str(stage.data)
    if on.ranks.leads:
        _check(stage.stage, path)
    on.kit.seed(on.spec.trainer.seed)
    start = on.ranks.agree(f"{stage.stage}-start", lambda: checkpoints.start_of(on, stage.stage))
    policy = on.kit.load(on.spec, Path(start["adapter"]) if start["adapter"] else None)
    kind = _KINDS[stage.stage]
    trainer = getattr(on.kit, f"{kind}Trainer")(
        model=policy.model, args=_configuration(on, stage, kind), train_dataset=on.kit.dataset(read_records(path)),
        processing_class=policy.tokenizer, callbacks=[_callback_class(on.kit.TrainerCallback)(on, stage)], peft_config=policy.peft_config)
    trainer.train(resume_from_checkpoint=start["resume"])
    found = checkpoints.newest(on, stage.stage) if on.ranks.leads else None
    if found:
        on.registry.add(on.spec.run, stage.stage, found[0], found[1])
    on.kit.release()
    if trainer.state.global_step < trainer.state.max_steps:
        raise Stopped()


def _check(stage: str, path: Path) -> None:
    try:
        good, bad = check_file(stage, path)
    except OSError as problem:
        told = f"The data of {stage} cannot be read: {problem.strerror or problem}."
        raise GateFailed("data_missing", told, {"stage": stage}) from problem
    if bad:
        first = "; ".join(f"line {line.line} {line.reason}" if line.line else line.reason for line in bad[:5])
        raise GateFailed("data_bad", f"The data of {stage} has {len(bad)} bad lines beside {good} good ones: {first}.",
                         {"stage": stage, "good": good, "bad": [[line.line, line.reason] for line in bad[:100]]})


def read_records(path: Path) -> list[dict[str, Any]]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def _configuration(on: Context, stage: StageSpec, kind: str) -> Any:
    trainer = on.spec.trainer
    each = max(1, stage.batch_size // trainer.processes)
    micro = min(trainer.limits.micro_batch, each)
    return getattr(on.kit, f"{kind}Config")(
        output_dir=str(on.folder.checkpoints(stage.stage)), learning_rate=stage.learning_rate or trainer.learning_rate,
        per_device_train_batch_size=micro, gradient_accumulation_steps=max(1, each // micro), num_train_epochs=stage.epochs,
        max_steps=stage.max_steps if stage.max_steps is not None else -1, save_steps=CHECKPOINT_STEPS, seed=trainer.seed,
        **on.kit.arguments(stage.stage, on.spec))


def _callback_class(base: type) -> type:
    class Gated(base):  # type: ignore[misc, valid-type]
        def __init__(self, on: Context, stage: StageSpec) -> None:
            super().__init__()
            self.on, self.stage = on, stage
            # A preference loss is no cross entropy: it starts near ln 2, and only its growth tells.
            first = stage.gates.first_loss_limit if _KINDS[stage.stage] == "SFT" else float("inf")
            self.loss, self.gradient = LossGate(first, stage.gates.later_factor), GradientGate(stage.gates.grad_norm_limit)

        def on_log(self, args, state, control, logs=None, **kwargs):
            if not logs or "loss" not in logs:
                return
            if self.on.ranks.leads:
                self.on.journal.write(
                    "stage.step", stage=self.stage.stage, step=state.global_step, loss=finite(logs["loss"]),
                    gradNorm=finite(logs.get("grad_norm")), lr=finite(logs.get("learning_rate")))
            self.loss.see(state.global_step, logs["loss"])
            self.gradient.see(state.global_step, logs.get("grad_norm"))

        def on_step_end(self, args, state, control, **kwargs):
            wanted = self.on.ranks.agree(
                f"{self.stage.stage}-{state.global_step}-want", lambda: "stop" if self._rested() else "go")
            if wanted == "stop":
                control.should_training_stop = True
            if wanted == "stop" or state.global_step >= state.max_steps:
                control.should_save = True

        def _rested(self) -> bool:
            self.on.control.rest(0.0)
            return self.on.control.stopping

        def on_save(self, args, state, control, **kwargs):
            if self.on.ranks.leads:
                checkpoints.keep(self.on, self.stage.stage, state.global_step)

    return Gated
