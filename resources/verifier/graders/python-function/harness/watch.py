import time

NONCE = 16
CHUNK = 4096


class Watched:
    """What the supervisor has read from one child so far, and why it was ended, if it was."""

    def __init__(self, limit):
        self.limit = limit
        self.result, self.output, self.cut = b'', b'', 0
        self.killed = b''
        self.reaped = None

    def take(self, is_result, chunk):
        """Keeps what was read; False where a limit was passed."""
        if is_result:
            self.result += chunk
            # A frame is at most the value, its detail and some headers; more is no frame.
            if len(self.result) > self.limit + 65536:
                self.killed = b'forged_result'
                return False
            return True
        room = self.limit - len(self.output)
        self.output += chunk[:room]
        self.cut += max(0, len(chunk) - room)
        if self.cut:
            self.killed = b'output_limit'
        return not self.cut

    def drain(self, fd, is_result):
        """What a child wrote before it ended is still in its pipes."""
        while (chunk := held(fd)) and self.take(is_result, chunk):
            pass

    def found(self):
        """An honest child ends by itself right after its frame, so all that it has to say is waited for; a finding is enough at once."""
        return self.result[1 + NONCE :].startswith(b'tampered')


def held(fd, read=posix.read, set_blocking=posix.set_blocking):
    """What is in a pipe now. It need not end with the child: a file that was sent to nobody is kept for a while, and could be a writer."""
    set_blocking(fd, False)
    try:
        return read(fd, CHUNK)
    except BlockingIOError:
        return b''


def watch_child(pid, seen, result_fd, output_fd, deadline):
    """Reads both pipes until the child is gone or a limit is met (then `killed` says which)."""
    import select

    ended = posix.pidfd_open(pid) if hasattr(posix, 'pidfd_open') else None
    poll = select.poll()
    for fd in (result_fd, output_fd) if ended is None else (result_fd, output_fd, ended):
        poll.register(fd, select.POLLIN)
    opened, pause = 2, 0.0001
    try:
        while not seen.found():
            left = deadline - time.monotonic()
            if left <= 0:
                seen.killed = b'wall_limit'
                return
            if ended is None and opened == 0:
                # Without pidfds (macOS) an end is looked for: it mostly follows at once on the closing of the pipes.
                if gone(pid, seen):
                    return
                time.sleep(pause)
                pause = min(pause * 2, 0.005)
                continue
            for fd, _ in poll.poll(left * 1000):
                if fd == ended:
                    seen.drain(result_fd, True)
                    seen.drain(output_fd, False)
                    return
                chunk = posix.read(fd, 65536)
                if not chunk:
                    poll.unregister(fd)
                    opened -= 1
                elif not seen.take(fd == result_fd, chunk):
                    return
    finally:
        if ended is not None:
            posix.close(ended)


def gone(pid, seen):
    found, status, usage = posix.wait4(pid, posix.WNOHANG)
    if found:
        seen.reaped = status, usage
    return found != 0


def limit_time(pid, setup):
    """Puts the limit on processor time on a running child: most are gone before, and are spared it.

    A signal of its own first, so that this limit is told from others; a program that ignores it gets one second more.
    """
    try:
        resource.prlimit(pid, resource.RLIMIT_CPU, (setup.cpu, setup.cpu + 1))
    except (AttributeError, OSError):
        pass  # no such call (macOS: the child has done it), or it is gone, or it has put a closer limit on itself


def let_go(pid, setup):
    """Lets a child run on any core: the one that it shares with the supervisor may be busy with others."""
    try:
        if setup.cores:
            posix.sched_setaffinity(pid, setup.cores)
    except OSError:
        pass  # it is gone


def end_child(setup, pid, seen, kill=posix.kill, waitpid=posix.waitpid):
    """Kills a child and everything beside it, and reaps all. As process 1, -1 means every other process of the sandbox.

    @returns its status and the microseconds of processor time that it took, 0 for one that was not watched.
    """
    reaped = None if seen is None else seen.reaped
    try:
        if setup.contained:
            kill(-1, 9)
        else:
            if reaped is None:
                kill(pid, 9)
            posix.killpg(pid, 9)
    except (ProcessLookupError, PermissionError):
        pass
    if seen is None:
        told = waitpid(pid, 0)[1], 0
    else:
        status, usage = reaped or posix.wait4(pid, 0)[1:]
        told = status, (usage.ru_utime + usage.ru_stime) * 1e6
    try:
        while setup.contained:
            waitpid(-1, 0)
    except ChildProcessError:
        pass
    return told
