#!/bin/sh
# Keeps one run on its box: the verifier (restarted when it dies) and the trainer (started once), whatever becomes of the console that
# launched it. Plain POSIX sh: no setsid, flock or GNU option, so that it runs on any box, macOS included.
#
#   supervise.sh run DIR [IDLE_SECONDS]   keeps the run until `stop`, or until nobody asked for it for IDLE_SECONDS after the trainer ended
#   supervise.sh train DIR [IDLE_SECONDS]     the same without the verifier, which answers elsewhere: DIR/verifier.json says where
#   supervise.sh collect DIR [IDLE_SECONDS]   the same without the trainer: for a console that still has evidence to fetch after a crash
#   supervise.sh status DIR               prints one JSON line: who lives, who ended and how, and whether the box was rebooted since
#   supervise.sh abort DIR [GRACE]        ends the trainer and all it started; the verifier stays, its evidence is still to be collected
#   supervise.sh stop DIR [GRACE]         ends everything
#   supervise.sh processes DIR            prints `PID START` of every living process of the run
#
# DIR/supervisor holds the commands (verifier.sh, trainer.sh: one `exec` each) and the state. Every state file is written beside its name and
# renamed, so a reader never sees half of one. An identity is `PID START`, where START tells a process from a later one with its number.
set -u

verb=${1:-}
dir=${2:-}
state=$dir/supervisor

main() {
  case $verb in
    run) supervise "${3:-1800}" with_trainer ;;
    train) supervise "${3:-1800}" trainer_only ;;
    collect) supervise "${3:-1800}" verifier_only ;;
    status) print_status ;;
    abort) end_trainer "${3:-5}" ;;
    stop) stop_all "${3:-5}" ;;
    processes) print_processes ;;
    *)
      echo "usage: supervise.sh run|train|collect|status|abort|stop|processes DIR" >&2
      return 2
      ;;
  esac
}

boot_id() {
  if [ -r /proc/sys/kernel/random/boot_id ]; then
    cat /proc/sys/kernel/random/boot_id
  else
    sysctl -n kern.bootsessionuuid 2>/dev/null || sysctl -n kern.boottime 2>/dev/null || echo unknown
  fi
}

# When process $1 started; nothing where it is gone or a zombie. Ticks where /proc has them: `ps` moves with the clock.
started_at() {
  if [ -r /proc/self/stat ]; then
    [ -r "/proc/$1/stat" ] || return 0
    # After the name, which may hold spaces and brackets: state is field 1, start is field 20.
    # shellcheck disable=SC2046
    set -- $(sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null)
    case ${1:-Z} in Z | X) return 0 ;; esac
    shift 19
    echo "ticks:$1"
  else
    # shellcheck disable=SC2046
    set -- $(LC_ALL=C TZ=UTC ps -o stat= -o lstart= -p "$1" 2>/dev/null)
    case ${1:-Z} in Z*) return 0 ;; esac
    shift
    echo "lstart:$*"
  fi
}

# Whether the process whose identity file $1 names is alive.
lives() {
  [ -r "$1" ] || return 1
  read -r lives_pid lives_start <"$1" || return 1
  [ -n "$lives_pid" ] && [ -n "$lives_start" ] && [ "$(started_at "$lives_pid")" = "$lives_start" ]
}

pid_in() {
  read -r pid_in_first _ <"$1" && echo "$pid_in_first"
}

# Replaces state file $1 by the one line $2, whole or not at all.
write() {
  echo "$2" >"$1.tmp.$$" && mv -f "$1.tmp.$$" "$1"
}

# The same for what must not be lost: on a full disk it waits for room.
write_surely() {
  until write "$1" "$2" 2>/dev/null; do
    going || return
    sleep 1
  done
}

identify() {
  echo "$1 $(started_at "$1")"
}

say() {
  echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) $*"
}

newest_lock() {
  newest=0
  for lock in "$state"/lock.*; do
    number=${lock##*.}
    case $number in '' | *[!0-9]*) continue ;; esac
    [ "$number" -gt "$newest" ] && newest=$number
  done
  echo "$newest"
}

# Takes the next generation of the lock. A hard link is made with its content or not at all, so two takeovers of a dead one cannot both win.
take_lock() {
  generation=$(newest_lock)
  if [ "$generation" -gt 0 ] && lives "$state/lock.$generation"; then return 1; fi
  identify $$ >"$state/owner.$$"
  ln "$state/owner.$$" "$state/lock.$((generation + 1))" 2>/dev/null
  taken=$?
  rm -f "$state/owner.$$"
  return $taken
}

supervise() {
  mkdir -p "$state" || return 1
  if ! take_lock; then
    echo "already supervised"
    return 0
  fi
  write_surely "$state/boot" "$(boot_id)"
  rm -f "$state/stop" "$state/ended"
  # A TERM to the whole group must not end the keepers before they have written how their children ended: all of them only note it.
  trap '' HUP
  trap ask_to_stop TERM INT
  say "supervising $dir as process $$"
  verifier_keeper=
  if [ "$2" != trainer_only ]; then
    keep_verifier &
    verifier_keeper=$!
  fi
  trainer_keeper=
  if [ "$2" != verifier_only ] && [ ! -e "$state/trainer.exit" ]; then
    keep_trainer &
    trainer_keeper=$!
  fi
  watch "$1" "$trainer_keeper"
  ask_to_stop
  end_trainer 5
  end_verifier 5
  [ -z "$trainer_keeper" ] || wait "$trainer_keeper"
  [ -z "$verifier_keeper" ] || wait "$verifier_keeper"
  say "ended: $why"
  [ ! -d "$state" ] || write "$state/ended" "$why"
}

ask_to_stop() {
  [ ! -d "$state" ] || : >"$state/stop"
}

# A folder that was taken away is told to stop, too.
going() {
  [ -d "$state" ] && [ ! -e "$state/stop" ]
}

# Waits until told to stop. While the trainer lives it never gives up; after that the verifier is kept for a console to collect the evidence,
# but not for ever: the console writes something new into console-seen while it is there.
watch() {
  last_seen=
  idle_since=$(date +%s)
  while going; do
    sleep 1
    seen=$(cat "$state/console-seen" 2>/dev/null)
    if { [ -n "$2" ] && [ ! -e "$state/trainer.exit" ]; } || [ "$seen" != "$last_seen" ]; then
      last_seen=$seen
      idle_since=$(date +%s)
    elif [ $(($(date +%s) - idle_since)) -ge "$1" ]; then
      why=idle
      return
    fi
  done
  why=stopped
}

# The trainer's exit code for "something outside is in the way, a full disk say; start me again": EX_TEMPFAIL of sysexits.h.
again=75

keep_trainer() {
  trap : TERM INT
  # It blocks by itself on a verifier that is not there; waiting a little here only spares it a needless alarm at the start.
  tries=0
  while [ ! -e "$dir/verifier.json" ] && going && [ $tries -lt 300 ]; do
    nap
    tries=$((tries + 1))
  done
  pause=5
  code=
  while going; do
    sh "$state/trainer.sh" "$(verifier_url)" >>"$dir/trainer.log" 2>&1 </dev/null &
    child=$!
    write_surely "$state/trainer.pid" "$(identify $child)"
    say "trainer started as process $child"
    await $child
    if [ "$code" -ne $again ]; then break; fi
    say "trainer cannot go on for now, starting it again in $pause s"
    rest $pause
    pause=$((pause * 2))
    [ $pause -le 60 ] || pause=60
  done
  # Told to stop before it was ever started.
  [ -n "$code" ] || return 0
  write_surely "$state/trainer.exit" "$code $(date -u +%Y-%m-%dT%H:%M:%SZ)"
  say "trainer ended with $code"
}

# Waits for child $1 itself: `wait` also returns when a trapped signal comes.
await() {
  while :; do
    wait "$1"
    code=$?
    [ -n "$(started_at "$1")" ] || return 0
  done
}

verifier_url() {
  sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$dir/verifier.json" 2>/dev/null | head -n 1
}

keep_verifier() {
  trap : TERM INT
  port=$(cat "$state/port" 2>/dev/null || echo 0)
  pause=1
  while going; do
    began=$(date +%s)
    rm -f "$state/verifier.out"
    sh "$state/verifier.sh" "$port" >"$state/verifier.out" 2>>"$dir/verifier.log" </dev/null &
    child=$!
    write_surely "$state/verifier.pid" "$(identify $child)"
    say "verifier started as process $child"
    announce $child
    await $child
    [ ! -d "$state" ] || echo "$code $(date -u +%Y-%m-%dT%H:%M:%SZ)" >>"$state/verifier.exits"
    going || return
    # A port that something else took meanwhile must not keep the verifier down: any free one will do, the trainer reads verifier.json anew.
    if [ ! -s "$state/verifier.out" ]; then port=0; fi
    if [ $(($(date +%s) - began)) -ge 60 ]; then pause=1; fi
    say "verifier ended with $code, starting it again in $pause s"
    rest $pause
    pause=$((pause * 2))
    [ $pause -le 30 ] || pause=30
  done
}

# Waits for the verifier's line on stdout and passes its address on.
announce() {
  while [ -n "$(started_at "$1")" ] && going; do
    url=$(sed -n 's/.*"listening".*"url":"\([^"]*\)".*/\1/p' "$state/verifier.out" 2>/dev/null | head -n 1)
    if [ -n "$url" ]; then
      port=${url##*:}
      port=${port%%/*}
      write "$state/port" "$port"
      write_surely "$dir/verifier.json" "{\"url\":\"$url\"}"
      say "verifier answers at $url"
      return
    fi
    nap
  done
}

# A fifth of a second where `sleep` takes fractions (nearly everywhere), else one.
nap() {
  sleep 0.2 2>/dev/null || sleep 1
}

rest() {
  left=$1
  while [ "$left" -gt 0 ] && going; do
    sleep 1
    left=$((left - 1))
  done
}

# `PID PARENT` of every process.
process_table() {
  if [ -r /proc/self/stat ]; then
    cat /proc/[0-9]*/stat 2>/dev/null | sed -n 's/^\([0-9]*\) (.*) [A-Za-z] \([0-9]*\) .*/\1 \2/p'
  else
    ps -A -o pid= -o ppid=
  fi
}

# $1 and all that descends from it, children first seen last.
family() {
  process_table | awk -v root="$1" '
    { parent[$1] = $2 }
    END {
      member[root] = 1
      do {
        grown = 0
        for (pid in parent) if (!(pid in member) && (parent[pid] in member)) { member[pid] = 1; grown = 1 }
      } while (grown)
      for (pid in member) print pid
    }'
}

# Waits until the process of identity file $1 is gone, at most $2 seconds.
wait_gone() {
  naps=$(($2 * 5))
  while [ $naps -gt 0 ] && lives "$1"; do
    nap
    naps=$((naps - 1))
  done
}

# Ends the process of identity file $1 with all that descends from it: TERM, up to $2 seconds, KILL.
end_family() {
  lives "$1" || return 0
  members=$(family "$(pid_in "$1")")
  # shellcheck disable=SC2086
  kill -TERM $members 2>/dev/null
  wait_gone "$1" "$2"
  # shellcheck disable=SC2086
  if lives "$1"; then kill -KILL $members $(family "$(pid_in "$1")") 2>/dev/null; fi
  wait_gone "$1" 5
  ! lives "$1"
}

end_trainer() {
  end_family "$state/trainer.pid" "$1"
  end_marked
}

# Processes that carry the run's mark in their environment: a child that left its family (a daemon, a session of its own) is still found by it.
# Exact, as a whole entry. Where there is no /proc, or its grep knows no -z, there is only the family.
marked() {
  LC_ALL=C grep -lazxF -e "RINGSIDE_RUN_FOLDER=$dir" /proc/[0-9]*/environ 2>/dev/null | sed 's|^/proc/\([0-9]*\)/.*|\1|'
}

end_marked() {
  naps=25
  # shellcheck disable=SC2046
  while [ $naps -gt 0 ] && [ -n "$(marked)" ]; do
    kill -KILL $(marked) 2>/dev/null
    nap
    naps=$((naps - 1))
  done
}

# The verifier alone first: it ends its sandboxes itself, and only it knows them all.
end_verifier() {
  lives "$state/verifier.pid" || return 0
  kill -TERM "$(pid_in "$state/verifier.pid")" 2>/dev/null
  wait_gone "$state/verifier.pid" "$1"
  end_family "$state/verifier.pid" 1
}

stop_all() {
  [ -d "$state" ] || return 0
  : >"$state/stop"
  owner=$state/lock.$(newest_lock)
  wait_gone "$owner" $(($1 * 2 + 5))
  # The supervisor was killed, or is stuck: end what it would have ended, then itself.
  end_trainer "$1"
  end_verifier "$1"
  end_family "$owner" 2
}

life() {
  if lives "$1"; then
    echo "{\"state\":\"alive\",\"pid\":$lives_pid,\"startedAt\":\"$lives_start\"}"
  elif [ -r "$1" ]; then
    read -r gone_pid gone_start <"$1"
    echo "{\"state\":\"gone\",\"pid\":${gone_pid:-0},\"startedAt\":\"${gone_start:-}\"}"
  else
    echo '{"state":"never","pid":null,"startedAt":null}'
  fi
}

print_status() {
  rebooted=false
  if [ -e "$state/boot" ] && [ "$(cat "$state/boot")" != "$(boot_id)" ]; then rebooted=true; fi
  trainer_exit=null
  if [ -r "$state/trainer.exit" ]; then read -r trainer_exit _ <"$state/trainer.exit"; fi
  restarts=0
  if [ -r "$state/verifier.exits" ]; then restarts=$(($(wc -l <"$state/verifier.exits"))); fi
  echo "{\"supervisor\":$(life "$state/lock.$(newest_lock)"),\"trainer\":$(life "$state/trainer.pid"),\"trainerExit\":$trainer_exit,\"verifier\":$(life "$state/verifier.pid"),\"verifierExits\":$restarts,\"rebooted\":$rebooted,\"ended\":\"$(cat "$state/ended" 2>/dev/null)\"}"
}

# Those with DIR as an argument of its own, and the marked ones; not this very call.
print_processes() {
  mine=" $(family $$ | tr '\n' ' ')"
  for found in $(
    if [ -r /proc/self/stat ]; then
      LC_ALL=C grep -lazxF -e "$dir" /proc/[0-9]*/cmdline 2>/dev/null | sed 's|^/proc/\([0-9]*\)/.*|\1|'
      marked
    else
      ps -A -ww -o pid= -o args= | awk -v dir="$dir" '{ pid = $1; $1 = ""; if (index($0 " ", " " dir " ")) print pid }'
    fi | sort -un
  ); do
    case $mine in *" $found "*) continue ;; esac
    start=$(started_at "$found")
    [ -z "$start" ] || echo "$found $start"
  done
}

main "$@"
exit
