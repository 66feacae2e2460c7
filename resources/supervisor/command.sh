#!/bin/sh
# Runs any command as a run's trainer, on any box: POSIX sh and no more.
#
#   command.sh RUN_DIR own|none COMMAND ARGUMENT… URL
#
# The command finds in its environment: RINGSIDE_RUN_FOLDER (spec.json, control.json), RINGSIDE_VERIFIER (the address of its verifier; what stands
# in RINGSIDE_VERIFIER_FILE may be newer) and RINGSIDE_TOKEN_FILE (what to send as a bearer token). With `own` it writes the run's events.jsonl
# itself. With `none` this script writes its beginning and its end, so that the console knows of them; what the command prints is the trainer's log.
set -u

dir=$1
journal=$2
shift 2
# The supervisor adds the address as the last argument.
count=$#
address=
while [ "$count" -gt 0 ]; do
  word=$1
  shift
  if [ "$count" -gt 1 ]; then set -- "$@" "$word"; else address=$word; fi
  count=$((count - 1))
done

events=$dir/events.jsonl
RINGSIDE_RUN_FOLDER=$dir
RINGSIDE_VERIFIER=$address
RINGSIDE_VERIFIER_FILE=$dir/verifier.json
RINGSIDE_TOKEN_FILE=$dir/supervisor/token
export RINGSIDE_RUN_FOLDER RINGSIDE_VERIFIER RINGSIDE_VERIFIER_FILE RINGSIDE_TOKEN_FILE

now() {
  date -u +%Y-%m-%dT%H:%M:%SZ
}

sum() {
  (sha256sum || shasum -a 256) 2>/dev/null | cut -c 1-64
}

write() { # seq fields
  run=$(sed -n 's/.*"run":"\(r-[a-z0-9-]*\)".*/\1/p' "$dir/spec.json")
  # Never by echo, which reads backslashes in what it is to write.
  printf '%s\n' "{\"v\":1,\"seq\":$1,\"at\":\"$(now)\",\"run\":\"$run\",$2}" >>"$events"
}

begin() {
  spec=$(tr -d '\n' <"$dir/spec.json")
  hash=$(tr -d '\n' <"$dir/spec.json" | sum)
  seed=$(sed -n 's/.*"seed":\([0-9]*\).*/\1/p' "$dir/spec.json")
  host=$(uname -n | tr -dc 'A-Za-z0-9._-')
  write 0 "\"type\":\"run.started\",\"spec\":$spec,\"specSha256\":\"$hash\",\"host\":\"$host\",\"versions\":{\"command\":\"1\"},\"seed\":$seed"
}

# How it ended: by its own will, by the operator's, or not well.
finish() {
  case $1 in
    0) outcome=completed reason=null ;;
    *) outcome=failed reason="\"the command ended with $1\"" ;;
  esac
  [ -z "$told" ] || { outcome=stopped reason='"ended by the operator"'; }
  write "$(($(wc -l <"$events")))" "\"type\":\"run.finished\",\"outcome\":\"$outcome\",\"reason\":$reason"
}

told=
trap 'told=yes; kill -TERM "$child" 2>/dev/null' TERM INT
[ "$journal" = own ] || [ -s "$events" ] || begin
"$@" </dev/null &
child=$!
while :; do
  wait "$child"
  code=$?
  kill -0 "$child" 2>/dev/null || break
done
# 75 asks the supervisor for another start: then it has not ended.
[ "$journal" = own ] || [ "$code" -eq 75 ] || finish "$code"
exit "$code"
