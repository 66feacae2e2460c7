import { expect, test } from 'vitest'
import { formatPodLogLine, parsePodLogLine } from '../kube/pod-log.ts'
import { matchesLogFilter, parseLogFilter } from './log-filter.ts'

const line = (pod: string, container: string, text: string, own = true) =>
  formatPodLogLine({ at: '2026-11-29T12:00:00.5Z', pod, container, restart: 0, own, text })

const lines = {
  started: line('v-1-a', 'verifier', 'listening on 8080'),
  error: line('v-1-a', 'verifier', 'Error: disk a/b is full'),
  side: line('v-1-b', 'proxy', 'listening: error'),
  cut: line('v-1-b', 'proxy', 'dropped: the connection was cut', false),
  plain: '12:00 step 3: error rate 0.1',
}
const shown = (filter: string) =>
  Object.entries(lines)
    .filter(([, text]) => matchesLogFilter(parseLogFilter(filter), text))
    .map(([name]) => name)

test('each term narrows; words about a log stay wherever its source is shown', () => {
  expect(
    Object.fromEntries(
      [
        '',
        '/listening/',
        '/error/i',
        '/error/i !/listening/',
        'container:proxy',
        '!container:proxy',
        'container:proxy container:verifier',
        'pod:v-1-a /a\\/b/',
        '/is full$/',
        '/rate 0\\.1/',
      ].map((filter) => [filter, shown(filter)]),
    ),
  ).toEqual({
    '': ['started', 'error', 'side', 'cut', 'plain'],
    '/listening/': ['started', 'side', 'cut'],
    '/error/i': ['error', 'side', 'cut', 'plain'],
    '/error/i !/listening/': ['error', 'cut', 'plain'],
    'container:proxy': ['side', 'cut'],
    '!container:proxy': ['started', 'error', 'plain'],
    'container:proxy container:verifier': ['started', 'error', 'side', 'cut'],
    'pod:v-1-a /a\\/b/': ['error'],
    '/is full$/': ['error', 'cut'],
    '/rate 0\\.1/': ['cut', 'plain'],
  })
})

test.each([
  ['error', '“error” is no filter'],
  ['/a/ b', '“b” is no filter'],
  ['/(/', 'is no regular expression'],
  ['/a/g', '“/a/g” is no filter'],
  ['container:', '“container:” is no filter'],
])('%s is refused in words', (filter, words) => {
  expect(() => parseLogFilter(filter)).toThrow(words)
})

test('a line of the file is read as it was written, whatever its text', () => {
  for (const text of ['plain', '', ' leading', 'a/b: c! d', '2026-11-29T12:00:00Z x/y: z']) {
    const given = {
      at: '2026-11-29T12:00:00.123456789Z',
      pod: 'a-b',
      container: 'c',
      restart: 3,
      own: true,
      text,
    }
    expect(parsePodLogLine(formatPodLogLine(given))).toEqual(given)
  }
})
