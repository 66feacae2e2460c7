"""The stand-in's language model: four tokens, each drawn by a softmax of its own, that together make a program."""

from __future__ import annotations

import math
import random
from typing import Sequence

CHOICES: list[list[str]] = [["python", "text"], ["half_open", "inclusive", "by_input"], ["zero", "one"]]
"""What each position decides: the fence's language, how a tie of an end and a start is ordered, and what the peak starts from."""

EOS = 0
_FIRST = [1 + sum(len(options) for options in CHOICES[:position]) for position in range(len(CHOICES))]

_KEYS = {"half_open": "(event[0], event[1])", "inclusive": "(event[0], -event[1])", "by_input": "event[0]"}

_PROGRAM = """def required_capacity(bookings):
    events = []
    for start, end in bookings:
        events.append((start, 1))
        events.append((end, -1))
    events.sort(key=lambda event: {key})
    peak = {base}
    active = 0
    for _, change in events:
        active += change
        peak = max(peak, active)
    return peak
"""


class Tokenizer:
    """Tokens are choices; a decoded completion is the program that they make."""

    eos_token_id = EOS
    pad_token_id = EOS

    def decode(self, ids: Sequence[int]) -> str:
        words = [_word(position, token) for position, token in enumerate(ids) if token != EOS]
        if len(words) < len(CHOICES):
            return "I would sort the bookings."
        fence, tie, base = words
        return f"```{fence}\n{_PROGRAM.format(key=_KEYS[tie], base=0 if base == 'zero' else 1)}```\n"

    def batch_decode(self, batch: Sequence[Sequence[int]], skip_special_tokens: bool = True) -> list[str]:
        return [self.decode(ids) for ids in batch]


def _word(position: int, token: int) -> str:
    return CHOICES[position][token - _FIRST[position]]


class SoftmaxPolicy:
    """``logits[position][option]``. ``training`` is what TRL asks a model about its mode."""

    def __init__(self, logits: list[list[float]] | None = None) -> None:
        self.logits = logits or [[0.0] * len(options) for options in CHOICES]
        self.training = False

    def probabilities(self, position: int) -> list[float]:
        row = self.logits[position]
        top = max(row)
        powers = [math.exp(value - top) for value in row]
        return [power / sum(powers) for power in powers]

    def sample(self, chance: random.Random, longest: int) -> list[int]:
        ids = []
        for position in range(len(CHOICES)):
            options = range(len(CHOICES[position]))
            ids.append(_FIRST[position] + chance.choices(options, self.probabilities(position))[0])
        return (ids + [EOS])[:longest]

    def log_probability(self, ids: Sequence[int]) -> float:
        return sum(math.log(self.probabilities(p)[token - _FIRST[p]]) for p, token in enumerate(ids) if token != EOS)

    def gradient(self, ids: Sequence[int]) -> list[list[float]]:
        """Of the log probability of ``ids`` by every logit: one-hot less the probabilities."""
        result = []
        for position, row in enumerate(self.logits):
            chances = self.probabilities(position)
            chosen = ids[position] - _FIRST[position] if position < len(ids) and ids[position] != EOS else None
            result.append([(float(option == chosen) - chances[option]) if chosen is not None else 0.0 for option in range(len(row))])
        return result

    def entropy(self) -> float:
        """Summed over the positions, in nats."""
        return -sum(chance * math.log(chance) for p in range(len(CHOICES)) for chance in self.probabilities(p) if chance > 0)
