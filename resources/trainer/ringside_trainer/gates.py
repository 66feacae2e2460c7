"""What must hold for a stage to go on. A gate stops the run before the next stage; the last good adapter stays the one in use."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Mapping


class GateFailed(Exception):
    """A stage's figures say that it must not go on. ``code`` is stable; the text is for the operator."""

    def __init__(self, code: str, text: str, evidence: Mapping[str, object]) -> None:
        super().__init__(text)
        self.code, self.text, self.evidence = code, text, dict(evidence)


@dataclass
class LossGate:
    """Refuses a first loss far above what a language model that knows its own template starts with.

    ``first_limit`` is in nats a token. Uniform guessing over 32,000 tokens is 10.4, so a first loss above 6 means that the model does not
    recognise what it is shown: a wrong template, a wrong tokenizer, a wrong adapter. Later losses may not exceed ``later_factor`` times
    the first.
    """

    first_limit: float = 6.0
    later_factor: float = 3.0
    _first: float | None = None

    def see(self, step: int, loss: float | None) -> None:
        if loss is None:
            return
        if not math.isfinite(loss):
            raise GateFailed("loss_not_finite", f"The loss of step {step} is {loss}.", {"step": step})
        if self._first is None:
            self._first = loss
            if loss > self.first_limit:
                raise GateFailed(
                    "first_loss_jump",
                    f"The first loss is {loss:.2f}, above {self.first_limit:.2f}: the data does not fit the model or its template.",
                    {"step": step, "loss": loss, "limit": self.first_limit},
                )
        elif loss > self.later_factor * max(self._first, 0.1):
            raise GateFailed(
                "loss_diverged",
                f"The loss rose from {self._first:.2f} to {loss:.2f}.",
                {"step": step, "loss": loss, "first": self._first},
            )


@dataclass
class GradientGate:
    """Refuses a gradient norm that is not finite, from the first step on, or above ``limit``."""

    limit: float = 1e4

    def see(self, step: int, norm: float | None) -> None:
        if norm is None:
            return
        if not math.isfinite(norm):
            raise GateFailed("gradient_not_finite", f"The gradient norm of step {step} is {norm}.", {"step": step})
        if norm > self.limit:
            raise GateFailed(
                "gradient_exploded", f"The gradient norm of step {step} is {norm:.3g}.", {"step": step, "norm": norm, "limit": self.limit}
            )
