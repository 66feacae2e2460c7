import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The parts of the harness, in the order in which they make one module. */
const parts = [
  'wire.py',
  'encode.py',
  'child.py',
  'setup.py',
  'folder.py',
  'watch.py',
  'replies.py',
  'supervisor.py',
]

export function harnessSource(): string {
  return parts.map((part) => readFileSync(join(import.meta.dirname, 'harness', part), 'utf8')).join('\n')
}

export function probeSource(): string {
  return readFileSync(join(import.meta.dirname, 'probe.py'), 'utf8')
}

/** Starts the harness that is sent ahead on stdin, with builtins of its own: a program that patches the shared ones does not reach it. */
export const bootstrap = [
  'import builtins, marshal, posix',
  'def read(n):',
  '    data = b""',
  '    while len(data) < n:',
  '        part = posix.read(0, n - len(data))',
  '        if not part: posix._exit(0)',
  '        data += part',
  '    return data',
  'code = marshal.loads(read(int.from_bytes(read(4), "big")))',
  'exec(code, {"__name__": "grader", "__builtins__": dict(vars(builtins))})',
].join('\n')
