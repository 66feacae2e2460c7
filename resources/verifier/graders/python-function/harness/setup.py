import _json

# prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) and prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program)
NO_NEW_PRIVS = (38, 1, 0, 0, 0)
SECCOMP = (22, 2)
# Imported once before the fork where the program names them: an import costs milliseconds, then a child has it for nothing.
PRELOAD = frozenset(
    'abc array bisect cmath collections contextlib copy dataclasses datetime decimal enum fractions functools heapq itertools json math'
    ' numbers operator os random re statistics string struct textwrap types typing'.split()
)


class Setup:
    """Fields of the first message, in order; the filters are seccomp programs that every child puts on before the program runs."""

    def __init__(self, fields):
        function, cpu, wall, total, memory, file, output, processes, contained, tmp, readable, core, filters = fields[:13]
        self.function = function.decode()
        self.wall, self.total, self.output = int(wall) / 1000, int(total) / 1000, int(output)
        self.contained = contained == b'1'
        self.tmp = tmp.decode()
        self.readable = readable.decode().split(':')
        self.filters = [prepare_filter(program) for program in fields[13 : 13 + int(filters)]]
        self.body = fields[13 + int(filters)]
        self.cpu = int(cpu)
        self.core, self.cores = int(core), ()
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
        self.scope = new_module()
        self.parse = _json.make_scanner(Numbers)
        self.watch = watcher(self)


def new_module():
    module = sys.modules['solution'] = type(sys)('solution')
    return module.__dict__


def settle(setup):
    """Keeps the supervisor to one core, and with it its children while they are short.

    Each waits for the other, so they never want two; and what crosses over to another core (a waking, the pages just written) takes as long
    again as all the work. A child that takes its time is let go.
    """
    if hasattr(posix, 'sched_setaffinity'):
        setup.cores = posix.sched_getaffinity(0)
        posix.sched_setaffinity(0, (sorted(setup.cores)[setup.core % len(setup.cores)],))


class Numbers:
    """How input is read: strictly, into Python's own numbers."""

    strict, object_hook, object_pairs_hook, memo = True, None, None, {}
    parse_float, parse_int, parse_constant = float, int, float


class Seccomp:
    """Loaded once before any fork: loading it costs each child more than all the rest."""

    call, prctl = None, 0


def prepare_filter(program):
    """The arguments of the call that puts a seccomp program on, and what they point to."""
    if Seccomp.call is None:
        import _ctypes

        Seccomp.call = _ctypes.call_function
        Seccomp.prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), 'prctl')
        if Seccomp.call(Seccomp.prctl, NO_NEW_PRIVS) != 0:
            raise OSError('no seccomp')
    # A bytes object holds its data behind its header; sock_fprog is {u16 instructions; pointer}.
    address = id(program) + bytes.__basicsize__ - 1
    fprog = (len(program) // 8).to_bytes(8, sys.byteorder) + address.to_bytes(8, sys.byteorder)
    return (*SECCOMP, fprog), program


def install_filter(prepared):
    if Seccomp.call(Seccomp.prctl, prepared[0]) != 0:
        raise OSError('no seccomp')


def compile_program(body):
    """The code object, or the message that says why there is none."""
    try:
        return compile(body, '<program>', 'exec', 0, True), None
    except (SyntaxError, ValueError) as fault:
        line = getattr(fault, 'lineno', None)
        where = '' if line is None else ' (line %d)' % line
        return None, (b'build_failed syntax', (type_name(fault) + ': ' + str(fault.args[0]) + where).encode('utf-8', 'replace'))
    except (MemoryError, RecursionError, OverflowError) as fault:
        return None, (b'build_failed too_deep', type_name(fault).encode())


def preload(code):
    """Imports the standard modules among the names that the module's own code mentions; one that is no import there costs no more."""
    for name in code.co_names:
        if name.split('.')[0] in PRELOAD:
            try:
                __import__(name)
            except Exception:
                pass  # the program meets the same error itself, in its child


def foresee(code, kinds=(list, dict, set, str, tuple, int, type(sys))):
    """Looks the program's names up on the types that they are mostly asked of: the interpreter remembers where it found them, or did not."""
    for name in code.co_names:
        for kind in kinds:
            hasattr(kind, name)
    for held in code.co_consts:
        if type(held) is type(code):
            foresee(held)


REHEARSAL = compile('def rehearsed(*given):\n    return [1, 2.5, {"a": "b"}]\n', '<grader>', 'exec')


def rehearse(setup):
    """Takes a child's way often enough for the interpreter to settle what it learns about code while running it: a child keeps nothing."""
    function, setup.function = setup.function, 'rehearsed'
    for _ in range(17):
        arguments = setup.parse('[[[1, 2], [3, 4]], {"a": null}]', 0)[0]
        report(*find(setup, REHEARSAL, arguments), write=lambda fd, data: len(data))
        setup.watch('import', ())
    setup.function = function
    setup.scope = new_module()
