import type { TestOutcome } from '#shared/domain/grade.ts'
import type { Evidence } from '#shared/domain/verifier.ts'
import type { Verdict } from '../grader.ts'
import { canonicalText } from '../json-text.ts'
import type { CaseReport } from './judge.ts'
import type { ProgramReport } from './session.ts'
import type { LoadedCase } from './tasks.ts'

/** Of one observed value and of one detail; what is longer is cut and says so. */
const shownChars = 2_000
/** Of everything that a program printed over all cases, in evidence. */
const outputChars = 64 * 1024

/** What a program's run says about it, case by case against the expected values, which only this side knows. */
export function verdictOf(report: ProgramReport, cases: LoadedCase[]): Verdict {
  const buildMs = report.buildMs
  const base = { buildMs, testMs: report.runMs, cache: 'fresh' as const, output: outputOf(report, cases) }
  if (report.phase === 'start') {
    return { ...base, status: 'unresolved', reason: 'sandbox_failed', tests: [] }
  }
  if (report.phase === 'compile') {
    return { ...base, status: 'build_failed', reason: report.reason, tests: [] }
  }
  const tests = cases.map((entry, index) => outcomeOf(entry, report.cases[index]))
  markTheCut(report, tests)
  const faulty = report.cases.find((found) => found.outcome === 'fault')
  if (faulty !== undefined) return { ...base, status: 'unresolved', reason: faulty.reason, tests: [] }
  const [first] = report.cases
  if (first?.outcome === 'unbuilt') {
    return { ...base, status: 'build_failed', reason: first.reason, tests }
  }
  return { ...base, ...statusOf(report, tests), tests }
}

/** Tampering outweighs a limit, a limit outweighs a wrong answer: the reason is that of the first case that shows it. */
function statusOf(report: ProgramReport, tests: TestOutcome[]): Pick<Verdict, 'status' | 'reason'> {
  const reasonOf = (outcome: CaseReport['outcome']) =>
    report.cases.find((found) => found.outcome === outcome)?.reason
  const tampered = reasonOf('tampered')
  if (tampered !== undefined) return { status: 'tampered', reason: tampered }
  const late = reasonOf('timed_out') ?? (report.reason === 'program_limit' ? report.reason : undefined)
  if (late !== undefined) return { status: 'timed_out', reason: late }
  if (tests.every((test) => test.outcome === 'passed')) return { status: 'passed', reason: null }
  return { status: 'test_failed', reason: report.reason ?? reasonOf('crashed') ?? null }
}

function outcomeOf(entry: LoadedCase, found: CaseReport | undefined): TestOutcome {
  const base = { name: entry.id, expected: entry.expected }
  if (found === undefined) return { ...base, outcome: 'not_run', ms: null, observed: null }
  const observed = found.outcome === 'value' ? found.value : null
  const detail = [
    found.detail || (found.reason === '' ? '' : found.reason),
    observed !== null && observed.length > shownChars
      ? `observed cut at ${shownChars} of ${observed.length} characters`
      : '',
  ].filter((text) => text !== '')
  return {
    ...base,
    outcome: nameOf(entry, found),
    ms: found.wallMs,
    observed: observed === null ? null : observed.slice(0, shownChars),
    ...(detail.length === 0 ? {} : { detail: detail.join('; ').slice(0, shownChars) }),
  }
}

function nameOf(entry: LoadedCase, found: CaseReport): TestOutcome['outcome'] {
  switch (found.outcome) {
    case 'value':
      return canonicalText(found.value) === entry.canonical ? 'passed' : 'failed'
    case 'failed':
    case 'unbuilt':
      return 'failed'
    case 'crashed':
    case 'timed_out':
    case 'tampered':
      return found.outcome
    case 'fault':
      return 'not_run'
  }
}

/** The case in whose midst the sandbox ended, or whose turn it was when the whole time was up. */
function markTheCut(report: ProgramReport, tests: TestOutcome[]): void {
  const cut = tests[report.cases.length]
  if (report.reason === null || cut === undefined) return
  cut.outcome = report.reason === 'program_limit' ? 'timed_out' : 'crashed'
  cut.detail = `${report.reason}: ${report.detail}`.slice(0, shownChars)
}

function outputOf(report: ProgramReport, cases: LoadedCase[]): Evidence['output'] {
  const out: Evidence['output'] = []
  if (report.detail !== '') {
    const name = report.phase === 'compile' ? 'compiler' : 'sandbox'
    out.push(piece(name, report.detail, 0, shownChars))
  }
  let room = outputChars
  report.cases.forEach((found, index) => {
    if (found.output === '') return
    const kept = piece(`case ${cases[index]?.id}`, found.output, found.cutBytes, room)
    room -= kept.text.length
    out.push(kept)
  })
  return out
}

const piece = (name: string, text: string, cutBytes: number, limit: number) => ({
  name,
  text: text.slice(0, limit),
  cutBytes: cutBytes + Math.max(0, text.length - limit),
  limitBytes: limit,
})
