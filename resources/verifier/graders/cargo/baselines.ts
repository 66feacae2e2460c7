import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { Baseline, baselineOf } from './baseline.ts'
import type { Graded } from './grade-body.ts'

/** Grades a task's reference body; `wide` lets its tests start processes and see `/proc`. */
type Measure = (wide: boolean) => Promise<Graded>

/** What the reference bodies showed, measured once a task and machine by whichever slot needs it first; kept on disk where it is good. */
export class Baselines {
  private readonly known = new Map<string, Promise<Baseline>>()
  private readonly folder: string
  private readonly log: (text: string) => void

  constructor(folder: string, log: (text: string) => void) {
    this.folder = folder
    this.log = log
  }

  /** @param identity everything that the measurement depends on; another identity is measured anew. */
  get(task: string, identity: string, measure: Measure): Promise<Baseline> {
    const known = this.known.get(task)
    if (known) return known
    const measured = this.find(task, identity, measure)
    this.known.set(task, measured)
    measured.catch(() => this.known.delete(task))
    return measured
  }

  private async find(task: string, identity: string, measure: Measure): Promise<Baseline> {
    const file = `${this.folder}/${createHash('sha256').update(identity).digest('hex')}.json`
    const text = await readFile(file, 'utf8').catch(() => 'null')
    const saved = Baseline.safeParse(JSON.parse(text))
    if (saved.success) return saved.data
    const found = await this.measure(measure)
    if (!found.ok) this.log(`task ${task}: ${found.status}, ${found.reason}`)
    await mkdir(this.folder, { recursive: true })
    if (found.ok) await writeFile(file, JSON.stringify(found))
    return found
  }

  /** First as narrow as can be; wide only where the tests of the right body need that. */
  private async measure(measure: Measure): Promise<Baseline> {
    const narrow = await measure(false)
    const first = baselineOf(narrow, false)
    if (first.ok || narrow.testMs === null) return first
    const wide = baselineOf(await measure(true), true)
    return wide.ok ? wide : first
  }
}
