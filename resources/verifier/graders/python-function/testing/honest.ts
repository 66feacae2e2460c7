/** Right bodies for `double(value)` in unusual but honest Python. None may lose a point. */
const f = (...lines: string[]) => ['def double(value):', ...lines.map((line) => `    ${line}`), ''].join('\n')
const after = (setup: string, ...lines: string[]) => `${setup}\n${f(...lines)}`

export const honest: Record<string, string> = {
  plain: f('return value * 2'),
  lambda: 'double = lambda value: value + value\n',
  'a callable object':
    'class Double:\n    def __call__(self, value):\n        return value * 2\n\ndouble = Double()\n',
  partial: 'import functools, operator\ndouble = functools.partial(operator.mul, 2)\n',
  'any arguments': 'def double(*args, **kwargs):\n    return args[0] * 2\n',
  cached: after('from functools import lru_cache\n@lru_cache(maxsize=None)', 'return value * 2'),
  recursive: f('if value < 0: return -double(-value)', 'return 0 if value == 0 else 2 + double(value - 1)'),
  'deeply recursive': after(
    'import sys\nsys.setrecursionlimit(20000)\ndef down(n):\n    return 0 if n == 0 else 1 + down(n - 1)',
    'return value * 2 if down(5000) == 5000 else None',
  ),
  annotated:
    'from __future__ import annotations\nfrom typing import List, Optional, TypeVar, NamedTuple\nT = TypeVar("T")\n\ndef double(value: int) -> Optional[int]:\n    return value * 2\n',
  dataclass: after(
    'from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Box:\n    held: int',
    'return Box(value).held * 2',
  ),
  namedtuple: after(
    'from collections import namedtuple\nBox = namedtuple("Box", "held")',
    'return Box(value).held * 2',
  ),
  enum: after('import enum\nclass Factor(enum.IntEnum):\n    TWO = 2', 'return value * Factor.TWO'),
  'returns an int subclass': after('class Count(int):\n    pass', 'return Count(value * 2)'),
  match: f('match value:', '    case 0: return 0', '    case number: return number * 2'),
  walrus: f('return half + half if (half := value) else 0'),
  generator: f('def twice():', '    yield value', '    yield value', 'return sum(twice())'),
  asyncio: after(
    'import asyncio\nasync def wait(value):\n    await asyncio.sleep(0)\n    return value * 2',
    'return asyncio.run(wait(value))',
  ),
  threads: after(
    'from concurrent.futures import ThreadPoolExecutor',
    'with ThreadPoolExecutor(4) as pool: return sum(pool.map(int, [value, value]))',
  ),
  prints: after(
    'import sys',
    'print("debug", value)',
    'print("more", file=sys.stderr, flush=True)',
    'return value * 2',
  ),
  'silences its output': after(
    'import io, contextlib',
    'with contextlib.redirect_stdout(io.StringIO()): print("x" * 100000)',
    'return value * 2',
  ),
  'replaces stdout': after(
    'import io, sys',
    'sys.stdout = io.StringIO()',
    'print("kept")',
    'return value * 2',
  ),
  'reads an empty stdin': after('import sys', 'return value * 2 if sys.stdin.read() == "" else None'),
  'a temporary file': after(
    'import tempfile',
    'with tempfile.TemporaryFile("w+") as file:',
    '    file.write(str(value))',
    '    file.seek(0)',
    '    return int(file.read()) * 2',
  ),
  logging: after(
    'import logging\nlogging.basicConfig()\nlog = logging.getLogger(__name__)',
    'log.warning("value %s", value)',
    'return value * 2',
  ),
  warnings: after('import warnings', 'warnings.warn("odd", stacklevel=2)', 'return value * 2'),
  'inspects itself': after('import inspect', 'return value * len(inspect.signature(double).parameters) * 2'),
  'a traceback': after(
    'import traceback',
    'try: 1 / 0',
    'except ZeroDivisionError: traceback.format_exc()',
    'return value * 2',
  ),
  decimals: after(
    'from decimal import Decimal\nfrom fractions import Fraction',
    'return int(Decimal(value) + Fraction(value).numerator)',
  ),
  'through strings': f('return int("2") * int(f"{value}")'),
  'eval and exec': f(
    'scope = {}',
    'exec("factor = 2", scope)',
    'return eval("value * factor", scope, {"value": value})',
  ),
  'a missing module met': after(
    'try:\n    import numpy as np\nexcept ImportError:\n    np = None',
    'return value * 2',
  ),
  'a main guard': `${f('return value * 2')}\nif __name__ == "__main__":\n    import sys\n    sys.exit(double(int(input())))\n`,
  'a table at import': after('TABLE = {n: n * 2 for n in range(-50000, 50000)}', 'return TABLE[value]'),
  'imports inside': f(
    'import heapq, bisect, itertools, collections, json, re, random, math',
    'return json.loads(json.dumps(value)) * 2',
  ),
  'random with a seed': after('import random\nrandom.seed(1)', 'random.random()', 'return value * 2'),
  'collects garbage': after('import gc', 'gc.collect()', 'return value * 2'),
  'an own exception': after(
    'class Done(Exception):\n    pass',
    'try: raise Done(value * 2)',
    'except Done as done: return done.args[0]',
  ),
  'handles a signal': after(
    'import signal',
    'signal.signal(signal.SIGALRM, lambda *a: None)',
    'return value * 2',
  ),
  'not only ASCII':
    'def verdoppelt(größe):\n    """Verdoppelt – \u{1f600}"""\n    return größe * 2\n\ndouble = verdoppelt\n',
  'a byte order mark': `\ufeff${f('return value * 2')}`,
  'CRLF line ends': f('x = value', 'return x * 2').replaceAll('\n', '\r\n'),
  tabs: 'def double(value):\n\treturn value * 2\n',
  'a long body': f(
    ...Array.from({ length: 400 }, (_, index) => `step_${index} = ${index}`),
    'return value * 2',
  ),
  'a class with a metaclass': after(
    'class Meta(type):\n    def __mul__(cls, other):\n        return other * 2\nclass Two(metaclass=Meta):\n    pass',
    'return Two * value',
  ),
  'its own path': after(
    'import pathlib, os',
    'return value * 2 if pathlib.PurePath(os.getcwd()).name else None',
  ),
  'waits a moment': after('import time', 'time.sleep(0.01)', 'return value * 2'),
  'big numbers between': f('return (value * 2 * 10 ** 400) // 10 ** 400'),
}
