import type { Canary } from './canary.ts'
import type { ProcessResult } from './run-process.ts'

/** What one run of one test beside the canary shows. Where it is not `passed` or `failed`, `reason` says what is wrong. */
export type TestReading =
  | { outcome: 'passed' | 'failed' }
  | { outcome: 'crashed' | 'timed_out'; reason: string }
  | { outcome: 'missing'; reason: string }
  | { outcome: 'tampered'; reason: string }

const summary =
  /\nfailures:\n((?: {4}[^\n]+\n)+)\ntest result: FAILED\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; \d+ filtered out; finished in [\d.]+s\n\n$/
const resultLine = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored.*)$/

/**
 * Reads the harness's own report from its end, where nothing of the test's can follow: its list of failures must name the canary and its
 * counts must be of two tests, the canary's section must hold the nonce, and the process must have exited with 101. Only then is it asked
 * whether the scored test is in that list. What a test printed on the way is in between and is not believed.
 */
export function readTest(result: ProcessResult, name: string, canary: Canary): TestReading {
  if (result.timedOut) return { outcome: 'timed_out', reason: 'time_limit' }
  if (result.flooded) return { outcome: 'crashed', reason: 'output_limit' }
  const text = result.stdout
  const tail = summary.exec(text)
  if (!tail) return unfinished(result, text)
  const failures = (tail[1] ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(4))
  const [passed, failed, ignored, measured] = tail.slice(2, 6).map(Number)
  const dump = text.indexOf('\nfailures:\n\n')
  const nonce = text.lastIndexOf(`---- ${canary.test} stdout ----\nError: ${JSON.stringify(canary.text)}\n`)
  if (result.code !== 101 || nonce < dump || dump < 0 || failures.at(-1) !== canary.test)
    return { outcome: 'tampered', reason: 'canary_silent' }
  if (passed === 0 && failed === 1) return { outcome: 'missing', reason: 'test_not_found' }
  if ((passed ?? 0) + (failed ?? 0) !== 2 || ignored !== 0 || measured !== 0)
    return { outcome: 'tampered', reason: 'wrong_count' }
  const named = failures.slice(0, -1)
  if (named.length > 1 || (named.length === 1 && named[0] !== name))
    return { outcome: 'tampered', reason: 'wrong_test' }
  const outcome = named.length === 0 ? 'passed' : 'failed'
  return contradicted(text.slice(0, dump), name, canary, outcome)
    ? { outcome: 'tampered', reason: 'forged_output' }
    : { outcome }
}

/**
 * Whether the lines before the failures' own output hold any result that is not the harness's. A test's output that went past the harness's
 * capture may stand among them and may part its own line, so the test's line can be missing there, but it cannot be there twice or differ.
 */
function contradicted(head: string, name: string, canary: Canary, outcome: 'passed' | 'failed'): boolean {
  const results: string[] = []
  for (const line of head.split('\n')) {
    if (line.startsWith('test result:')) return true
    const match = resultLine.exec(line)
    if (match) results.push(`${match[1]} ${match[2] === 'ok' ? 'passed' : 'failed'}`)
  }
  const last = `${canary.test} failed`
  const own = `${name} ${outcome}`
  return results.join('\n') !== [own, last].join('\n') && results.join('\n') !== last
}

/** Without the harness's closing report: killed by a signal is a crash, an exit by itself is the body's doing. */
function unfinished(result: ProcessResult, text: string): TestReading {
  const signal =
    result.signal ?? (result.code !== null && result.code > 128 ? `signal ${result.code - 128}` : null)
  if (signal !== null) return { outcome: 'crashed', reason: `killed by ${signal}` }
  if (/\nrunning 0 tests\n/.test(text)) return { outcome: 'missing', reason: 'test_not_found' }
  return { outcome: 'tampered', reason: 'exited_early' }
}
