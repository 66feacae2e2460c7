import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Put in by the bundler (see `../../bundle.ts`), so that the bundled service is one file; absent when run from source. */
declare const RINGSIDE_PYTHON_SOURCES: { harness: string; probe: string } | undefined

/** The parts of the harness, in the order in which they make one module. */
const parts = ['wire.py', 'encode.py', 'child.py', 'supervisor.py']

export function harnessSource(): string {
  if (typeof RINGSIDE_PYTHON_SOURCES !== 'undefined') return RINGSIDE_PYTHON_SOURCES.harness
  return parts.map((part) => readFileSync(join(import.meta.dirname, 'harness', part), 'utf8')).join('\n')
}

export function probeSource(): string {
  if (typeof RINGSIDE_PYTHON_SOURCES !== 'undefined') return RINGSIDE_PYTHON_SOURCES.probe
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
