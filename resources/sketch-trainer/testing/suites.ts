import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Case, SuiteManifest } from '#shared/domain/suite.ts'
import type { StandInSuite } from './stand-in-verifier.ts'

const demo = join(import.meta.dirname, '../../demo')

export const bookingFolder = (name: string): string => join(demo, 'booking', name)

/** A booking suite by its short name, or the ladder. */
export const suiteFolder = (name: string): string =>
  name === 'ladder' ? join(demo, name) : bookingFolder(name)

export const manifestOf = (folder: string): SuiteManifest =>
  SuiteManifest.parse(JSON.parse(readFileSync(join(folder, 'suite.json'), 'utf8')))

/** A frozen booking suite, read as it lies. */
export function bookingSuite(name: 'reference' | 'weak' | 'repaired' | 'audit'): StandInSuite {
  const folder = bookingFolder(name)
  const manifest = manifestOf(folder)
  const lines = readFileSync(join(folder, 'cases/required-capacity.jsonl'), 'utf8').trimEnd().split('\n')
  const cases = lines.map((line) => Case.parse(JSON.parse(line)))
  return { name: manifest.name, version: manifest.version, sha256: manifest.sha256, cases }
}
