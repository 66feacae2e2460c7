import select, time

# prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) and prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program)
NO_NEW_PRIVS = (38, 1, 0, 0, 0)
SECCOMP = (22, 2)
# Imported once before the fork where the program names them: an import costs milliseconds, then a child has it for nothing.
PRELOAD = frozenset(
    'abc array bisect cmath collections contextlib copy dataclasses datetime decimal enum fractions functools heapq itertools json math'
    ' numbers operator random re statistics string struct textwrap types typing'.split()
)


COMMAND_FD, REPLY_FD, LOG_FD = 50, 51, 52


class Setup:
    """Fields of the first message, in order; the filters are seccomp programs that every child puts on before the program runs."""

    def __init__(self, fields):
        function, cpu, wall, total, memory, file, output, processes, contained, tmp, readable, filters = fields[:12]
        self.function = function.decode()
        self.wall, self.total, self.output = int(wall) / 1000, int(total) / 1000, int(output)
        self.contained = contained == b'1'
        self.tmp = tmp.decode()
        self.readable = readable.decode().split(':')
        self.filters = fields[12 : 12 + int(filters)]
        self.body = fields[12 + int(filters)]
        self.cpu = int(cpu)
        # Put on the supervisor once and inherited: each is a bound on one process that it stays far below itself.
        self.limits = [
            ('RLIMIT_AS', int(memory)),
            ('RLIMIT_FSIZE', int(file)),
            ('RLIMIT_NOFILE', 64),
            ('RLIMIT_CORE', 0),
            ('RLIMIT_MEMLOCK', 0),
        ]
        if int(processes) > 0:
            self.limits.append(('RLIMIT_NPROC', int(processes)))

    strict, object_hook, object_pairs_hook, memo = True, None, None, {}
    parse_float, parse_int, parse_constant = float, int, float

    def parse(self, text):
        return _json.make_scanner(self)(text.decode(), 0)[0]


class Filters:
    """Loaded once before any fork: loading it costs each child more than all the rest."""

    call, prctl = None, 0


def prepare_filters():
    import _ctypes

    Filters.call = _ctypes.call_function
    Filters.prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), 'prctl')


def install_filter(program):
    # A bytes object holds its data behind its header; sock_fprog is {u16 instructions; pointer}.
    address = id(program) + bytes.__basicsize__ - 1
    fprog = (len(program) // 8).to_bytes(8, sys.byteorder) + address.to_bytes(8, sys.byteorder)
    if Filters.call(Filters.prctl, NO_NEW_PRIVS) != 0 or Filters.call(Filters.prctl, (*SECCOMP, fprog)) != 0:
        raise OSError('no seccomp')


def compile_program(body):
    """The code object and the modules worth importing first, or the message that says why there is none."""
    try:
        code = compile(body, '<program>', 'exec', 0, True)
        tree = compile(body, '<program>', 'exec', 0x400, True)
    except (SyntaxError, ValueError) as fault:
        line = getattr(fault, 'lineno', None)
        where = '' if line is None else ' (line %d)' % line
        return None, (b'build_failed', b'syntax', (type_name(fault) + ': ' + str(fault.args[0]) + where).encode('utf-8', 'replace'))
    except (MemoryError, RecursionError, OverflowError) as fault:
        return None, (b'build_failed', b'too_deep', type_name(fault).encode())
    return code, named_modules(tree)


def named_modules(tree):
    names = []
    for node in tree.body:
        kind = type_name(node)
        if kind == 'Import':
            names += [alias.name for alias in node.names]
        elif kind == 'ImportFrom' and node.level == 0 and node.module:
            names.append(node.module)
    return [name for name in names if name.split('.')[0] in PRELOAD]


def preload(names):
    for name in names:
        try:
            __import__(name)
        except Exception:
            pass  # the program meets the same error itself, in its child


def wipe(folder):
    """Empties the children's only writable folder and takes its marks off, so that none of them tells the next anything.

    A folder's entries are moved up before it goes: no depth of nesting can make a path too long.
    """
    os.chmod(folder, 0o700)
    moved, unique = 0, os.urandom(8).hex()
    while names := os.listdir(folder):
        for name in names:
            path = folder + '/' + name
            if not plain_folder(path):
                os.unlink(path)
                continue
            os.chmod(path, 0o700)
            for inner in os.listdir(path):
                moved += 1
                if plain_folder(path + '/' + inner):
                    os.chmod(path + '/' + inner, 0o700)
                os.rename(path + '/' + inner, '%s/%s%d' % (folder, unique, moved))
            os.rmdir(path)
    os.utime(folder, (0, 0))


def plain_folder(path):
    return os.lstat(path).st_mode & 0o170000 == 0o040000


class Watched:
    """What the supervisor has read from one child so far."""

    def __init__(self):
        self.result, self.output, self.cut = b'', b'', 0
        self.killed = None
        self.reaped = None


def run_input(setup, code, text, deadline, leave=os._exit):
    """Forks a child for one input and gives the fields of its result message.

    The child's files are laid at their places before the fork: 0 is an empty pipe, 1 and 2 its output, 3 its result.
    """
    wipe(setup.tmp)
    nonce = os.urandom(16)
    result_r, result_w = os.pipe()
    output_r, output_w = os.pipe()
    for source, target in ((result_w, RESULT_FD), (output_w, 1), (output_w, 2)):
        os.dup2(source, target)
    os.close(result_w)
    os.close(output_w)
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        try:
            run_child(setup, code, text, nonce)
        finally:
            leave(1)
    for target in (1, 2, RESULT_FD):
        os.dup2(LOG_FD, target)
    seen = Watched()
    try:
        watch_child(setup, pid, seen, result_r, output_r, nonce, min(started + setup.wall, deadline))
    finally:
        status, usage = end_child(setup, pid, seen.reaped)
        os.close(result_r)
        os.close(output_r)
    cpu = usage.ru_utime + usage.ru_stime
    outcome = judge(setup, seen, nonce, status, cpu)
    times = ('%.3f' % ((time.monotonic() - started) * 1000)).encode(), ('%.3f' % (cpu * 1000)).encode()
    return (b'result', outcome[0], outcome[1], *times, outcome[2], outcome[3], seen.output, str(seen.cut).encode())


def watch_child(setup, pid, seen, result_fd, output_fd, nonce, deadline):
    """Reads both pipes until the child is gone or a limit is met (then `killed` says which)."""
    ended = os.pidfd_open(pid) if hasattr(os, 'pidfd_open') else None
    poll = select.poll()
    for fd in (result_fd, output_fd) if ended is None else (result_fd, output_fd, ended):
        poll.register(fd, select.POLLIN)
    opened, pause = 2, 0.0001
    try:
        if ended is not None and ends_soon(ended, deadline):
            drain(setup, seen, result_fd, output_fd)
            return
        while True:
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
                    drain(setup, seen, result_fd, output_fd)
                    return
                chunk = os.read(fd, 65536)
                if not chunk:
                    poll.unregister(fd)
                    opened -= 1
                elif not take(setup, seen, fd == result_fd, chunk):
                    return
            # An honest child ends by itself right after its frame, so all that it has to say is waited for; a finding is enough at once.
            if seen.result[1 + len(nonce) + 8 :].startswith(b'tampered'):
                return
    finally:
        if ended is not None:
            os.close(ended)


# Most children end within a millisecond or two and write less than a pipe holds. To wait for their end alone saves a wake-up for each
# thing that they say; one that has more to say blocks on its pipe for this long and is then read as it writes.
QUIET_MS = 10


def ends_soon(ended, deadline):
    poll = select.poll()
    poll.register(ended, select.POLLIN)
    return bool(poll.poll(max(0, min(QUIET_MS, (deadline - time.monotonic()) * 1000))))


def gone(pid, seen):
    found, status, usage = os.wait4(pid, os.WNOHANG)
    if found:
        seen.reaped = status, usage
    return found != 0


def take(setup, seen, is_result, chunk):
    """Keeps what was read; False where a limit was passed."""
    if is_result:
        seen.result += chunk
        # A frame is at most the value, its detail and some headers; more is no frame.
        if len(seen.result) > setup.output + 65536:
            seen.killed = b'forged_result'
            return False
        return True
    room = setup.output - len(seen.output)
    seen.output += chunk[:room]
    seen.cut += max(0, len(chunk) - room)
    if seen.cut:
        seen.killed = b'output_limit'
    return not seen.cut


def drain(setup, seen, result_fd, output_fd):
    """What a child wrote before it ended is still in its pipes."""
    for fd in (result_fd, output_fd):
        while True:
            os.set_blocking(fd, False)
            try:
                chunk = os.read(fd, 65536)
            except BlockingIOError:
                break
            if not chunk or not take(setup, seen, fd == result_fd, chunk):
                break


def whole(result, nonce):
    start = 1 + len(nonce)
    size = int.from_bytes(result[start : start + 4], 'big')
    return len(result) >= start + 4 and result[1:start] == nonce and len(result) >= start + 4 + size


def end_child(setup, pid, reaped):
    """Kills the child and everything beside it, and reaps all. As process 1, -1 means every other process of the sandbox."""
    try:
        if setup.contained:
            os.kill(-1, signal.SIGKILL)
        else:
            if reaped is None:
                os.kill(pid, signal.SIGKILL)
            os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    status, usage = reaped or os.wait4(pid, 0)[1:]
    try:
        while setup.contained:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass
    return status, usage


def judge(setup, seen, nonce, status, cpu):
    """(outcome, reason, value, detail) from what was read and how the child ended."""
    result, start = seen.result, 5 + len(nonce)
    if not result:
        return (b'fault', b'child_did_not_start', b'', ('wait status %d' % status).encode())
    if whole(result, nonce):
        end = start + int.from_bytes(result[start - 4 : start], 'big')
        # A reach for something withheld counts whatever the program wrote after it.
        if (len(result) == end and seen.killed is None) or result[start + 4 : start + 12] == b'tampered':
            return tuple(unpack(result[start:end]))
    if len(result) > 1:
        return (b'tampered', b'forged_result', b'', b'bytes on the result channel that the grader did not write')
    if seen.killed == b'wall_limit':
        return (b'timed_out', b'wall_limit', b'', b'')
    if seen.killed is not None:
        return (b'crashed', seen.killed, b'', b'')
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU or (number == signal.SIGKILL and cpu >= setup.cpu / 2):
            return (b'timed_out', b'cpu_limit', b'', b'')
        return (b'crashed', b'signal', b'', ('signal %d' % number).encode())
    return (b'tampered', b'early_exit', b'', ('exit code %d without a result' % os.WEXITSTATUS(status)).encode())


def take_places():
    """Moves the supervisor's own files out of the children's way and leaves 0 to 3 for them."""
    for source, target in ((0, COMMAND_FD), (1, REPLY_FD), (2, LOG_FD)):
        os.dup2(source, target)
    empty, closed = os.pipe()
    os.dup2(empty, 0)
    for fd in {empty, closed} - {0, 1, 2, RESULT_FD}:
        os.close(fd)
    for target in (1, 2, RESULT_FD):
        os.dup2(LOG_FD, target)


def main():
    # As process 1 these reach it from nobody; a child has Python's own default for the pipe.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    take_places()
    send(REPLY_FD, pack(b'ready'))
    fields = receive(COMMAND_FD)
    if fields is None:
        return
    setup = Setup(fields)
    gc.disable()
    for name, value in setup.limits:
        limit(name, value)
    if hasattr(sys, 'set_int_max_str_digits'):
        sys.set_int_max_str_digits(0)
    os.chdir(setup.tmp)
    code, more = compile_program(setup.body)
    if code is None:
        send(REPLY_FD, pack(*more))
        return
    preload(more)
    if setup.filters:
        prepare_filters()
    sys.addaudithook(watcher(setup))
    send(REPLY_FD, pack(b'compiled'))
    gc.collect()
    gc.freeze()
    deadline = time.monotonic() + setup.total
    while (fields := receive(COMMAND_FD)) is not None:
        send(REPLY_FD, pack(*run_input(setup, code, fields[0], deadline)))


main()
os._exit(0)
