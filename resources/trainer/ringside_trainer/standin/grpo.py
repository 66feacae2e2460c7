"""The stand-in for ``trl.GRPOTrainer``. The names that start with an underscore are TRL's own, since subclasses override them."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Any

from .base import GENERATOR, LoopTrainer
from .sampler import repeated


@dataclass
class GRPOConfig:
    output_dir: str
    learning_rate: float = 1e-6
    per_device_train_batch_size: int = 8
    gradient_accumulation_steps: int = 1
    num_generations: int = 8
    num_iterations: int = 1
    max_completion_length: int = 256
    max_steps: int = -1
    save_steps: int = 500
    max_grad_norm: float = 1.0
    beta: float = 0.0
    seed: int = 42
    shuffle_dataset: bool = True
    scale_rewards: str = "group"

    def __post_init__(self) -> None:
        self.steps_per_generation = self.gradient_accumulation_steps
        self.generation_batch_size = self.per_device_train_batch_size * self.steps_per_generation
        if self.generation_batch_size % self.num_generations:
            raise ValueError("the generation batch must hold full groups")


class GRPOTrainer(LoopTrainer):
    def __init__(self, model, reward_funcs, args=None, train_dataset=None, processing_class=None, callbacks=None, peft_config=None):
        super().__init__(model, args, train_dataset, processing_class, callbacks, peft_config)
        self.reward_funcs = reward_funcs if isinstance(reward_funcs, list) else [reward_funcs]
        self.num_generations, self.num_iterations = args.num_generations, args.num_iterations
        self._step = 0
        self._buffered_inputs: list[dict[str, list[Any]]] | None = None
        size = args.generation_batch_size
        self._logs: dict[str, Any] = {
            "prompt": deque(maxlen=size), "completion": deque(maxlen=size), "advantages": deque(maxlen=size),
            "rewards": defaultdict(lambda: deque(maxlen=size)), "extra": defaultdict(lambda: deque(maxlen=size)),
        }
        self._pending_extra_logs: dict[str, list[Any]] = defaultdict(list)
        self._metrics: dict[str, list[float]] = defaultdict(list)
        self._batches = repeated(
            len(train_dataset), self.num_generations, size // self.num_generations, self.num_iterations * args.steps_per_generation)

    def _steps(self) -> int:
        whole = len(self.train_dataset) // (self.args.generation_batch_size // self.num_generations) * self.num_iterations
        return whole if self.args.max_steps < 0 else min(whole, self.args.max_steps)

    def _skip(self, steps: int) -> None:
        for _ in range(steps * self.args.gradient_accumulation_steps):
            next(self._batches)

    def _update(self) -> dict[str, float]:
        gradient = [[0.0] * len(row) for row in self.model.logits]
        loss, accumulate = 0.0, self.args.gradient_accumulation_steps
        for _ in range(accumulate):
            rows = [self.train_dataset[number] for number in next(self._batches)]
            inputs = self._prepare_inputs(rows)
            self._step += 1
            count = len(inputs["advantages"])
            for ids, advantage in zip(inputs["completion_ids"], inputs["advantages"]):
                # The ratio of a first pass is 1, so the loss is the mean advantage and its gradient is that of the log probability.
                loss -= advantage / count / accumulate
                for row, slope in zip(gradient, self.model.gradient(ids)):
                    for option, value in enumerate(slope):
                        row[option] += advantage * value / count / accumulate
        self._metrics["entropy"].append(self.model.entropy())
        return {"loss": loss, "grad_norm": self._step_optimizer(gradient)}

    def _prepare_inputs(self, generation_batch: list[dict[str, Any]]) -> dict[str, list[Any]]:
        every = self.args.steps_per_generation * self.num_iterations
        if self._step % every == 0 or self._buffered_inputs is None:
            scored = self._generate_and_score_completions(generation_batch)
            order = list(range(len(scored["advantages"])))
            GENERATOR.shuffle(order)
            share = len(order) // self.args.steps_per_generation
            self._buffered_inputs = [
                {name: [column[place] for place in order[first : first + share]] for name, column in scored.items()}
                for first in range(0, len(order), share)
            ]
        return self._buffered_inputs[self._step % self.args.steps_per_generation]

    def _generate_single_turn(self, prompt_ids, images, multimodal_fields):
        return [self.model.sample(GENERATOR, self.args.max_completion_length) for _ in prompt_ids], None

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, list[Any]]:
        prompts = [row["prompt"] for row in inputs]
        completion_ids, _ = self._generate_single_turn([[1]] * len(prompts), None, {})
        completions = self.processing_class.batch_decode(completion_ids)
        by_function = self._calculate_rewards(inputs, prompts, completions, completion_ids)
        rewards = [_weighted_sum(row) for row in by_function]
        advantages: list[float] = []
        for first in range(0, len(rewards), self.num_generations):
            advantages += _advantages(rewards[first : first + self.num_generations])
        self._logs["prompt"].extend(prompts)
        self._logs["completion"].extend(completions)
        self._logs["advantages"].extend(advantages)
        for column in sorted(self._pending_extra_logs):
            self._logs["extra"][column].extend(self._pending_extra_logs[column])
        self._pending_extra_logs.clear()
        known = [reward for reward in rewards if not math.isnan(reward)]
        self._metrics["reward"].append(statistics.fmean(known) if known else math.nan)
        return {"completion_ids": completion_ids, "advantages": advantages}

    def _calculate_rewards(self, inputs, prompts, completions, completion_ids_list) -> list[list[float]]:
        columns = {name: [row[name] for row in inputs] for name in inputs[0] if name not in ("prompt", "completion", "completion_ids")}
        table: list[list[float]] = [[] for _ in prompts]
        for function in self.reward_funcs:
            values = function(
                prompts=prompts, completions=completions, completion_ids=completion_ids_list, trainer_state=self.state,
                log_extra=lambda column, values: self._pending_extra_logs[column].extend(values),
                log_metric=lambda name, value: self._metrics[name].append(value), **columns)
            for row, value in zip(table, values):
                row.append(math.nan if value is None else float(value))
        return table

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        for name, values in self._metrics.items():
            valid = [value for value in values if not math.isnan(value)]
            logs[name] = sum(valid) / len(valid) if valid else None  # type: ignore[assignment]
        self._metrics.clear()
        super().log(logs, start_time)


def _weighted_sum(row: list[float]) -> float:
    """A row that no function scored stays unknown; otherwise unknown parts count nothing, as in TRL."""
    known = [value for value in row if not math.isnan(value)]
    return sum(known) if known else math.nan


def _advantages(rewards: list[float]) -> list[float]:
    """By TRL's rule: unknown rewards are left out of mean and deviation, and get no advantage."""
    known = [reward for reward in rewards if not math.isnan(reward)]
    mean = statistics.fmean(known) if known else math.nan
    deviation = statistics.stdev(known) if len(known) > 1 else math.nan if not known else 0.0
    values = [(reward - mean) / (deviation + 1e-4) for reward in rewards]
    return [0.0 if math.isnan(value) else value for value in values]
