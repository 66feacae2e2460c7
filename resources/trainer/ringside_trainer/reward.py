"""One composite reward for a completion: the tests, and shaping that can never outweigh them."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import Any, Callable, Sequence

from .grades import is_graded

Components = dict[str, "float | None"]
Shaper = Callable[[dict[str, Any], str], float]
"""Takes a reply line and the completion's text, gives a number from 0 to 1."""

LENGTH_CHARACTERS = 4000
"""Where the ``length`` shaping reaches zero."""


def format_reward(line: dict[str, Any], completion: str) -> float:
    """1 where exactly one block of code in the suite's language could be taken from the completion."""
    extraction = line.get("extraction")
    return 1.0 if extraction is not None and extraction["outcome"] == "body" else 0.0


def length_reward(longest: int) -> Shaper:
    """1 for an empty completion, falling to 0 at ``longest`` characters and beyond."""

    def reward(_line: dict[str, Any], completion: str) -> float:
        return max(0.0, 1.0 - len(completion) / longest)

    return reward


@dataclass
class CompositeReward:
    """``tests`` with weight 1, plus weighted shaping.

    ``cap`` bounds the sum of the shaping weights, as a share of the tests' range of 1: more is refused at once, since a policy would be
    trained on manners.
    """

    shaping: dict[str, tuple[float, Shaper]] = field(default_factory=dict)
    cap: float = 0.2

    def __post_init__(self) -> None:
        total = sum(abs(weight) for weight, _ in self.shaping.values())
        if total > self.cap:
            raise ValueError(f"shaping weighs {total:g} of the tests' range, more than the cap of {self.cap:g}; lower its weights")

    def components(self, line: dict[str, Any], completion: str) -> Components:
        """Contributions by name. A silent grade makes **every** one None: shaping alone would train through an outage."""
        if not is_graded(line):
            return {"tests": None, **{name: None for name in self.shaping}}
        shaped = {name: weight * make(line, completion) for name, (weight, make) in self.shaping.items()}
        return {"tests": float(line["reward"]), **shaped}

    @staticmethod
    def total(components: Components) -> float | None:
        """The sum, or None where any part is not known."""
        known = [value for value in components.values() if value is not None]
        return sum(known) if len(known) == len(components) else None


def shaped(weights: dict[str, float]) -> CompositeReward:
    """The reward with shaping by name, as a spec has it. Raises ``ValueError`` for a name that is not known, or weights above the cap."""
    makers = {"format": format_reward, "length": length_reward(LENGTH_CHARACTERS)}
    unknown = [name for name in weights if name not in makers]
    if unknown:
        raise ValueError(f"trainer.shaping has {unknown[0]!r}; known are {', '.join(makers)}")
    return CompositeReward({name: (weight, makers[name]) for name, weight in weights.items()})


def shaping_outweighs(rows: Sequence[Components]) -> dict[str, float] | None:
    """The spreads of tests and of shaping over a step where shaping's is the larger, else None.

    Such a step's gradient is mostly about manners. Rows with an unknown part are left out; fewer than two rows have no spread.
    """
    known = [
        {name: value for name, value in row.items() if value is not None}
        for row in rows
        if all(value is not None for value in row.values())
    ]
    if len(known) < 2:
        return None
    tests = statistics.stdev(row["tests"] for row in known)
    shaping = statistics.stdev(sum(value for name, value in row.items() if name != "tests") for row in known)
    return {"tests": tests, "shaping": shaping} if shaping > tests else None
