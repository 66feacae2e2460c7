import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SketchRunSpec } from '#shared/domain/run.ts'
import { decodeLine } from '#shared/journal/decode.ts'
import type { RunEvent } from '#shared/journal/events.ts'
import { manifestOf, suiteFolder } from './suites.ts'

export type SpecChanges = {
  /** Runs that share a verifier need an id each. */
  run?: string
  suite?: 'reference' | 'weak' | 'repaired' | 'ladder'
  trainer?: Partial<SketchRunSpec['trainer']>
}

/** A temporary run folder with a small spec, and trainers started in it as processes of their own. */
export class TestRun {
  readonly dir: string
  readonly spec: SketchRunSpec
  private child: ChildProcess | null = null
  stderr = ''

  constructor(
    { run = 'r-20261129-testab', suite = 'weak', trainer = {} }: SpecChanges = {},
    dir = mkdtempSync(join(tmpdir(), 'ringside-trainer-')),
  ) {
    this.dir = dir
    const path = suiteFolder(suite)
    const { name, version, sha256 } = manifestOf(path)
    this.spec = SketchRunSpec.parse({
      v: 1,
      name: 'trainer test',
      run,
      box: { kind: 'local' },
      suite: { path, name, version, sha256 },
      audit: null,
      verifier: {},
      trainer: { kind: 'sketch', seed: 1, updates: 3, groupsPerStep: 3, evalDraws: 8, ...trainer },
    })
    writeFileSync(this.path('spec.json'), JSON.stringify(this.spec))
  }

  path(name: string): string {
    return join(this.dir, name)
  }

  start(url: string, ...more: string[]): ChildProcess {
    const main = join(import.meta.dirname, '../main.ts')
    const child = spawn(process.execPath, [main, '--run-dir', this.dir, '--verifier', url, ...more], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr?.on('data', (chunk) => {
      this.stderr += chunk
    })
    this.child = child
    return child
  }

  /** The exit code of the process started last; null where a signal ended it. */
  exited(): Promise<number | null> {
    const { child } = this
    if (child === null) throw new Error('nothing was started')
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
    return new Promise((resolve) => child.once('close', (code) => resolve(code)))
  }

  async runToEnd(url: string): Promise<number | null> {
    this.start(url)
    return this.exited()
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    if (this.child?.exitCode === null) this.child.kill(signal)
    await this.exited()
  }

  want(want: 'run' | 'stop_after_step' | 'abort'): void {
    writeFileSync(this.path('control.json'), JSON.stringify({ want }))
  }

  journalText(): string {
    try {
      return readFileSync(this.path('events.jsonl'), 'utf8')
    } catch {
      return ''
    }
  }

  /** Whole lines only: the trainer may be in the middle of a write. */
  events(): RunEvent[] {
    const text = this.journalText()
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map(decodeLine)
      .map((line) => {
        if (line.kind !== 'event') throw new Error(`a journal line is ${line.kind}: ${JSON.stringify(line)}`)
        return line.event
      })
  }

  /** Waits until the journal satisfies `holds`; a trainer that ends first is an error. */
  async until(holds: (events: RunEvent[]) => boolean): Promise<RunEvent[]> {
    for (let read = -1; ; ) {
      const { length } = this.journalText()
      const events = length === read ? null : this.events()
      if (events && holds(events)) return events
      read = length
      if (this.child?.exitCode !== null) throw new Error(`the trainer ended first: ${this.stderr}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  async dispose(): Promise<void> {
    if (this.child && this.child.exitCode === null && this.child.signalCode === null)
      await this.kill('SIGKILL')
    rmSync(this.dir, { recursive: true, force: true })
  }
}

/** A journal without what may differ between two runs of one seed: times, hosts, measurements, identities of processes. */
export function essence(events: readonly RunEvent[]): unknown[] {
  const incidental = new Set(['run.resumed', 'memory', 'verifier.blocked', 'verifier.unblocked'])
  return events
    .filter((event) => !incidental.has(event.type))
    .map(({ seq: _, at: __, ...event }) => {
      const { stepMs: _ms, host: _host, versions: _versions, ...rest } = event as Record<string, unknown>
      return 'grade' in rest ? { ...rest, grade: gradeEssence(rest.grade as Record<string, unknown>) } : rest
    })
}

function gradeEssence({ status, reward, passed, bodySha256 }: Record<string, unknown>): unknown {
  return { status, reward, passed, bodySha256 }
}
