#!/bin/sh
# Starts the verifier in a container, from its environment. Everything that it keeps is under /data.
#   RINGSIDE_SUITE       the suite's folder; in the repository where one is named
#   RINGSIDE_REMOTE      a repository to read it from, at RINGSIDE_COMMIT (40 hex digits)
#   RINGSIDE_TOKEN_FILE  holds the bearer token; without it the service listens within its own pod only, where a port-forward reaches it
#   RINGSIDE_ISOLATION   the least level of isolation at which bodies are graded: sandbox, user, container or limits
#   RINGSIDE_WORKERS     slots
set -eu
# Where programs are given users of their own, those must not be able to read the suite.
if [ "$(id -u)" = 0 ]; then umask 077; mkdir -p /data/verifier; chmod 711 /data /data/verifier; fi
here=$(cd "$(dirname "$0")/../../.." && pwd)
suite=${RINGSIDE_SUITE:-$here/resources/demo/booking/repaired}
token=${RINGSIDE_TOKEN_FILE:-/run/ringside/token}
set -- --data /data/verifier --port "${RINGSIDE_PORT:-8080}" --workers "${RINGSIDE_WORKERS:-2}"
if [ -n "${RINGSIDE_REMOTE:-}" ]; then
  source=/data/source
  # A container that is started again in the same pod meets what the one before it left.
  rm -rf "$source"
  git clone --quiet --template= --no-checkout "$RINGSIDE_REMOTE" "$source"
  git -C "$source" checkout --quiet --detach "$RINGSIDE_COMMIT"
  suite=$source/$suite
  set -- "$@" --repo "$source" --commit "$RINGSIDE_COMMIT"
fi
if [ -e "$token" ]; then set -- "$@" --host 0.0.0.0 --token-file "$token"; fi
if [ -n "${RINGSIDE_ISOLATION:-}" ]; then set -- "$@" --isolation "$RINGSIDE_ISOLATION"; fi
exec node "$here/verifier.mjs" --suite "$suite" "$@"
