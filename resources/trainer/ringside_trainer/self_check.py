"""Verifies before a run that the training library is the one that this package was written against, by version and by introspection.

A hook that is gone or changed would not fail: the reward would be computed otherwise, or an advantage given to another rollout.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib import metadata, resources
from typing import Any, Callable, Mapping

LOCK = resources.files(__package__).joinpath("requirements.lock")
"""Read as a resource: on a box the whole package is one archive."""


@dataclass(frozen=True)
class Hook:
    """``owner.method`` must take exactly these parameters first, and its source must hold the fragments that state a relied-on fact."""

    owner: str
    method: str
    parameters: tuple[str, ...]
    fragments: tuple[str, ...] = ()


HOOKS = (
    Hook("GRPOTrainer", "_generate_single_turn", ("self", "prompt_ids", "images", "multimodal_fields"), (
        "return completion_ids, logprobs",)),
    # Scored before the shuffle, once a generation batch, advantages of all processes beside the columns of the reward function.
    Hook("GRPOTrainer", "_prepare_inputs", ("self", "generation_batch"), ("_buffered_inputs is None", "_generate_and_score_completions(")),
    # The rows that it is given are all that it goes by, so that a step's tasks can be put into them.
    Hook("GRPOTrainer", "_generate_and_score_completions", ("self", "inputs"), (
        'prompts = [x["prompt"] for x in inputs]',
        '_logs["advantages"].extend(', '_logs["extra"][column].extend(', "std_rewards + 1e-4", "rewards - mean_grouped_rewards")),
    Hook("GRPOTrainer", "_calculate_rewards", ("self", "inputs", "prompts", "completions", "completion_ids_list"), (
        '"trainer_state"', '"log_extra"', '"log_metric"', "completion_ids=completion_ids_list")),
    Hook("GRPOTrainer", "log", ("self", "logs")),
    Hook("TrainerCallback", "on_step_begin", ("self", "args", "state", "control")),
    Hook("TrainerCallback", "on_step_end", ("self", "args", "state", "control")),
    Hook("TrainerCallback", "on_log", ("self", "args", "state", "control")),
    Hook("TrainerCallback", "on_save", ("self", "args", "state", "control")),
)

CONFIGURED = {
    "GRPOConfig": (
        "output_dir", "learning_rate", "per_device_train_batch_size", "gradient_accumulation_steps", "num_generations", "num_iterations",
        "max_completion_length", "max_steps", "save_steps", "seed", "shuffle_dataset", "scale_rewards", "logging_nan_inf_filter"),
    "SFTConfig": ("output_dir", "num_train_epochs", "max_steps", "max_length", "logging_nan_inf_filter"),
    "DPOConfig": ("output_dir", "num_train_epochs", "max_steps", "max_length"),
    "KTOConfig": ("output_dir", "num_train_epochs", "max_steps", "max_length"),
}


def locked() -> dict[str, str]:
    """Version by package name."""
    lines = [line.split("#")[0].strip() for line in LOCK.read_text(encoding="utf-8").splitlines()]
    return dict(line.split("==", 1) for line in lines if line)


def version_problems(lock: Mapping[str, str], installed: Callable[[str], str] = metadata.version) -> list[str]:
    """One line for each package that is missing or of another version. A local build tag (2.11.0+cu128) is the same version."""
    problems = []
    for name, wanted in lock.items():
        try:
            found = installed(name)
        except metadata.PackageNotFoundError:
            problems.append(f"{name} {wanted} is not installed")
            continue
        if found.split("+")[0] != wanted:
            problems.append(f"{name} is {found}, the lock has {wanted}")
    return problems


def installed_classes() -> dict[str, Any]:
    """The classes that ``hook_problems`` looks at, of the library that is installed; imports it."""
    import transformers
    import trl
    names = ("GRPOTrainer", *CONFIGURED)
    return {**{name: getattr(trl, name) for name in names if hasattr(trl, name)}, "TrainerCallback": transformers.TrainerCallback}


def hook_problems(classes: Mapping[str, Any]) -> list[str]:
    """One line for each hook that is not as it was read."""
    problems = []
    for hook in HOOKS:
        method = getattr(classes.get(hook.owner), hook.method, None)
        if method is None:
            problems.append(f"{hook.owner}.{hook.method} is gone")
            continue
        found = tuple(inspect.signature(inspect.unwrap(method)).parameters)[: len(hook.parameters)]
        if found != hook.parameters:
            problems.append(f"{hook.owner}.{hook.method} takes {', '.join(found)} instead of {', '.join(hook.parameters)}")
            continue
        source = inspect.getsource(inspect.unwrap(method))
        missing = [fragment for fragment in hook.fragments if fragment not in source]
        if missing:
            problems.append(f"{hook.owner}.{hook.method} no longer holds {missing[0]!r}")
    for name, fields in CONFIGURED.items():
        known = inspect.signature(classes[name].__init__).parameters if name in classes else {}
        problems += [f"{name} has no {field}" for field in fields if field not in known]
    return problems
