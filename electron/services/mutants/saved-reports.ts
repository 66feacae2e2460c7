import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MutantReport } from '#shared/mutation/report.ts'

const fileOf = (folder: string, suite: string, audit: string | null) =>
  join(folder, `${suite}-${audit ?? 'alone'}.json`)

/** Keeps what was measured of a whole suite, by the content of both suites: it stays true for as long as those do. */
export async function keepReport(folder: string, report: MutantReport): Promise<void> {
  const path = fileOf(folder, report.suite.sha256, report.audit?.sha256 ?? null)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(`${path}.${process.pid}.tmp`, `${JSON.stringify(report)}\n`, { flush: true })
  await rename(`${path}.${process.pid}.tmp`, path)
}

/** Null where these suites were not measured here, or the file is damaged: it can be measured again. */
export async function savedReport(
  folder: string,
  suite: string,
  audit: string | null,
): Promise<MutantReport | null> {
  try {
    return JSON.parse(await readFile(fileOf(folder, suite, audit), 'utf8')) as MutantReport
  } catch {
    return null
  }
}
