"""The group-relative advantage, by the formula that TRL's GRPOTrainer uses with ``scale_rewards="group"``."""

from __future__ import annotations

import math
from typing import Sequence


class SilentReward(ValueError):
    """A group holds a reward that is not known: it has no baseline, and so no advantages."""


def advantages(rewards: Sequence[float | None]) -> list[float]:
    """(r − mean) ÷ (std + 1e-4) over one group, with the sample standard deviation (n − 1 below).

    Raises ``SilentReward`` where any reward is None: a mean over the others would let silence choose what is reinforced.
    """
    known = [reward for reward in rewards if reward is not None]
    if len(known) != len(rewards):
        raise SilentReward(f"{len(rewards) - len(known)} of {len(rewards)} rewards are not known")
    mean = sum(known) / len(known)
    deviation = math.sqrt(sum((reward - mean) ** 2 for reward in known) / (len(known) - 1)) if len(known) > 1 else 0.0
    return [(reward - mean) / (deviation + 1e-4) for reward in known]
