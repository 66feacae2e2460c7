#!/bin/sh
# Runs the whole trainer on a GPU box with a small model and prints what it verified.
#
#   acceptance.sh --model FOLDER --work FOLDER [--wheels FOLDER] [--node NODE]
#   acceptance.sh --stand-in --work FOLDER [--node NODE]      the same steps with the toy policy, to try this script itself
#
# FOLDER of --model holds an instruction-tuned model of 0.5 to 1.5 B parameters. --work takes the environment, the runs and their logs. Needs
# Node 24 or later for the verifier (--node, else the project's own, else node).
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
model='' work='' wheels='' node='' backend=trl
while [ $# -gt 0 ]; do
  case $1 in
    --model) model=$2; shift 2 ;;
    --work) work=$2; shift 2 ;;
    --wheels) wheels=$2; shift 2 ;;
    --node) node=$2; shift 2 ;;
    --stand-in) backend=stand_in; shift ;;
    *) echo "acceptance.sh: unknown option $1" >&2; exit 2 ;;
  esac
done
[ -n "$work" ] || { echo "acceptance.sh: --work is needed" >&2; exit 2; }
[ -n "$model" ] || [ $backend = stand_in ] || { echo "acceptance.sh: --model is needed" >&2; exit 2; }
if [ -z "$node" ]; then
  if [ -x "$root/node_modules/.bin/node" ]; then node=$root/node_modules/.bin/node; else node=node; fi
fi
mkdir -p "$work"
rm -rf "$work/verifier"
work=$(CDPATH='' cd -- "$work" && pwd)
suite=$root/resources/demo/booking/weak
verifier= trainer=

finish() {
  code=$?
  [ -z "$trainer" ] || kill "$trainer" 2>/dev/null || true
  [ -z "$verifier" ] || kill "$verifier" 2>/dev/null || true
  wait 2>/dev/null || true
  if [ $code -eq 0 ]; then echo "== all of it holds"; else echo "== it ended with $code; logs are in $work" >&2; fi
}
trap finish EXIT
trap 'exit 130' INT TERM

step() { echo "== $*"; }

start_verifier() {
  : >"$work/verifier.out"
  "$node" "$root/resources/verifier/main.ts" --suite "$suite" --data "$work/verifier" --port "${port:-0}" >"$work/verifier.out" 2>>"$work/verifier.log" &
  verifier=$!
  until [ -s "$work/verifier.out" ]; do kill -0 "$verifier"; sleep 0.2; done
  url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$work/verifier.out")
  port=${url##*:}
}

stop_verifier() { kill -KILL "$verifier"; wait "$verifier" 2>/dev/null || true; verifier=; }

# A run folder $1 with a run whose id ends with $2, frozen like the console does it.
make_run() {
  # Each run has an id of its own, so that the verifier grades each anew.
  rm -rf "${work:?}/$1"
  mkdir -p "$work/$1"
  RUN_FOLDER=$work/$1 RUN_ID=r-20260101-$2 SUITE=$suite BACKEND=$backend MODEL=$model "$python" - <<'PYTHON'
import json, os
suite = json.load(open(os.path.join(os.environ["SUITE"], "suite.json")))
toy = os.environ["BACKEND"] == "stand_in"
trainer = {
    "kind": "pipeline", "backend": os.environ["BACKEND"], "seed": 7, "updates": 4, "groupSize": 4, "groupsPerStep": 2,
    "stages": [{"stage": "baseline"}, {"stage": "grpo"}, {"stage": "final_eval"}], "evalDraws": 16, "shaping": {"format": 0.1},
    "learningRate": 1.0 if toy else 1e-5, "paceMs": 400 if toy else 0, "model": None if toy else {"base": os.environ["MODEL"], "revision": None},
    "limits": {"promptTokens": 384, "completionTokens": 384, "microBatch": 4, "reserveBytes": 2**30},
}
spec = {
    "v": 1, "name": "acceptance", "run": os.environ["RUN_ID"], "box": {"kind": "local"}, "audit": None, "verifier": {"workers": 2}, "overrides": [],
    "suite": {"path": os.environ["SUITE"], "name": suite["name"], "version": suite["version"], "sha256": suite["sha256"]}, "trainer": trainer,
}
open(os.path.join(os.environ["RUN_FOLDER"], "spec.json"), "w").write(json.dumps(spec, sort_keys=True, separators=(",", ":")) + "\n")
PYTHON
}

start_trainer() {
  "$python" -B "$here/main.py" --run-dir "$work/$1" --verifier "$url" >>"$work/$1.log" 2>&1 &
  trainer=$!
}

end_trainer() {
  wait "$trainer" || { code=$?; trainer=; tail -n 3 "$work/$1.log" >&2; return $code; }
  trainer=
}

# Until the journal of run $1 has a line that matches $2.
await() {
  until grep -q "$2" "$work/$1/events.jsonl" 2>/dev/null; do kill -0 "$trainer"; sleep 0.05; done
}

verify() { (cd "$here" && "$python" -B -m ringside_trainer.verify_journal "$@"); }

if [ $backend = trl ]; then
  step "bootstrap: environment, locked packages, model, GPU, self-check of TRL"
  (cd "$here" && python3 -B -m ringside_trainer.bootstrap --home "$work" --model "$model" ${wheels:+--wheels "$wheels"})
  python=$work/venv/bin/python3
else
  python=python3
fi
"$python" --version

step "verifier"
start_verifier
echo "answers at $url"

step "a run that is left alone: baseline, GRPO, final evaluation"
make_run whole aaaaaa
start_trainer whole
end_trainer whole
verify "$work/whole"

step "the verifier is killed while a batch is graded, and comes back"
make_run outage bbbbbb
start_trainer outage
await outage '"type":"step.started","step":2,'
stop_verifier
await outage '"type":"verifier.blocked"'
start_verifier
end_trainer outage
verify "$work/outage" --like "$work/whole"

step "the trainer is killed after its second step, and started again"
make_run killed cccccc
start_trainer killed
await killed '"type":"step.finished","step":2,'
kill -KILL "$trainer"
wait "$trainer" 2>/dev/null || true
trainer=
start_trainer killed
end_trainer killed
verify "$work/killed" --like "$work/whole"

step "adapters"
"$python" -B "$here/adapters.py" --run-dir "$work/whole" list

if [ $backend = trl ]; then
  step "memory, as measured before the first step"
  grep '"code":"memory_first"' "$work/whole/events.jsonl" | sed 's/.*"text":"\([^"]*\)".*/\1/'
fi
