import builtins, gc, posix, resource, sys
import _signal as signal  # `signal` costs milliseconds for its enums

RESULT_FD = 3
DETAIL_CHARS = 2000
# What honest standard modules open outside their own folder.
BENIGN = ('/dev/null', '/dev/urandom', '/usr/share/zoneinfo', '/etc/localtime', '/etc/mime.types', '/etc/os-release')
READ_EVENTS = ('os.listdir', 'os.scandir', 'os.chdir')
WRITE_EVENTS = ('os.mkdir', 'os.remove', 'os.rmdir', 'os.truncate', 'os.chmod', 'os.utime', 'os.setxattr')
NETWORK_EVENTS = ('socket.connect', 'socket.bind', 'socket.sendto', 'socket.sendmsg', 'socket.getaddrinfo', 'socket.gethostbyname')
PROGRAM_EVENTS = ('os.system', 'os.exec', 'os.posix_spawn', 'os.spawn', 'subprocess.Popen', 'pty.spawn')
GRADER_EVENTS = ('gc.get_objects', 'gc.get_referrers', 'gc.get_referents')
TWO_PATHS = ('os.link', 'os.symlink', 'os.rename')
SIGNAL_EVENTS = ('os.kill', 'os.killpg')
WRITING = posix.O_WRONLY | posix.O_RDWR | posix.O_CREAT | posix.O_TRUNC
GRADER_CODE = '<grader>'
# What a program would replace to change what is said about it.
BUILTINS = [(name, builtins.__dict__[name]) for name in 'isinstance issubclass type int float str list dict len __import__ open exec'.split()]
SYSTEM = [(name, posix.__dict__[name]) for name in 'write _exit fork read close'.split()]


class Tampered(BaseException):
    """Raised through the program at the first reach for something withheld; the finding itself was already sent."""


class Child:
    """What a child says its result with, unknown outside it."""

    nonce = b''


def run_child(setup, code, nonce, text, result_fd, output_fd, dup2=posix.dup2, write=posix.write, leave=posix._exit):
    """The whole life of one child: take its places, shut everything, execute the program, call its function, send one frame.

    0 is an empty pipe already, 1 and 2 are its output, 3 its result. Never returns.
    """
    dup2(result_fd, RESULT_FD)
    dup2(output_fd, 1)
    dup2(output_fd, 2)
    posix.closerange(RESULT_FD + 1, 64)
    if not setup.contained:
        posix.setsid()
    if not hasattr(resource, 'prlimit'):
        limit('RLIMIT_CPU', setup.cpu, setup.cpu + 1)
    for program in setup.filters:
        install_filter(program)
    gc.enable()
    Child.nonce = nonce
    arguments = setup.parse(text.decode(), 0)[0]
    write(RESULT_FD, b'a')
    sys.addaudithook(setup.watch)
    report(*find(setup, code, arguments))
    leave(0)


def find(setup, code, arguments):
    """(outcome, reason, value, detail) of the program on one input, or that it replaced what the grader uses."""
    outcome = execute(setup, code, arguments)
    changed = patched(builtins.__dict__, BUILTINS)
    system = sys.modules.get('os')
    if type(system) is type(sys):
        changed = patched(system.__dict__, SYSTEM) or changed
    return outcome if changed is None else (b'tampered', b'patched_runtime', b'', changed.encode())


def patched(held, expected):
    for name, value in expected:
        if held.get(name) is not value:
            return name


def limit(name, value, most=None):
    """Lowers a limit for good; what a system does not know or refuses (address space on macOS) is left, as the isolation says there."""
    try:
        resource.setrlimit(getattr(resource, name), (value, value if most is None else most))
    except (AttributeError, ValueError, OSError):
        pass


def report(outcome, reason, value, detail, write=posix.write, leave=posix._exit):
    try:
        line = b'%b%b %b %d %d\n%b%b' % (Child.nonce, outcome, reason or b'-', len(value), len(detail), value, detail)
        send(RESULT_FD, line, write)
    except BaseException:
        leave(1)


def execute(setup, code, arguments):
    """(outcome, reason, value, detail) of importing the program and calling its function once."""
    phase = b'load_failed'
    try:
        exec(code, setup.scope)
        function = setup.scope.get(setup.function)
        if not callable(function):
            return (b'unbuilt', b'function_missing', b'', b'the program defines no function ' + setup.function.encode())
        phase = b''
        value = function(*arguments)
        return (b'value', b'', encode(value, setup.output).encode('ascii'), b'')
    except Refused as refused:
        return (b'failed', b'not_json', b'', b'returned ' + refused.args[0].encode('utf-8', 'replace'))
    except SystemExit:
        return (b'tampered', b'early_exit', b'', b'raised SystemExit')
    except Tampered:
        return (b'tampered', b'reached_outside', b'', b'')
    except MemoryError:
        return (b'unbuilt' if phase else b'failed', phase or b'memory_limit', b'', b'MemoryError')
    except BaseException as raised:
        return (b'unbuilt' if phase else b'failed', phase or b'raised', b'', describe(raised))


def describe(raised):
    try:
        text = type_name(raised) + ': ' + str(raised)
    except BaseException:
        text = type_name(raised)
    return text[:DETAIL_CHARS].encode('utf-8', 'replace')


def watcher(setup, getpid=posix.getpid):
    """An audit hook that names what the program reached for. It detects; the sandbox is what withholds."""
    writable = (setup.tmp, '/dev/null')
    readable = (*writable, *setup.readable, *BENIGN)

    def tampered(reason, detail):
        report(b'tampered', reason, b'', detail[:DETAIL_CHARS].encode('utf-8', 'replace'))
        raise Tampered

    def check(path, allowed):
        if isinstance(path, int) or path is None:
            return
        path = posix.fspath(path)
        if isinstance(path, bytes):
            path = path.decode('utf-8', 'surrogateescape')
        # The working folder is the program's own, and leaving it is seen.
        if not path.startswith('/') and '..' not in path:
            return
        whole = absolute(path)
        if not any(whole == root or whole.startswith(root + '/') for root in allowed):
            tampered(b'reached_outside', 'reached for %s' % path)

    def opened(event, args):
        check(args[0], writable if isinstance(args[2], int) and args[2] & WRITING else readable)

    def read(event, args):
        check(args[0], readable)

    def wrote(event, args):
        check(args[0], writable)

    def wrote_two(event, args):
        check(args[0], writable)
        check(args[1], writable)

    def looked(event, args):
        if args and args[0].f_code.co_filename == GRADER_CODE:
            tampered(b'reached_grader', event)

    def signalled(event, args):
        if args[0] != getpid():
            tampered(b'signalled_others', event)

    def refused(reason):
        return lambda event, args: tampered(reason, event)

    watched = {
        'open': opened,
        'sys._getframe': looked,
        **dict.fromkeys(READ_EVENTS, read),
        **dict.fromkeys(WRITE_EVENTS, wrote),
        **dict.fromkeys(TWO_PATHS, wrote_two),
        **dict.fromkeys(SIGNAL_EVENTS, signalled),
        **dict.fromkeys(NETWORK_EVENTS, refused(b'reached_network')),
        **dict.fromkeys(PROGRAM_EVENTS, refused(b'started_program')),
        **dict.fromkeys(GRADER_EVENTS, refused(b'reached_grader')),
    }

    def watch(event, args):
        # Most events are none of these, so the first look must be the last.
        if event in watched:
            watched[event](event, args)

    return watch


def absolute(path):
    parts = []
    for part in (path if path.startswith('/') else posix.getcwd() + '/' + path).split('/'):
        if part == '..':
            del parts[-1:]
        elif part not in ('', '.'):
            parts.append(part)
    return '/' + '/'.join(parts)
