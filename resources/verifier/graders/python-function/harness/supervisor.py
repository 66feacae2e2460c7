COMMAND_FD, LOG_FD = 50, 52
# Most children end within a few milliseconds and write less than a pipe holds. To wait for their end alone saves a wake-up for each
# thing that they say; one that has more to say blocks on its pipe for this long and is then read as it writes.
QUIET = 0.03
CHILD_SIGNALS = (signal.SIGCHLD,)
ENDED = (1, 2, 3)  # CLD_EXITED, CLD_KILLED, CLD_DUMPED


def serve(setup, code, deadline):
    """Forks a child for each input in turn and says what became of it, until there is no more input."""
    renew, replies = Folder(setup).renew, Replies()
    while (given := receive(COMMAND_FD)) is not None:
        renew()
        run_input(setup, code, given[:NONCE], given[NONCE:], deadline, replies)
    replies.flush(0)


def run_input(setup, code, nonce, text, deadline, replies, pipe=posix.pipe, close=posix.close, clock=time.monotonic):
    """Says what became of one child, from its fork to its end."""
    result_r, result_w = pipe()
    output_r, output_w = pipe()
    started = clock()
    pid = posix.fork()
    if pid == 0:
        try:
            run_child(setup, code, nonce, text, result_w, output_w)
        finally:
            posix._exit(1)
    close(result_w)
    close(output_w)
    last = min(started + setup.wall, deadline)
    seen = None
    try:
        if not ends_soon(pid, last - started):
            limit_time(pid, setup)
            let_go(pid, setup)
            replies.flush(started)
            seen = Watched(setup.output)
            watch_child(pid, seen, result_r, output_r, last)
    finally:
        status, cpu = end_child(setup, pid, seen)
    result, output = (held(result_r), held(output_r)) if seen is None else (seen.result, seen.output)
    if seen is None and (len(result) == CHUNK or len(output) == CHUNK or len(output) > setup.output):
        seen = Watched(setup.output)
        seen.take(True, result), seen.take(False, output)
        seen.drain(result_r, True)
        seen.drain(output_r, False)
        result, output = seen.result, seen.output
    close(result_r)
    close(output_r)
    exit, now = posix.waitstatus_to_exitcode(status), clock()
    cut, killed = (0, b'-') if seen is None else (seen.cut, seen.killed or b'-')
    line = b'ended %d %d %d %d %b %d' % (exit, (now - started) * 1e6, cpu, cut, killed, len(result))
    replies.add(message(line, result, output), now)
    # What took so long is likely the last thing that matters.
    if seen is not None:
        replies.flush(now)
        forget_ends()


def ends_soon(pid, left, told=getattr(signal, 'sigtimedwait', None)):
    """Whether the child's end was told within QUIET. False says nothing: one telling may stand for several ends, and macOS has none."""
    if told is None:
        return False
    end = told(CHILD_SIGNALS, max(0, min(QUIET, left)))
    return end is not None and end.si_pid == pid and end.si_code in ENDED


def forget_ends(told=getattr(signal, 'sigtimedwait', None)):
    """Takes what was told of children that are gone, lest it be met in place of the next one's end."""
    if told is not None:
        told(CHILD_SIGNALS, 0)


def take_places():
    """Moves the supervisor's own files out of the children's way: its own 0 is an empty pipe, and 1 to 3 are the log's."""
    for source, target in ((0, COMMAND_FD), (1, REPLY_FD), (2, LOG_FD)):
        posix.dup2(source, target)
    for targets in ((0, None), (HELD_FD, HOLDING_FD)):
        for fd, target in zip(posix.pipe(), targets):
            if target is not None:
                posix.dup2(fd, target)
            if fd > RESULT_FD:
                posix.close(fd)
    for target in (1, 2, RESULT_FD):
        posix.dup2(LOG_FD, target)


def main():
    # As process 1 these reach it from nobody; a child has Python's own default for the pipe.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, 'sigtimedwait'):
        signal.pthread_sigmask(signal.SIG_BLOCK, CHILD_SIGNALS)
    take_places()
    send(REPLY_FD, message(b'ready'))
    fields = receive(COMMAND_FD)
    if fields is None:
        return
    setup = Setup(unpack(fields))
    settle(setup)
    for name, value in setup.limits:
        limit(name, value)
    if hasattr(sys, 'set_int_max_str_digits'):
        sys.set_int_max_str_digits(0)
    posix.chdir(setup.tmp)
    code, fault = compile_program(setup.body)
    if code is None:
        send(REPLY_FD, message(*fault))
        return
    preload(code)
    send(REPLY_FD, message(b'compiled'))
    rehearse(setup)
    foresee(code)
    gc.freeze()
    serve(setup, code, time.monotonic() + setup.total)


gc.disable()
main()
posix._exit(0)
