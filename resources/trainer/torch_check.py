"""``/usr/bin/python3 torch_check.py``: what of the TRL module needs PyTorch alone, run on a CPU with whatever PyTorch is there.

Debian's ``python3-torch`` (1.13) is enough. No TRL, no transformers, no GPU: a model of two layers stands for a language model. It checks

- that the state of all generators survives a trip through JSON, as a saved batch keeps it;
- that a run killed with SIGKILL right after a batch's tokens were saved, and one killed after a checkpoint, go on with the very tokens of an
  uninterrupted run, by hash, and end with the same parameters, optimizer and generators;
- how far parameters moved, and the two halves of the memory measurement, with a pretended device that runs out of memory.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

try:
    import numpy
    import torch
except ImportError as problem:
    sys.exit(f"torch_check.py: {problem}; Debian: apt install python3-torch, and run it with /usr/bin/python3")

from ringside_trainer.batches import Batch, Batches
from ringside_trainer.files import sha256
from ringside_trainer.run_spec import Limits
from ringside_trainer.trl_glue import TrlKit

STEPS, ROWS, LENGTH, WORDS = 5, 4, 12, 16


class Words:
    """As much of a tokenizer as the measurement asks for."""

    pad_token_id = 0

    def __len__(self) -> int:
        return WORDS


class Model(torch.nn.Module):
    """Next token from the last one; with the three calls of a language model that the memory measurement makes."""

    device = torch.device("cpu")

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = torch.nn.Embedding(WORDS, 8), torch.nn.Linear(8, WORDS)
        self.seen: list[tuple[int, ...]] = []

    def forward(self, input_ids, attention_mask=None, logits_to_keep=0):
        self.seen.append(tuple(input_ids.shape))
        return SimpleNamespace(logits=self.head(self.embed(input_ids))[:, -logits_to_keep:])

    def generate(self, input_ids, max_new_tokens, **_):
        self.seen.append((*input_ids.shape, max_new_tokens))
        for _ in range(max_new_tokens):
            logits = self.head(self.embed(input_ids[:, -1]))
            input_ids = torch.cat([input_ids, torch.multinomial(logits.softmax(-1), 1)], 1)
        return input_ids

    def gradient_checkpointing_enable(self) -> None:
        pass


def kit(cuda: Any = None) -> TrlKit:
    """The real kit with PyTorch and nothing else behind it."""
    made = TrlKit.__new__(TrlKit)
    made._torch, made._cuda = (torch if cuda is None else SimpleNamespace(**{**vars(torch), "cuda": cuda})), False
    made._tokenizer = Words()
    return made


def train(folder: Path, die: str) -> str:
    """The run's end, as a hash; ``die`` is ``STEP:tokens`` or ``STEP:checkpoint``, where the process ends itself."""
    made, batches, path = kit(), Batches(folder / "batches", 0), folder / "checkpoint.pt"
    torch.manual_seed(3), random.seed(3), numpy.random.seed(3)
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    parts, step = (model, optimizer, scheduler), 0
    if path.exists():
        saved = torch.load(path)
        step = saved["step"]
        for part, state in zip(parts, saved["parts"]):
            part.load_state_dict(state)
        made.restore_random_state(json.loads(saved["random"]))
    while step < STEPS:
        step += 1
        batch = batches.load(step)
        if batch is None:
            ids = model.generate(torch.zeros((ROWS, 1), dtype=torch.long), LENGTH).tolist()
            batch = Batch(ids, None, made.random_state())
            batches.save(step, batch)
        else:
            made.restore_random_state(batch.random_after)
        with open(folder / "tokens", "a", encoding="utf-8") as log:
            log.write(f"{step} {batch.tokens_sha256}\n")
        if die == f"{step}:tokens":
            os.kill(os.getpid(), signal.SIGKILL)
        # Dropout, shuffles and the like draw between sampling and the end of a step: a resumed run must draw the same.
        noise = torch.rand(1).item() + random.random() + numpy.random.rand()
        ids = torch.tensor(batch.completion_ids)
        loss = torch.nn.functional.cross_entropy(model(ids).logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()) * (1 + noise)
        optimizer.zero_grad(), loss.backward(), optimizer.step(), scheduler.step()
        torch.save({"step": step, "parts": [part.state_dict() for part in parts], "random": json.dumps(made.random_state())}, f"{path}.tmp")
        os.replace(f"{path}.tmp", path)
        batches.drop_through(step)
        if die == f"{step}:checkpoint":
            os.kill(os.getpid(), signal.SIGKILL)
    told = [[value.tolist() for value in model.state_dict().values()], scheduler.state_dict(), made.random_state(),
            [[value.tolist() if torch.is_tensor(value) else value for value in state.values()] for state in optimizer.state_dict()["state"].values()]]
    return sha256(json.dumps(told))


def check_resume(root: Path) -> None:
    def run(name: str, die: str = "-") -> tuple[int, str, list[str]]:
        folder = root / name
        folder.mkdir(exist_ok=True)
        done = subprocess.run([sys.executable, "-B", __file__, "--train", str(folder), die], capture_output=True, text=True)
        return done.returncode, done.stdout.strip() or done.stderr.strip(), (folder / "tokens").read_text().splitlines()

    code, whole, wanted = run("whole")
    assert code == 0 and len(wanted) == STEPS, whole
    for die in ("1:tokens", "3:tokens", "3:checkpoint", "5:tokens"):
        name = die.replace(":", "-")
        code, said, _ = run(name, die)
        assert code == -signal.SIGKILL, said
        code, end, tokens = run(name)
        assert (code, sorted(set(tokens)), end) == (0, wanted, whole), f"killed at {die}: {end}"
        print(f"killed at {die}: goes on with the same tokens, by hash, and ends in the same state")


def check_generators() -> None:
    made = kit()
    def draw() -> tuple[Any, ...]:
        return (random.random(), random.gauss(0, 1), numpy.random.rand(), numpy.random.randn(), torch.rand(2).tolist())

    draw()
    state = json.loads(json.dumps(made.random_state()))
    first = draw()
    made.restore_random_state(state)
    assert draw() == first
    print("generators of Python, NumPy and PyTorch survive JSON")


def check_distance() -> None:
    made, model = kit(), Model()
    before = made.snapshot(model)
    with torch.no_grad():
        model.head.bias += 0.5
    assert abs(made.distance(model, before) - 0.5 * WORDS ** 0.5) < 1e-6
    print("the parameters' way is measured")


def check_memory() -> None:
    """The measurement as it is for a device with room for two rows of four: halved until it fits, then scaled up."""
    class OutOfMemory(RuntimeError):
        pass

    peak = [0]

    def allocate(rows: int) -> None:
        if rows > 2:
            raise OutOfMemory
        peak[0] = 100 + rows * 10

    cuda = SimpleNamespace(reset_peak_memory_stats=lambda: None, max_memory_allocated=lambda: peak[0], OutOfMemoryError=OutOfMemory,
                           empty_cache=lambda: None)
    failed: list[str] = []
    assert (kit(cuda)._peak("generate", 4, 100, allocate, failed), failed) == (40, ["generate"])
    print("a measurement that runs out of memory is halved until it fits, and scaled up")
    made, model, limits = kit(), Model(), Limits(prompt_tokens=6, completion_tokens=5)
    made._generate(model, 3, 6, limits)
    made._pass(SimpleNamespace(args=SimpleNamespace(gradient_checkpointing=True)), model, 2, 6, limits)
    assert model.seen == [(3, 6, 5), (2, 11)], model.seen
    assert all(value.grad is None for value in model.parameters())
    print("the longest prompt is generated whole and passed once, and leaves no gradient")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--train"]:
        torch.set_num_threads(1)
        print(train(Path(sys.argv[2]), sys.argv[3]))
        sys.exit(0)
    print(f"PyTorch {torch.__version__}, Python {sys.version.split()[0]}")
    check_generators()
    check_distance()
    check_memory()
    with tempfile.TemporaryDirectory() as scratch:
        check_resume(Path(scratch))
    print("all of it holds")
