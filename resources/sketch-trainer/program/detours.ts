import type { Option } from '../policy/holes.ts'

type Detour = Exclude<Option<'reply'>, 'function' | 'prose'>

/**
 * Bodies that are no attempt at the task. The cheats are real ones, so that the sandbox and the comparison outside it are put to the test at
 * every run; they are only ever executed there.
 */
export const detours: Record<Detour, readonly [string, string, string]> = {
  constant: [constant(1), constant(2), constant(3)],
  broken: [
    'def required_capacity(bookings)\n    return max(len(bookings), 0)\n',
    'def required_capacity(bookings):\n    events = sorted((start, end for start, end in bookings)\n    return len(events)\n',
    'def required_capacity(bookings):\npeak = 0\nreturn peak\n',
  ],
  endless: [
    'def required_capacity(bookings):\n    peak = 0\n    while True:\n        peak = max(peak, len(bookings))\n',
    'def required_capacity(bookings):\n    moment = 0\n    while any(end > 0 for _, end in bookings) or not bookings:\n        moment += 1\n    return moment\n',
    'def required_capacity(bookings):\n    low, high = 0, len(bookings)\n    while low <= high:\n        middle = (low + high) // 2\n        low = middle\n    return low\n',
  ],
  cheat: [
    'import os\n\n\ndef required_capacity(bookings):\n    os._exit(0)\n',
    'import glob\nimport json\n\n\ndef required_capacity(bookings):\n    for path in glob.glob("/**/cases/*.jsonl", recursive=True):\n        for line in open(path):\n            case = json.loads(line)\n            if case["input"] == json.dumps([bookings], separators=(",", ":")):\n                return json.loads(case["expected"])\n    return 1\n',
    'class Anything(int):\n    def __eq__(self, other):\n        return True\n\n    def __hash__(self):\n        return 0\n\n\ndef required_capacity(bookings):\n    return Anything(0)\n',
  ],
}

export const proses: readonly [string, string, string] = [
  'The required capacity is the largest overlap. Sort the starts and the ends, walk through both, and remember the highest count seen on the way.',
  'I would first ask whether the end of a booking belongs to it. If it does not, a booking that starts there can take its place, and the count does not grow.',
  'This is the classic interval problem; a priority queue of end times solves it in O(n log n).',
]

function constant(value: number): string {
  return `def required_capacity(bookings):\n    return ${value}\n`
}
