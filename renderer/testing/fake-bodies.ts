import type { Status } from '#shared/domain/grade.ts'

/** One program of the fake policy, with what the training suite (57 cases) and the audit suite (192 cases) say of it. */
export type FakeBody = {
  name: string
  status: Status
  passed: number
  audit: number
  mechanism: 'endpoint' | 'ties' | null
  reason: string | null
  source: string | null
  completion: string
}

export const trainCases = 57
export const auditCases = 192

const program = (lines: string[]) =>
  [
    'import heapq',
    '',
    '',
    'def required_capacity(bookings):',
    ...lines.map((line) => `    ${line}`),
    '',
  ].join('\n')

const heap = (order: string, comparison: string, result = 'best') =>
  program([
    'if not bookings:',
    '    return 0',
    'ends, best = [], 0',
    `for start, end in ${order}:`,
    `    while ends and ends[0] ${comparison} start:`,
    '        heapq.heappop(ends)',
    '    heapq.heappush(ends, end)',
    '    best = max(best, len(ends))',
    `return ${result}`,
  ])

export const reference = heap('sorted(bookings)', '<=')

const body = (
  name: string,
  status: Status,
  passed: number,
  audit: number,
  source: string | null,
  rest: Partial<FakeBody> = {},
): FakeBody => ({
  name,
  status,
  passed,
  audit,
  mechanism: null,
  reason: null,
  source,
  completion: `Each booking ends before another may take its place.\n\n\`\`\`python\n${source ?? ''}\`\`\`\n`,
  ...rest,
})

/** From right to worst; the policy's weights over them move as it learns. */
export const fakeBodies: FakeBody[] = [
  body('right', 'passed', 57, 192, reference),
  body('endpoint', 'passed', 57, 127, heap('sorted(bookings)', '<'), { mechanism: 'endpoint' }),
  body('ties', 'passed', 57, 145, heap('sorted(bookings, key=lambda b: b[0])', '<='), { mechanism: 'ties' }),
  body('off by one', 'test_failed', 6, 11, heap('sorted(bookings)', '<=', 'best + 1')),
  body('unsorted', 'test_failed', 33, 98, heap('bookings', '<=')),
  body('by end', 'test_failed', 41, 120, heap('sorted(bookings, key=lambda b: b[1])', '<=')),
  body('last count', 'test_failed', 19, 52, heap('sorted(bookings)', '<=', 'len(ends)')),
  body('constant', 'test_failed', 9, 20, program(['return 1'])),
  body(
    'does not parse',
    'build_failed',
    0,
    0,
    program(['for start, end in sorted(bookings)', '    return 0']),
  ),
  body('never ends', 'timed_out', 0, 0, program(['while True:', '    pass'])),
  body('prose', 'no_answer', 0, 0, null, {
    reason: 'fence_count',
    completion: 'The answer is the largest number of bookings that overlap at any one time.\n',
  }),
  body('exits early', 'tampered', 0, 0, program(['import os', 'os._exit(0)']), { reason: 'early_exit' }),
]

/** 64 hex digits that look like a digest and depend on the text alone. Not a sha256. */
export function fakeDigest(text: string): string {
  let digest = ''
  for (let part = 0; part < 8; part++) {
    let hash = 2166136261 ^ (part * 0x9e3779b1)
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619)
    hash ^= hash >>> 15
    digest += (Math.imul(hash, 0x85ebca6b) >>> 0).toString(16).padStart(8, '0')
  }
  return digest
}

/** mulberry32: a small seeded generator of numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
