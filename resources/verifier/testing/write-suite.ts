import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Limits } from '#shared/domain/suite.ts'
import { digestOf } from '../suite/load.ts'

export type SmallTask = {
  id: string
  function: string
  reference: string
  /** Arguments and expected value, as raw JSON text. */
  cases: [input: string, expected: string][]
  limits?: Partial<Limits>
}

/** Little processor time and memory, so that tests of limits end soon; much patience, so that a busy machine changes no status. */
const limits: Partial<Limits> = { wallMs: 60_000, cpuMs: 1_000, memoryBytes: 128 * 1024 * 1024 }

/** A Python suite of a few cases in `folder`, with its digest. */
export function writeSuite(folder: string, tasks: SmallTask[]): void {
  const files = new Map<string, Buffer>()
  const put = (path: string, text: string) => files.set(path, Buffer.from(text))
  for (const task of tasks) {
    const lines = task.cases.map(([input, expected], index) =>
      JSON.stringify({ id: `case-${index + 1}`, family: 'small', input, expected }),
    )
    put(`cases/${task.id}.jsonl`, `${lines.join('\n')}\n`)
    put(`reference/${task.id}.py`, task.reference)
  }
  const listing = tasks.map((task) =>
    JSON.stringify({
      id: task.id,
      prompt: `Write ${task.function}.`,
      signature: `def ${task.function}(value):`,
      function: task.function,
      reference: `reference/${task.id}.py`,
      referenceSha256: null,
      limits: { ...limits, ...task.limits },
    }),
  )
  put('tasks.jsonl', `${listing.join('\n')}\n`)
  const manifest = { name: 'small', grader: 'python-function', version: '1', language: 'python' }
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
  writeFileSync(join(folder, 'suite.json'), JSON.stringify({ ...manifest, sha256: digestOf(files) }))
}

const double: SmallTask = {
  id: 'double',
  function: 'double',
  reference: 'def double(value):\n    return value * 2\n',
  cases: [
    ['[1]', '2'],
    ['[2]', '4'],
    ['[0]', '0'],
    ['[-7]', '-14'],
  ],
}

/** `double(value)` over a few integers, and the same without patience. */
export const smallTasks: SmallTask[] = [
  double,
  { ...double, id: 'double-at-once', limits: { wallMs: 1_500 } },
]
