import { basename, resolve } from 'node:path'
import { dataFolder, rooms } from '#services/core/data-folder.ts'
import { addToSetList } from '#services/tasks/set-list.ts'
import { AppError } from '#shared/base/errors.ts'
import type { MemoryEstimate } from '#shared/tasks/memory.ts'
import type { BuildReport } from '#shared/tasks/report.ts'
import { print, printJson, table } from '../output.ts'

export const millions = 1_000_000

/** The name given, else one made of a path's last part. */
export function suiteName(name: string | undefined, path: string): string {
  const given =
    name ??
    basename(resolve(path))
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
  if (/^[a-z0-9][a-z0-9-]*$/.test(given)) return given
  throw new AppError('bad_input', `--name ${given}: must be lower-case letters, digits and -.`)
}

/** @throws {AppError} `controls_failed` where nothing is left: a suite of no task cannot be written. */
export async function tell(report: BuildReport, out: string, json: true | undefined): Promise<void> {
  const { found, kept, dropped } = report
  if (kept > 0) await addToSetList(rooms(dataFolder()).taskSets, resolve(out))
  if (json) printJson({ found, kept, dropped })
  else print(inWords(report, out))
  if (kept > 0) return
  throw new AppError('controls_failed', `Of ${found} found, none is kept: ${out} was not written.`, {
    hint: 'Each drop says why; loosen a limit that is too strict here, or choose another source.',
  })
}

function inWords(report: BuildReport, out: string): string {
  const { found, kept, dropped, tokens, corpus, memory } = report
  const rows = dropped.map(({ task, line, reason, detail }) => [
    line === undefined ? task : `line ${line}`,
    reason.replaceAll('_', ' '),
    detail.length > 110 ? `${detail.slice(0, 109)}…` : detail,
  ])
  return [
    ...(rows.length === 0 ? [] : [table(['dropped', 'why', ''], rows), '']),
    ...report.notes,
    `Prompts: ${tokens.longest === null ? 'none' : `${tokens.longest} tokens at most`}, by ${tokens.by}${tokens.cap === null ? '' : `; the cap is ${tokens.cap}`}.`,
    ...tokens.histogram.map(
      ({ from, to, prompts }) =>
        `  ${String(from).padStart(6)}–${String(to - 1).padEnd(6)} ${'▇'.repeat(Math.min(60, prompts))} ${prompts}`,
    ),
    ...(corpus === null
      ? []
      : [
          `Corpus: ${corpus.files} files, ${(corpus.bytes / 1e6).toFixed(1)} MB; ${corpus.findings.length} places; ${corpus.unscannable.length} bodies too small to be looked for.`,
        ]),
    ...(memory === null ? [] : [memoryWords(memory)]),
    `${kept} of ${found} kept${kept > 0 ? `, in ${out}` : ''}.`,
  ].join('\n')
}

const gib = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GiB`

function memoryWords({
  totalBytes,
  weightBytes,
  cacheBytes,
  logitBytes,
  boxBytes,
  fits,
}: MemoryEstimate): string {
  const parts = `weights ${gib(weightBytes)}, cache ${gib(cacheBytes)} or logits ${gib(logitBytes)}, whichever is more`
  const verdict =
    boxBytes === null ? '' : `; the box has ${gib(boxBytes)}: ${fits ? 'it may fit' : 'it cannot fit'}`
  return `Memory of the longest prompt: ${gib(totalBytes)} at least (${parts})${verdict}.`
}
