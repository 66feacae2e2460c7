import { AppError } from '../base/errors.ts'
import { parsePodLogLine } from '../kube/pod-log.ts'

/**
 * The filter of a log's lines: terms joined by white space.
 *
 * - `/re/` or `/re/i`: the line matches; with several, each of them. A slash inside is `\/`; white space stands for itself.
 * - `!/re/`: it does not.
 * - `container:x`: it is of that container, or with several, of any of them; `!container:x`: of another. `pod:x` alike, by the pod's name or
 *   its beginning. In a log of one program, which has no containers, these find nothing.
 */
export type LogFilter = {
  patterns: { regex: RegExp; negated: boolean }[]
  sources: { field: 'container' | 'pod'; value: string; negated: boolean }[]
}

const term = /\s*(!?)(?:\/((?:\\.|[^/\\])+)\/([a-z]*)|(container|pod):(\S+))(?=\s|$)/y

/** @throws {AppError} `bad_filter`, naming what cannot be read. */
export function parseLogFilter(line: string): LogFilter {
  const filter: LogFilter = { patterns: [], sources: [] }
  const whole = line.trimEnd()
  term.lastIndex = 0
  for (let at = 0; at < whole.length; at = term.lastIndex) {
    term.lastIndex = at
    const found = term.exec(whole)
    if (!found) throw unreadable(whole.slice(at).trim())
    const [, sign, pattern, flags = '', field, value = ''] = found
    const negated = sign === '!'
    if (field === 'container' || field === 'pod') filter.sources.push({ field, value, negated })
    else filter.patterns.push({ regex: compile(pattern ?? '', flags), negated })
  }
  return filter
}

/** Whether a line, as it stands in the log, is to be shown. What is said about a log, not in it, is shown wherever its source is. */
export function matchesLogFilter({ patterns, sources }: LogFilter, line: string): boolean {
  const parsed = parsePodLogLine(line)
  for (const field of ['container', 'pod'] as const) {
    const wanted = sources.filter((source) => source.field === field && !source.negated)
    const unwanted = sources.filter((source) => source.field === field && source.negated)
    const is = (value: string) =>
      parsed !== null && (field === 'pod' ? parsed.pod.startsWith(value) : parsed.container === value)
    if (wanted.length > 0 && !wanted.some(({ value }) => is(value))) return false
    if (unwanted.some(({ value }) => is(value))) return false
  }
  if (parsed !== null && !parsed.own) return true
  const text = parsed?.text ?? line
  return patterns.every(({ regex, negated }) => regex.test(text) !== negated)
}

export const isEmptyLogFilter = ({ patterns, sources }: LogFilter): boolean =>
  patterns.length === 0 && sources.length === 0

function compile(pattern: string, flags: string): RegExp {
  if (flags !== '' && flags !== 'i') throw unreadable(`/${pattern}/${flags}`)
  try {
    return new RegExp(pattern, flags === 'i' ? 'iu' : 'u')
  } catch (cause) {
    throw new AppError('bad_filter', `/${pattern}/ is no regular expression: ${(cause as Error).message}.`, {
      hint: 'Correct it; a special character that is meant itself wants a backslash.',
    })
  }
}

const unreadable = (text: string) =>
  new AppError('bad_filter', `“${text.slice(0, 80)}” is no filter of a log.`, {
    hint: 'Write /text/ or !/text/ (with i behind it for any case), container:name or pod:name.',
  })
