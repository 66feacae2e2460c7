"""The stand-in as a kit: see ``ringside_trainer.kit``."""

from __future__ import annotations

import json
import math
import platform
import random
import resource
import sys
from pathlib import Path
from typing import Any, Sequence

from ..kit import Draw, Policy
from ..run_spec import RunSpec
from . import base, grpo, supervised
from .policy import CHOICES, SoftmaxPolicy, Tokenizer


class StandInKit:
    label = "stand-in"
    GRPOTrainer, GRPOConfig = grpo.GRPOTrainer, grpo.GRPOConfig
    SFTTrainer, SFTConfig = supervised.SFTTrainer, supervised.SFTConfig
    DPOTrainer, DPOConfig = supervised.DPOTrainer, supervised.DPOConfig
    KTOTrainer, KTOConfig = supervised.KTOTrainer, supervised.KTOConfig
    TrainerCallback = base.TrainerCallback

    def versions(self) -> dict[str, str]:
        return {"trl": "stand-in", "python": platform.python_version()}

    def dataset(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return rows

    def prompt(self, text: str) -> str:
        return text

    def load(self, spec: RunSpec, adapter: Path | None) -> Policy:
        logits = None
        if adapter is not None:
            logits = json.loads((adapter / "adapter_model.json").read_text(encoding="utf-8"))["logits"]
        return Policy(SoftmaxPolicy(logits), Tokenizer(), None)

    def draw(self, policy: Policy, prompts: Sequence[Any], seeds: Sequence[int], longest: int) -> list[Draw]:
        draws = []
        for seed in seeds:
            ids = policy.model.sample(random.Random(f"evaluation/{seed}"), longest)
            draws.append(Draw(policy.tokenizer.decode(ids), len(ids), len(ids) >= longest))
        return draws

    def seed(self, seed: int) -> None:
        base.GENERATOR.seed(seed)

    def random_state(self) -> Any:
        return base.random_state()

    def restore_random_state(self, state: Any) -> None:
        base.restore_random_state(state)

    def snapshot(self, model: SoftmaxPolicy) -> list[list[float]]:
        return [list(row) for row in model.logits]

    def distance(self, model: SoftmaxPolicy, snapshot: list[list[float]]) -> float:
        return math.sqrt(sum((a - b) ** 2 for row, old in zip(model.logits, snapshot) for a, b in zip(row, old)))

    def devices(self) -> list[dict[str, Any]]:
        """This process's memory: it has no accelerator, and says nothing that it does not know."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return [{
            "name": "trainer process (RSS)", "usedBytes": None, "totalBytes": None, "reservedBytes": None, "peakBytes": peak,
            "utilisation": None, "temperatureC": None, "powerW": None,
        }]

    def reset_peaks(self) -> None:
        pass

    def measure_first(self, trainer: Any, spec: RunSpec, longest_prompt: Any) -> dict[str, Any]:
        """Pretends a device: a token costs 1 MiB while it is generated and 4 MiB in a pass, on 16 GiB."""
        limits, rows = spec.trainer.limits, spec.trainer.groups_per_step * spec.trainer.group_size
        tokens = limits.prompt_tokens + limits.completion_tokens
        return {
            "totalBytes": 16 * 2**30, "modelBytes": 8 * len(sum(CHOICES, [])), "optimizerBytes": 8 * len(sum(CHOICES, [])),
            "generateBytes": rows * tokens * 2**20 // 16, "updateBytes": limits.micro_batch * tokens * 4 * 2**20 // 8, "failed": None,
        }

    def arguments(self, stage: str, spec: RunSpec) -> dict[str, Any]:
        return {}

    def release(self) -> None:
        pass
