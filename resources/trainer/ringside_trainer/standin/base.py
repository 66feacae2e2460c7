"""What the stand-in's trainers have in common: the loop, the callbacks in their order, the optimizer, checkpoints and resuming."""

from __future__ import annotations

import json
import math
import random
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .policy import SoftmaxPolicy, Tokenizer

GENERATOR = random.Random(0)
"""The process's own generator, as PyTorch has one: sampling and shuffling draw from it, and a checkpoint holds its state."""

MOMENTUM = 0.5


class TrainerCallback:
    """Every hook that the stages use; the others of the real class are never called here."""

    def on_train_begin(self, args, state, control, **kwargs): ...
    def on_step_begin(self, args, state, control, **kwargs): ...
    def on_step_end(self, args, state, control, **kwargs): ...
    def on_log(self, args, state, control, logs=None, **kwargs): ...
    def on_save(self, args, state, control, **kwargs): ...
    def on_train_end(self, args, state, control, **kwargs): ...


@dataclass
class TrainerState:
    global_step: int = 0
    max_steps: int = 0
    epoch: float = 0.0
    log_history: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class TrainerControl:
    should_training_stop: bool = False
    should_save: bool = False
    should_log: bool = False


class Accelerator:
    process_index = 0
    num_processes = 1
    is_main_process = True


class LoopTrainer:
    """``_micro_batches`` and ``_gradient`` are what a kind of trainer adds."""

    def __init__(self, model, args=None, train_dataset=None, processing_class=None, callbacks=None, peft_config=None, **_ignored):
        self.model: SoftmaxPolicy = model
        self.args, self.train_dataset = args, train_dataset
        self.processing_class = self._tokenizer = processing_class or Tokenizer()
        self.callbacks = list(callbacks or [])
        self.state, self.control, self.accelerator = TrainerState(), TrainerControl(), Accelerator()
        self._velocity = [[0.0] * len(row) for row in model.logits]

    def _call(self, hook: str, **kwargs: Any) -> None:
        for callback in self.callbacks:
            getattr(callback, hook)(self.args, self.state, self.control, model=self.model, **kwargs)

    def _steps(self) -> int:
        raise NotImplementedError

    def _update(self) -> dict[str, float]:
        """Runs one optimizer step and returns ``loss`` and ``grad_norm``."""
        raise NotImplementedError

    def _skip(self, steps: int) -> None:
        """Passes over the data of the steps before a checkpoint."""

    def train(self, resume_from_checkpoint: str | None = None) -> None:
        self.state.max_steps = self._steps()
        if resume_from_checkpoint is not None:
            self._load(Path(resume_from_checkpoint))
        self.model.training = True
        self._call("on_train_begin")
        while self.state.global_step < self.state.max_steps and not self.control.should_training_stop:
            self._call("on_step_begin")
            figures = self._update()
            self.state.global_step += 1
            self.control.should_log = True
            self.control.should_save = self.state.global_step % self.args.save_steps == 0 or self.state.global_step == self.state.max_steps
            self._call("on_step_end")
            self.log({**figures, "learning_rate": self.args.learning_rate})
            if self.control.should_save:
                self._save_checkpoint(self.model, None)
                self._call("on_save")
        self.model.training = False
        self._call("on_train_end")

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        self.state.log_history.append({**logs, "step": self.state.global_step})
        self._call("on_log", logs=logs)

    def _step_optimizer(self, gradient: list[list[float]]) -> float:
        """Ascends along ``gradient`` with momentum and returns its norm before clipping to ``max_grad_norm``."""
        norm = math.sqrt(sum(value * value for row in gradient for value in row))
        scale = min(1.0, self.args.max_grad_norm / norm) if norm > 0 else 1.0
        for row, velocity, slope in zip(self.model.logits, self._velocity, gradient):
            for option in range(len(row)):
                velocity[option] = MOMENTUM * velocity[option] + slope[option] * scale
                row[option] += self.args.learning_rate * velocity[option]
        return norm

    def _save_checkpoint(self, model: SoftmaxPolicy, trial: Any) -> None:
        folder = Path(self.args.output_dir) / f"checkpoint-{self.state.global_step}"
        folder.mkdir(parents=True, exist_ok=True)
        parts = {
            "adapter_model.json": {"standIn": True, "logits": model.logits}, "optimizer.json": self._velocity,
            "scheduler.json": {"lastStep": self.state.global_step}, "rng_state.json": random_state(),
            "trainer_state.json": asdict(self.state),
        }
        for name, value in parts.items():
            (folder / name).write_text(json.dumps(value), encoding="utf-8")

    def _load(self, folder: Path) -> None:
        def read(name: str) -> Any:
            return json.loads((folder / name).read_text(encoding="utf-8"))

        self.model.logits = read("adapter_model.json")["logits"]
        self._velocity = read("optimizer.json")
        self.state = TrainerState(**{**read("trainer_state.json"), "max_steps": self.state.max_steps})
        self._skip(self.state.global_step)
        restore_random_state(read("rng_state.json"))

    @staticmethod
    def _now() -> float:
        return time.perf_counter()


def random_state() -> Any:
    return json.loads(json.dumps(GENERATOR.getstate()))


def restore_random_state(state: Any) -> None:
    version, words, gauss = state
    GENERATOR.setstate((version, tuple(words), gauss))
