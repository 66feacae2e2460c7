"""Memory first: the worst step is run once under measurement before step 1, so that a run that would not fit says so at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .context import Context
from .gates import GateFailed
from .run_spec import Trainer


@dataclass(frozen=True)
class Verdict:
    """``headroom`` is what stays free at the worst moment, less the reserve; negative: so much is missing. In bytes."""

    peak: int
    total: int
    headroom: int
    worst: str
    knobs: list[str]

    @property
    def fits(self) -> bool:
        return self.headroom >= 0


def judge(measured: dict[str, Any], trainer: Trainer) -> Verdict:
    """``generateBytes`` and ``updateBytes`` are peaks of their phases beyond model and optimizer; see ``Kit.measure_first``."""
    kept = measured["modelBytes"] + measured["optimizerBytes"]
    generate, update = measured["generateBytes"], measured["updateBytes"]
    worst = "generate" if generate >= update else "update"
    peak = kept + max(generate, update)
    headroom = measured["totalBytes"] - trainer.limits.reserve_bytes - peak
    return Verdict(peak, measured["totalBytes"], headroom, worst, [] if headroom >= 0 else knobs(measured, trainer, -headroom))


def knobs(measured: dict[str, Any], trainer: Trainer, missing: int) -> list[str]:
    """What helps, most first, each with an estimate. Both peaks grow with the tokens of a sequence and the sequences at one time."""
    limits = trainer.limits
    tokens = limits.prompt_tokens + limits.completion_tokens
    generate, update = measured["generateBytes"], measured["updateBytes"]
    worst = max(generate, update)
    kept = measured["modelBytes"] + measured["optimizerBytes"]

    def saved(new_generate: float, new_update: float) -> int:
        return int(worst - max(new_generate, new_update))

    options = [
        (f"limits.completionTokens {limits.completion_tokens} → {limits.completion_tokens // 2}",
         saved(generate * (tokens - limits.completion_tokens / 2) / tokens, update * (tokens - limits.completion_tokens / 2) / tokens)),
        (f"limits.promptTokens {limits.prompt_tokens} → {limits.prompt_tokens // 2}",
         saved(generate * (tokens - limits.prompt_tokens / 2) / tokens, update * (tokens - limits.prompt_tokens / 2) / tokens)),
    ]
    if trainer.group_size > 2:
        options.append((f"groupSize {trainer.group_size} → {trainer.group_size // 2}", saved(generate / 2, update)))
    if trainer.groups_per_step > 1:
        options.append((f"groupsPerStep {trainer.groups_per_step} → {trainer.groups_per_step // 2}", saved(generate / 2, update)))
    if limits.micro_batch > 1:
        options.append((f"limits.microBatch {limits.micro_batch} → {limits.micro_batch // 2}", saved(generate, update / 2)))
    if trainer.vllm_server is None:
        options.append(("vllmServer on another device takes the sampling (its KV cache) away", saved(0, update)))
    told = [f"{name} gives back about {gib(size)}{', enough' if size >= missing else ''}"
            for name, size in sorted(options, key=lambda option: -option[1]) if size > 0]
    if kept + trainer.limits.reserve_bytes > measured["totalBytes"]:
        told.append(f"the model alone needs {gib(kept)}: take a smaller or a quantised one")
    return told


def measure_first(on: Context, trainer: Any) -> None:
    """Journals the peaks of both phases and the headroom. Raises ``GateFailed`` where the run would not fit."""
    longest = max((task["prompt"] for task in on.tasks), key=len)
    measured = on.kit.measure_first(trainer, on.spec, on.kit.prompt(longest))
    if not on.ranks.leads:
        return
    verdict = judge(measured, on.spec.trainer)
    evidence = {**measured, "headroomBytes": verdict.headroom, "worst": verdict.worst, "knobs": verdict.knobs, "once": "memory"}
    if not verdict.fits:
        told = f"The run would not fit: {gib(-verdict.headroom)} are missing while it would {verdict.worst}. What helps: "
        raise GateFailed("memory_does_not_fit", told + "; ".join(verdict.knobs or ["a device with more memory"]) + ".", evidence)
    text = f"The longest prompt at full length peaks at {gib(verdict.peak)} of {gib(verdict.total)}; {gib(verdict.headroom)} stay free."
    on.journal.write("alert", code="memory_first", level="info", text=text, evidence=evidence)


def gib(size: float) -> str:
    return f"{size / 2**30:.2f} GiB"
