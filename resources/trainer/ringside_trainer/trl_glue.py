"""The one module that imports TRL, transformers, PEFT, datasets and PyTorch, and only after the self-check has passed.

It has been run on no GPU by its authors (see the README): everything that could be kept out of it is tested elsewhere against the stand-in.
"""

from __future__ import annotations

import base64
import gc
import os
import platform
import random
import subprocess
from pathlib import Path
from typing import Any, Sequence

from . import self_check
from .gates import GateFailed
from .kit import Draw, Kit, Policy
from .run_spec import RunSpec, batch_rows

OUT_OF_MEMORY_TRIES = 4
"""How often a measurement that runs out of memory is tried again at half the sequences; its result is then scaled up."""


class NotUsable(Exception):
    """The training library is missing or another one; the message is one line and says what to do."""


def load_kit(spec: RunSpec) -> Kit:
    """Raises ``NotUsable``."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
    remedy = "; run python3 -m ringside_trainer.bootstrap on this box"
    problems = self_check.version_problems(self_check.locked())
    if problems:
        raise NotUsable("; ".join(problems) + remedy)
    try:
        import datasets, peft, torch, transformers, trl  # noqa: E401 - together or not at all
        return TrlKit(trl, transformers, peft, datasets, torch, spec)
    except ImportError as problem:
        raise NotUsable(f"{problem}{remedy}") from problem
    except OSError as problem:
        base = (spec.trainer.model or {}).get("base")
        raise NotUsable(f"the base model {base} cannot be read: {str(problem).splitlines()[0]}") from problem


class TrlKit:
    label = "trl"

    def __init__(self, trl: Any, transformers: Any, peft: Any, datasets: Any, torch: Any, spec: RunSpec) -> None:
        self._trl, self._transformers, self._peft, self._datasets, self._torch = trl, transformers, peft, datasets, torch
        names = ("GRPOTrainer", "GRPOConfig", "SFTTrainer", "SFTConfig", "DPOTrainer", "DPOConfig", "KTOTrainer", "KTOConfig")
        classes = {name: getattr(trl, name, None) for name in names}
        classes["TrainerCallback"] = transformers.TrainerCallback
        problems = self_check.hook_problems({name: cls for name, cls in classes.items() if cls is not None})
        if problems:
            raise NotUsable(f"TRL is not the one that this trainer was written against: {'; '.join(problems)}")
        for name, cls in classes.items():
            setattr(self, name, cls)
        model = spec.trainer.model or {}
        self._base, self._revision = model["base"], model.get("revision")
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(self._base, revision=self._revision, padding_side="left")
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._cuda = torch.cuda.is_available()

    def versions(self) -> dict[str, str]:
        modules = (self._trl, self._transformers, self._peft, self._datasets, self._torch)
        found = {module.__name__: str(module.__version__) for module in modules}
        rest = {"python": platform.python_version(), "cuda": str(self._torch.version.cuda), "base": f"{self._base}@{self._revision}"}
        return {**found, **rest}

    def dataset(self, rows: list[dict[str, Any]]) -> Any:
        return self._datasets.Dataset.from_list(rows)

    def prompt(self, text: str) -> Any:
        return [{"role": "user", "content": text}] if self._tokenizer.chat_template else text

    def load(self, spec: RunSpec, adapter: Path | None) -> Policy:
        torch, lora = self._torch, spec.trainer.lora
        model = self._transformers.AutoModelForCausalLM.from_pretrained(
            self._base, revision=self._revision, dtype=torch.bfloat16 if self._cuda else torch.float32)
        if self._cuda:
            model = model.to(f"cuda:{int(os.environ.get('LOCAL_RANK', '0'))}")
        if adapter is not None:
            return Policy(self._peft.PeftModel.from_pretrained(model, str(adapter), is_trainable=True), self._tokenizer, None)
        config = self._peft.LoraConfig(
            r=lora.rank, lora_alpha=lora.alpha, lora_dropout=lora.dropout, target_modules=lora.targets or "all-linear",
            task_type="CAUSAL_LM")
        return Policy(model, self._tokenizer, config)

    def draw(self, policy: Policy, prompts: Sequence[Any], seeds: Sequence[int], longest: int) -> list[Draw]:
        """All at once; the seed of the first draw seeds the whole batch, whose bounds are the same for every policy."""
        torch = self._torch
        texts = [prompt if isinstance(prompt, str)
                 else self._tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False) for prompt in prompts]
        inputs = self._tokenizer(texts, return_tensors="pt", padding=True, add_special_tokens=isinstance(prompts[0], str))
        inputs = inputs.to(policy.model.device)
        policy.model.eval()
        self.seed(seeds[0])
        with torch.no_grad():
            output = policy.model.generate(
                **inputs, do_sample=True, temperature=1.0, top_p=1.0, top_k=0, max_new_tokens=longest,
                pad_token_id=self._tokenizer.pad_token_id)
        draws = []
        for row in output[:, inputs["input_ids"].shape[1]:].tolist():
            ended = self._tokenizer.eos_token_id in row
            ids = row[: row.index(self._tokenizer.eos_token_id) + 1] if ended else row
            draws.append(Draw(self._tokenizer.decode(ids, skip_special_tokens=True), len(ids), not ended))
        return draws

    def seed(self, seed: int) -> None:
        self._transformers.set_seed(seed)

    def random_state(self) -> Any:
        import numpy
        kind, words, place, has_gauss, gauss = numpy.random.get_state()
        version, state, next_gauss = random.getstate()
        return {
            "python": [version, list(state), next_gauss], "numpy": [kind, words.tolist(), place, has_gauss, gauss],
            "torch": _encode(self._torch.get_rng_state()), "cuda": _encode(self._torch.cuda.get_rng_state()) if self._cuda else None,
        }

    def restore_random_state(self, state: Any) -> None:
        import numpy
        version, words, next_gauss = state["python"]
        random.setstate((version, tuple(words), next_gauss))
        kind, words, place, has_gauss, gauss = state["numpy"]
        numpy.random.set_state((kind, numpy.array(words, dtype="uint32"), place, has_gauss, gauss))
        self._torch.set_rng_state(self._decode(state["torch"]))
        if state["cuda"] is not None:
            self._torch.cuda.set_rng_state(self._decode(state["cuda"]))

    def _decode(self, text: str) -> Any:
        return self._torch.frombuffer(bytearray(base64.b64decode(text)), dtype=self._torch.uint8)

    def _trainable(self, model: Any) -> list[tuple[str, Any]]:
        return sorted((name, value) for name, value in model.named_parameters() if value.requires_grad)

    def snapshot(self, model: Any) -> dict[str, Any]:
        return {name: value.detach().clone() for name, value in self._trainable(model)}

    def distance(self, model: Any, snapshot: dict[str, Any]) -> float:
        total = sum(float((value.detach().float() - snapshot[name].float()).pow(2).sum()) for name, value in self._trainable(model))
        return total ** 0.5

    def devices(self) -> list[dict[str, Any]]:
        cuda, told = self._torch.cuda, _nvidia_smi()
        if not self._cuda:
            return []
        devices = []
        for index in range(cuda.device_count()):
            free, total = cuda.mem_get_info(index)
            utilisation, temperature, power = told.get(index, (None, None, None))
            devices.append({
                "name": f"{index}: {cuda.get_device_name(index)}", "usedBytes": total - free, "totalBytes": total,
                "reservedBytes": cuda.memory_reserved(index), "peakBytes": cuda.max_memory_allocated(index),
                "utilisation": utilisation, "temperatureC": temperature, "powerW": power,
            })
        return devices

    def reset_peaks(self) -> None:
        if self._cuda:
            self._torch.cuda.reset_peak_memory_stats()

    def measure_first(self, trainer: Any, spec: RunSpec, longest_prompt: Any) -> dict[str, Any]:
        """Generates the longest prompt at full completion length for all rows of a step on this process, then one pass of a micro-batch.

        No optimizer step is made: its state is counted (two numbers of 4 bytes a trainable parameter). Generators are put back.
        """
        limits, before = spec.trainer.limits, self.random_state()
        prompt = self._length(longest_prompt)
        if prompt > limits.prompt_tokens:
            told = f"The longest prompt has {prompt} tokens, limits.promptTokens allows {limits.prompt_tokens}."
            raise GateFailed("prompt_too_long", told, {"tokens": prompt, "limit": limits.prompt_tokens})
        model = trainer.accelerator.unwrap_model(trainer.model)
        trainable = sum(value.numel() for _, value in self._trainable(model))
        if not self._cuda:
            total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
            return {
                "totalBytes": total, "modelBytes": 0, "optimizerBytes": 8 * trainable, "generateBytes": 0, "updateBytes": 0, "failed": None,
            }
        self._torch.cuda.empty_cache()
        kept = self._torch.cuda.memory_allocated()
        failed: list[str] = []
        generate = 0 if spec.trainer.vllm_server else self._peak(
            "generate", batch_rows(spec.trainer), kept, lambda rows: self._generate(model, rows, prompt, limits), failed)
        micro = min(limits.micro_batch, batch_rows(spec.trainer))
        update = self._peak("update", micro, kept, lambda rows: self._pass(trainer, model, rows, prompt, limits), failed)
        self.restore_random_state(before)
        return {
            "totalBytes": self._torch.cuda.mem_get_info()[1], "modelBytes": kept, "optimizerBytes": 8 * trainable,
            "generateBytes": generate, "updateBytes": update, "failed": failed[0] if failed else None,
        }

    def _peak(self, name: str, rows: int, kept: int, work: Any, failed: list[str]) -> int:
        """Bytes beyond ``kept`` at the worst moment; at half the rows and scaled up where the whole runs out of memory."""
        cuda = self._torch.cuda
        for attempt in range(OUT_OF_MEMORY_TRIES):
            cuda.reset_peak_memory_stats()
            try:
                work(max(1, rows >> attempt))
                return int((cuda.max_memory_allocated() - kept) * rows / max(1, rows >> attempt))
            except cuda.OutOfMemoryError:
                failed.append(name)
            finally:
                gc.collect()
                cuda.empty_cache()
        return cuda.mem_get_info()[1] * 2

    def _length(self, prompt: Any) -> int:
        """Tokens of a prompt as the trainer sees it, its template included."""
        if isinstance(prompt, str):
            return len(self._tokenizer(prompt)["input_ids"])
        text = self._tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False)
        return len(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def _tokens(self, rows: int, length: int, device: Any) -> Any:
        return self._torch.randint(10, len(self._tokenizer) - 1, (rows, length), device=device)

    def _generate(self, model: Any, rows: int, prompt: int, limits: Any) -> None:
        ids = self._tokens(rows, prompt, model.device)
        with self._torch.no_grad():
            model.generate(
                input_ids=ids, attention_mask=self._torch.ones_like(ids), do_sample=True, min_new_tokens=limits.completion_tokens,
                max_new_tokens=limits.completion_tokens, pad_token_id=self._tokenizer.pad_token_id)

    def _pass(self, trainer: Any, model: Any, rows: int, prompt: int, limits: Any) -> None:
        if trainer.args.gradient_checkpointing:
            model.gradient_checkpointing_enable()
        model.train()
        ids = self._tokens(rows, prompt + limits.completion_tokens, model.device)
        logits = model(input_ids=ids, attention_mask=self._torch.ones_like(ids), logits_to_keep=limits.completion_tokens + 1).logits
        chosen = self._torch.nn.functional.cross_entropy(logits[:, :-1].float().flatten(0, 1), ids[:, -limits.completion_tokens:].flatten())
        chosen.backward()
        model.zero_grad(set_to_none=True)

    def arguments(self, stage: str, spec: RunSpec) -> dict[str, Any]:
        limits = spec.trainer.limits
        # The library's own filter would replace a loss that is not finite by an average, and the gate would never see it.
        common = {
            "logging_steps": 1, "logging_nan_inf_filter": False, "save_strategy": "steps", "report_to": "none", "disable_tqdm": True,
            "bf16": self._cuda, "gradient_checkpointing": True, "lr_scheduler_type": "constant", "max_grad_norm": 1.0,
        }
        if stage == "grpo":
            server = spec.trainer.vllm_server
            served = {"use_vllm": True, "vllm_mode": "server", "vllm_server_base_url": server} if server else {"use_vllm": False}
            rewarded = {"beta": 0.0, "multi_objective_aggregation": "sum_then_normalize"}
            return {**common, **served, **rewarded, "temperature": 1.0, "log_completions": False}
        return {**common, "max_length": limits.prompt_tokens + limits.completion_tokens}

    def release(self) -> None:
        gc.collect()
        if self._cuda:
            self._torch.cuda.empty_cache()


def _encode(state: Any) -> str:
    return base64.b64encode(state.numpy().tobytes()).decode()


def _nvidia_smi() -> dict[Any, tuple[float | None, float | None, float | None]]:
    """(utilisation 0 to 1, °C, W) by device number; empty where the tool is not there or does not answer."""
    query = ["nvidia-smi", "--query-gpu=index,utilization.gpu,temperature.gpu,power.draw", "--format=csv,noheader,nounits"]
    try:
        text = subprocess.run(query, capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    found: dict[Any, tuple[float | None, float | None, float | None]] = {}
    for line in text.splitlines():
        index, *figures = [part.strip() for part in line.split(",")]
        utilisation, temperature, power = [_figure(figure) for figure in figures]
        found[int(index)] = (utilisation / 100 if utilisation is not None else None, temperature, power)
    return found


def _figure(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
