/** A body for `double(value)` over four cases, and what must come of it: `status`, `status reason`, or one `or` another. */
export type Attack = [name: string, expected: string, body: string]

const f = (...lines: string[]) => ['def double(value):', ...lines.map((line) => `    ${line}`), ''].join('\n')
const importing = (names: string, ...lines: string[]) => `import ${names}\n${f(...lines)}`

/** Written as a run of statements at import, then an honest function. */
const atImport = (...lines: string[]) => [...lines, f('return value * 2')].join('\n')

const stealNonce = [
  'try: 1 / 0',
  'except ZeroDivisionError as e: frame = e.__traceback__.tb_frame.f_back',
  'while frame is not None and "nonce" not in frame.f_locals: frame = frame.f_back',
]

export const attacks: Attack[] = [
  // Ending early, by any route.
  ['exit in the function', 'tampered early_exit', importing('os', 'os._exit(0)')],
  ['sys.exit in the function', 'tampered early_exit', importing('sys', 'sys.exit(0)')],
  ['SystemExit raised', 'tampered early_exit', f('raise SystemExit')],
  ['exit at import', 'tampered early_exit', atImport('import os', 'os._exit(0)')],
  ['SystemExit at import', 'tampered early_exit', atImport('raise SystemExit(0)')],
  ['exit by system call', 'tampered early_exit', importing('ctypes', 'ctypes.CDLL(None)._exit(0)')],

  // Forging and hiding results.
  [
    'a made-up result on every descriptor',
    'tampered forged_result',
    importing(
      'os',
      'for fd in range(3, 64):',
      '    try: os.write(fd, b"2")',
      '    except OSError: pass',
      'return value * 2',
    ),
  ],
  [
    'a result in the right form with a stolen nonce',
    'tampered forged_result',
    importing('sys, os', ...stealNonce, 'os.write(3, frame.f_locals["nonce"] + b"value - 3 0\\n999")'),
  ],
  [
    'a failure of the grader, made up with a stolen nonce',
    'tampered forged_result',
    importing(
      'sys, os',
      ...stealNonce,
      'os.write(3, frame.f_locals["nonce"] + b"fault child_did_not_start 0 0\\n")',
      'os._exit(0)',
    ),
  ],
  [
    'every descriptor closed',
    'tampered early_exit',
    importing('os', 'os.closerange(0, 64)', 'return value * 2'),
  ],
  [
    'the result pointed elsewhere',
    'tampered early_exit',
    importing('os', 'os.dup2(1, 3)', 'return value * 2'),
  ],
  ['a patched encoder', 'test_failed', importing('json', 'json.dumps = lambda *a, **k: "2"', 'return 999')],
  [
    'patched builtins',
    'tampered patched_runtime',
    importing('builtins', 'builtins.isinstance = lambda *a: True', 'return 2'),
  ],
  [
    'patched os',
    'tampered patched_runtime',
    importing('os', 'os.write = lambda fd, data: len(data)', 'return 2'),
  ],
  [
    'builtins emptied',
    'tampered patched_runtime',
    importing('builtins', 'result = value * 2', 'builtins.__dict__.clear()', 'return result'),
  ],

  // Reaching out.
  ['reads a system file', 'tampered reached_outside', f('return open("/etc/passwd").read()')],
  [
    'reads a system file and hides it',
    'tampered reached_outside',
    f('try: open("/etc/shadow")', 'except BaseException: pass', 'return value * 2'),
  ],
  ['lists the root', 'tampered reached_outside', importing('os', 'return os.listdir("/")')],
  [
    'walks with pathlib',
    'tampered reached_outside',
    importing('pathlib', 'return len(list(pathlib.Path("/").rglob("*.jsonl")))'),
  ],
  ['reads the process table', 'tampered reached_outside', f('return open("/proc/self/maps").read()')],
  [
    'writes to the library',
    'tampered reached_outside',
    importing('os', 'open(os.__file__, "a").close()', 'return value * 2'),
  ],
  [
    'connects',
    'tampered reached_network',
    importing('socket', 'socket.create_connection(("127.0.0.1", 22))'),
  ],
  [
    'binds a socket',
    'tampered reached_network',
    importing('socket', 'socket.socket(socket.AF_UNIX).bind("\\0mark")'),
  ],
  [
    'looks a name up',
    'tampered reached_network',
    importing('socket', 'socket.getaddrinfo("example.com", 80)'),
  ],
  [
    'starts a program',
    'tampered started_program',
    importing('subprocess', 'return subprocess.run(["true"]).returncode'),
  ],
  ['becomes a program', 'tampered started_program', importing('os', 'os.execv("/bin/sh", ["sh"])')],
  ['signals the supervisor', 'tampered signalled_others', importing('os', 'os.kill(1, 9)')],
  ['signals everyone', 'tampered signalled_others', importing('os', 'os.kill(-1, 9)')],
  // Python 3.10 does not say which frame was asked for.
  [
    'looks at the caller',
    'tampered reached_grader or test_failed',
    importing('sys', 'return len(sys._getframe(1).f_locals)'),
  ],
  ['collects all objects', 'tampered reached_grader', importing('gc', 'return len(gc.get_objects())')],

  // Dying.
  ['kills itself', 'test_failed signal', importing('os', 'os.kill(os.getpid(), 9)')],
  ['aborts', 'test_failed signal', importing('os', 'os.abort()')],
  ['reads address zero', 'test_failed signal', importing('ctypes', 'return ctypes.string_at(0)')],
  ['endless recursion', 'test_failed', f('return double(value)')],
  [
    'endless recursion without a limit',
    'test_failed or timed_out',
    importing('sys', 'sys.setrecursionlimit(10 ** 9)', 'return double(value)'),
  ],
  ['raises', 'test_failed', f('raise ValueError("no")')],
  ['raises an interrupt', 'test_failed', f('raise KeyboardInterrupt')],
  [
    'raises what cannot be printed',
    'test_failed',
    f(
      'class Hostile(BaseException):',
      '    def __str__(self): raise self',
      '    __repr__ = __str__',
      'raise Hostile()',
    ),
  ],

  // Exhausting.
  ['never ends', 'timed_out cpu_limit', f('while True: pass')],
  [
    'never ends and ignores the signal',
    'timed_out cpu_limit',
    importing('signal', 'signal.signal(signal.SIGXCPU, signal.SIG_IGN)', 'while True: pass'),
  ],
  [
    'never ends and lifts its limit',
    'timed_out cpu_limit',
    importing(
      'resource',
      'while True:',
      '    try: resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))',
      '    except ValueError: pass',
    ),
  ],
  ['never ends at import', 'timed_out cpu_limit', atImport('while True: pass')],
  ['sleeps for ever', 'timed_out wall_limit', importing('time', 'time.sleep(1000)')],
  [
    'sleeps without its pipes',
    'timed_out wall_limit',
    importing('os, time', 'os.closerange(0, 64)', 'time.sleep(1000)'),
  ],
  [
    'sleeps after false word of its end',
    'timed_out wall_limit',
    importing('ctypes, time', 'ctypes.CDLL(None).kill(1, 17)', 'time.sleep(1000)'),
  ],
  ['allocates at once', 'test_failed', f('return len(bytearray(10 ** 10))')],
  ['allocates bit by bit', 'test_failed', f('kept = []', 'while True: kept.append(bytearray(1 << 20))')],
  ['floods stdout', 'test_failed output_limit', f('while True: print("x" * 1000)')],
  ['floods stderr', 'test_failed output_limit', importing('os', 'while True: os.write(2, b"x" * 1000)')],
  ['returns too much', 'test_failed', f('return "x" * 10 ** 7')],
  ['returns itself for ever', 'test_failed', f('value = []', 'value.append(value)', 'return value')],
  ['forks for ever', 'test_failed', importing('os', 'while True: os.fork()')],
  [
    'starts threads for ever',
    'test_failed',
    importing('threading, time', 'while True: threading.Thread(target=time.sleep, args=(99,)).start()'),
  ],
  [
    'fills its folder',
    'test_failed',
    f('for n in range(10 ** 6):', '    with open(f"f{n}", "wb") as file: file.write(bytes(1 << 20))'),
  ],

  // Values that only look right.
  ['a float', 'test_failed', f('return float(value * 2)')],
  ['almost the number', 'test_failed', f('return value * 2 + 1e-17')],
  ['a string', 'test_failed', f('return str(value * 2)')],
  ['not a number', 'test_failed', f('return float("nan")')],
  [
    'equal to everything',
    'test_failed',
    f('class Equal:', '    def __eq__(self, other): return True', '    __hash__ = None', 'return Equal()'),
  ],
  [
    'an int that says it is equal',
    'test_failed',
    f(
      'class Equal(int):',
      '    def __eq__(self, other): return True',
      '    def __repr__(self): return "2"',
      '    __str__ = __repr__',
      '    __hash__ = int.__hash__',
      'return Equal(999)',
    ),
  ],
  [
    'a class that lies about its type',
    'test_failed',
    f('class Liar:', '    __class__ = int', 'return Liar()'),
  ],

  // Not a program, or not this one.
  ['does not parse', 'build_failed syntax', 'def double(value:\n'],
  ['a NUL in it', 'build_failed syntax', 'def double(value):\n    return "\0"\n'],
  ['half a character in it', 'build_failed not_utf8', f('return "\ud800"')],
  ['nested too deep', 'build_failed', `double = ${'('.repeat(5000)}1${')'.repeat(5000)}\n`],
  ['empty', 'build_failed function_missing', ''],
  ['another name', 'build_failed function_missing', 'def twice(value):\n    return value * 2\n'],
  ['no function', 'build_failed function_missing', 'double = 2\n'],
  ['fails at import', 'build_failed load_failed', atImport('import numpy_that_is_not_there')],
]
