import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeLine, type Line, LineCutter } from './decode.ts'
import { sampleEvents } from './sample-run.ts'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const utf8 = new TextDecoder()
const decode = (bytes: Uint8Array) => utf8.decode(bytes)
const sample = {
  run: 'r-20261129-abcdef' as const,
  seed: 1,
  steps: 1,
  groupsPerStep: 1,
  groupSize: 2,
  evalDraws: 1,
  tests: 2,
  programs: 3,
  silentEvery: 0,
  hash,
}

function cut(chunks: Uint8Array[]): { lines: Line[]; torn: number } {
  const cutter = new LineCutter(decode)
  const lines = chunks.flatMap((chunk) => cutter.push(chunk))
  return { lines, torn: cutter.tornBytes }
}

function split(bytes: Uint8Array, at: number[]): Uint8Array[] {
  const marks = [0, ...at.map((mark) => mark % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return marks.slice(1).map((end, index) => bytes.slice(marks[index], end))
}

test('any chunking of the same bytes gives the same lines, with offsets that name them in the whole', () => {
  const text = fc.array(fc.string({ unit: 'grapheme', maxLength: 12 })).map((parts) => parts.join('\n'))
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (whole, marks) => {
      const bytes = new TextEncoder().encode(whole)
      const got = cut(split(bytes, marks))
      const expected = whole.split('\n').slice(0, -1)
      expect(got.lines.map((line) => line.text)).toEqual(expected)
      expect(got.lines.map((line) => decode(bytes.slice(line.offset, line.end)))).toEqual(
        expected.map((line) => `${line}\n`),
      )
      expect(got.torn).toBe(bytes.length - (got.lines.at(-1)?.end ?? 0))
    }),
  )
})

test('a reader that starts in the middle of a file gives offsets of the file', () => {
  const cutter = new LineCutter(decode, 100)
  expect(cutter.push(new TextEncoder().encode('ab\ncd'))).toEqual([{ text: 'ab', offset: 100, end: 103 }])
  expect(cutter.push(new TextEncoder().encode('\n'))).toEqual([{ text: 'cd', offset: 103, end: 106 }])
})

test('every sample event survives its line', () => {
  const events = [...sampleEvents(sample)]
  const decoded = events.map((event) => decodeLine(JSON.stringify(event)))
  expect(decoded.map((line) => (line.kind === 'event' ? line.event : line))).toEqual(events)
})

test('what cannot be read is corrupt with a reason, what is unknown is kept raw', () => {
  const common = { v: 1, seq: 3, at: '2026-11-29T12:00:00Z', run: sample.run }
  expect([
    decodeLine(''),
    decodeLine('{"v":1,"se'),
    decodeLine('[]'),
    decodeLine(JSON.stringify({ ...common, seq: -1, type: 'log' })),
    decodeLine(JSON.stringify({ ...common, type: 'log', stream: 'x', text: 7 })),
    decodeLine(JSON.stringify({ ...common, type: 'gpu.exploded', heat: 9000 })),
    decodeLine(JSON.stringify({ ...common, type: 'log', stream: 'x', text: 'y', colour: 'red' })),
  ]).toEqual([
    { kind: 'corrupt', reason: 'is no JSON', text: '' },
    { kind: 'corrupt', reason: 'is no JSON', text: '{"v":1,"se' },
    { kind: 'corrupt', reason: expect.stringMatching(/line|v:/), text: '[]' },
    { kind: 'corrupt', reason: expect.stringContaining('seq'), text: expect.any(String) },
    { kind: 'corrupt', reason: expect.stringContaining('text'), text: expect.any(String) },
    {
      kind: 'foreign',
      event: { ...common, type: 'gpu.exploded', heat: 9000 },
      raw: { ...common, type: 'gpu.exploded', heat: 9000 },
    },
    {
      kind: 'event',
      event: { ...common, type: 'log', stream: 'x', text: 'y' },
      raw: { ...common, type: 'log', stream: 'x', text: 'y', colour: 'red' },
    },
  ])
})

test('a grade whose reward does not fit its status is corrupt, so that silence never arrives as a zero', () => {
  const graded = [...sampleEvents({ ...sample, silentEvery: 1 })].find(
    (event) => event.type === 'rollout.graded' && event.grade.status === 'unreachable',
  )
  const forged = JSON.stringify(graded).replace('"reward":null', '"reward":0')
  expect(decodeLine(forged)).toEqual({
    kind: 'corrupt',
    reason: 'grade: a reward is a number exactly where the status is graded',
    text: forged,
  })
})
