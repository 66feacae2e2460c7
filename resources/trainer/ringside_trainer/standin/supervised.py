"""The stand-ins for TRL's trainers that train on a file. A record's text is mapped to the toy's tokens by what it holds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .base import LoopTrainer
from .policy import _FIRST, CHOICES, EOS


@dataclass
class SFTConfig:
    output_dir: str
    learning_rate: float = 2e-5
    per_device_train_batch_size: int = 8
    gradient_accumulation_steps: int = 1
    num_train_epochs: float = 1.0
    max_steps: int = -1
    save_steps: int = 500
    max_grad_norm: float = 1.0
    seed: int = 42
    max_length: int | None = None
    beta: float = 0.1


DPOConfig = KTOConfig = SFTConfig


def tokens_of(text: str) -> list[int]:
    """The toy's tokens of a program; a text that is none of its programs is all strange to it, which ``loss_of`` shows."""
    fence = 0 if "```python" in text else 1
    tie = 1 if "-event[1]" in text else 0 if "event[1]" in text else 2
    base = 0 if "peak = 0" in text else 1
    return [_FIRST[0] + fence, _FIRST[1] + tie, _FIRST[2] + base, EOS] if "required_capacity" in text else []


STRANGE_LOSS = 14.5
"""Nats a token of a text that the toy does not know, like a model that is shown another model's template."""


class SFTTrainer(LoopTrainer):
    sign_of = staticmethod(lambda record: 1.0)

    def _steps(self) -> int:
        batch = self.args.per_device_train_batch_size * self.args.gradient_accumulation_steps
        whole = math.ceil(len(self.train_dataset) / batch * self.args.num_train_epochs)
        return whole if self.args.max_steps < 0 else min(whole, self.args.max_steps)

    def _update(self) -> dict[str, float]:
        batch = self.args.per_device_train_batch_size * self.args.gradient_accumulation_steps
        first = self.state.global_step * batch
        records = [self.train_dataset[(first + place) % len(self.train_dataset)] for place in range(batch)]
        gradient = [[0.0] * len(row) for row in self.model.logits]
        loss = 0.0
        for record in records:
            for text, sign in self._signed_texts(record):
                ids = tokens_of(text)
                loss += (STRANGE_LOSS if not ids else -self.model.log_probability(ids) / len(CHOICES)) / batch
                for row, slope in zip(gradient, self.model.gradient(ids)):
                    for option, value in enumerate(slope):
                        row[option] += sign * value / batch
        return {"loss": loss, "grad_norm": self._step_optimizer(gradient)}

    def _signed_texts(self, record: dict[str, Any]) -> list[tuple[str, float]]:
        return [(_text(record.get("completion", record.get("text", record.get("messages")))), 1.0)]


class DPOTrainer(SFTTrainer):
    def _signed_texts(self, record: dict[str, Any]) -> list[tuple[str, float]]:
        return [(_text(record["chosen"]), 1.0), (_text(record["rejected"]), -1.0)]


class KTOTrainer(SFTTrainer):
    def _signed_texts(self, record: dict[str, Any]) -> list[tuple[str, float]]:
        return [(_text(record["completion"]), 1.0 if record["label"] else -1.0)]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "".join(message["content"] for message in value or [])
