import builtins, gc, resource, sys
import _signal as signal  # `signal` costs milliseconds for its enums
from posixpath import abspath

RESULT_FD = 3
DETAIL_CHARS = 2000
# What honest standard modules open outside their own folder.
BENIGN = ('/dev/null', '/dev/urandom', '/usr/share/zoneinfo', '/etc/localtime', '/etc/mime.types', '/etc/os-release')
READ_EVENTS = frozenset(('os.listdir', 'os.scandir', 'os.chdir'))
WRITE_EVENTS = frozenset(('os.mkdir', 'os.remove', 'os.rmdir', 'os.truncate', 'os.chmod', 'os.utime', 'os.setxattr'))
NETWORK_EVENTS = frozenset(('socket.connect', 'socket.bind', 'socket.sendto', 'socket.sendmsg', 'socket.getaddrinfo', 'socket.gethostbyname'))
PROGRAM_EVENTS = frozenset(('os.system', 'os.exec', 'os.posix_spawn', 'os.spawn', 'subprocess.Popen', 'pty.spawn'))
GRADER_EVENTS = frozenset(('gc.get_objects', 'gc.get_referrers', 'gc.get_referents'))
TWO_PATHS = frozenset(('os.link', 'os.symlink', 'os.rename'))
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
GRADER_CODE = '<grader>'


class Tampered(BaseException):
    """Raised through the program at the first reach for something withheld; the finding itself was already sent."""


class Guard:
    """Made before the fork, so that a child touches as little memory as can be: every page that it touches is copied for it.

    `names` are what a program would replace to change what is said about it; `watching` starts with the child.
    """

    names = [(module, name, module.__dict__[name]) for module, line in (
        (builtins, 'isinstance issubclass type int float str list dict len __import__ open exec'),
        (os, 'write _exit fork read close'),
    ) for name in line.split()]
    watching = False
    report = None


def run_child(setup, code, text, nonce, leave=os._exit):
    """The whole life of one child: shut everything, execute the program, call its function, send one frame. Never returns."""
    os.closerange(RESULT_FD + 1, 64)
    if not setup.contained:
        os.setsid()
    # A signal of its own first, so that this limit is told from others; a program that ignores it gets one second more.
    limit('RLIMIT_CPU', setup.cpu, setup.cpu + 1)
    for program in setup.filters:
        install_filter(program)
    gc.enable()
    arguments = setup.parse(text)
    send(RESULT_FD, b'a')
    Guard.report = report = frame_writer(nonce)
    Guard.watching = True
    outcome = execute(setup, code, arguments)
    for module, name, value in Guard.names:
        if module.__dict__.get(name) is not value:
            outcome = (b'tampered', b'patched_runtime', b'', name.encode())
    report(*outcome)
    leave(0)


def limit(name, value, most=None):
    """Lowers a limit for good; what a system does not know or refuses (address space on macOS) is left, as the isolation says there."""
    try:
        resource.setrlimit(getattr(resource, name), (value, value if most is None else most))
    except (AttributeError, ValueError, OSError):
        pass


def frame_writer(nonce, write=os.write, leave=os._exit):
    def report(outcome, reason, value, detail):
        try:
            send(RESULT_FD, nonce + pack(outcome, reason, value, detail), write)
        except BaseException:
            leave(1)

    return report


def execute(setup, code, arguments):
    """(outcome, reason, value, detail) of importing the program and calling its function once."""
    phase = b'load_failed'
    try:
        module = type(sys)('solution')
        sys.modules['solution'] = module
        exec(code, module.__dict__)
        function = module.__dict__.get(setup.function)
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


def watcher(setup, getpid=os.getpid):
    """An audit hook that names what the program reached for. It detects; the sandbox is what withholds."""
    writable = (setup.tmp, '/dev/null')
    readable = (*writable, *setup.readable, *BENIGN)

    def tampered(reason, detail):
        Guard.report(b'tampered', reason, b'', detail[:DETAIL_CHARS].encode('utf-8', 'replace'))
        raise Tampered

    def check(path, allowed):
        if isinstance(path, int) or path is None:
            return
        path = os.fsdecode(path)
        # The working folder is the program's own, and leaving it is seen.
        if not path.startswith('/') and '..' not in path:
            return
        whole = abspath(path)
        if not any(whole == root or whole.startswith(root + '/') for root in allowed):
            tampered(b'reached_outside', 'reached for %s' % path)

    def watch(event, args):
        if not Guard.watching:
            return
        if event == 'open':
            check(args[0], writable if isinstance(args[2], int) and args[2] & WRITING else readable)
        elif event in READ_EVENTS:
            check(args[0], readable)
        elif event in WRITE_EVENTS:
            check(args[0], writable)
        elif event in TWO_PATHS:
            check(args[0], writable)
            check(args[1], writable)
        elif event in NETWORK_EVENTS:
            tampered(b'reached_network', event)
        elif event in PROGRAM_EVENTS:
            tampered(b'started_program', event)
        elif event in GRADER_EVENTS:
            tampered(b'reached_grader', event)
        elif event == 'sys._getframe':
            if args and args[0].f_code.co_filename == GRADER_CODE:
                tampered(b'reached_grader', event)
        elif event in ('os.kill', 'os.killpg') and args[0] != getpid():
            tampered(b'signalled_others', event)

    return watch
