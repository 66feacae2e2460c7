import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../testing/temp-folder.ts'
import { rooms } from '../core/data-folder.ts'
import { programs } from '../core/programs.ts'
import { LeaseLedger } from '../leases/ledger.ts'
import { MutantsService } from './mutants.ts'
import { savedReport } from './saved-reports.ts'

const booking = (name: string) => join(programs.demo, 'booking', name)
const slow = { timeout: 400_000 }

async function openService() {
  const home = await tempFolder()
  const { leases, scratch, mutantMarks: marks, mutantReports: reports } = rooms(home)
  const now = () => new Date()
  const ledger = await LeaseLedger.open(leases, now)
  onTestFinished(() => ledger.close())
  const service = new MutantsService({ ledger, scratch, marks, reports, env: process.env, now })
  return { service, ledger, reports }
}

const whole = { source: null, task: null, limit: Number.POSITIVE_INFINITY }
const changes = (rows: { fate: string; before: string; after: string }[]) =>
  rows.map(({ fate, before, after }) => `${fate} ${before} → ${after}`)

test(
  '`<` for `<=` survives the weak suite as a would-be false acceptance, and not the repaired one',
  slow,
  async () => {
    const { service, ledger, reports } = await openService()
    const weak = await service.measure({ suite: booking('weak'), audit: booking('audit'), ...whole })
    expect(changes(weak.survivors.filter(({ fate }) => fate !== 'unseen'))).toEqual([
      'false_acceptance <= → <',
    ])
    expect(weak.total).toMatchObject({ graded: weak.total.possible, falseAcceptances: 1, unknown: 0 })

    const [, unseen] = weak.survivors
    if (!unseen) throw new Error('no mutant is unseen by both')
    await service.mark(unseen.referenceSha256, unseen.id, 'the two statements do not meet')
    const repaired = await service.measure({ suite: booking('repaired'), audit: null, ...whole })
    expect(changes(repaired.survivors)).not.toContain('unseen <= → <')
    expect(repaired.total).toEqual({
      ...weak.total,
      killed: weak.total.killed + 1,
      falseAcceptances: 0,
      unseen: weak.total.unseen - 1,
      equivalent: 1,
      score: (weak.total.killed + 1) / (weak.total.graded - 1),
    })
    expect(await savedReport(reports, weak.suite.sha256, weak.audit?.sha256 ?? null)).toEqual(weak)
    expect(ledger.all().filter(({ state }) => state !== 'released')).toEqual([])
  },
)

test(
  'a Rust test that looks far from both limits lets `<` for `<=` through; one that looks at them does not',
  slow,
  async () => {
    const { service } = await openService()
    const folder = join(await tempFolder(), 'rust')
    await cp(join(programs.demo, 'rust'), folder, {
      recursive: true,
      filter: (path) => !path.endsWith('/target'),
    })
    const file = join(folder, 'ledger/src/money.rs')
    const weak = await readFile(file, 'utf8')
    const far = 'assert_eq!(late_fee(100_000, 3), 0);'
    expect(weak).toContain(far)
    await writeFile(
      file,
      weak.replace(
        far,
        `${far} assert_eq!(late_fee(100_000, 14), 0); assert_eq!(late_fee(100_000, 30), 2_000);`,
      ),
    )
    await promisify(execFile)(process.execPath, [join(programs.demo, 'generate-rust.ts'), folder])

    const task = { source: null, task: 'late-fee', limit: 12 }
    const before = await service.measure({
      suite: join(programs.demo, 'rust/suite'),
      audit: join(folder, 'suite'),
      ...task,
    })
    expect(changes(before.survivors)).toContain('false_acceptance <= → <')
    expect(before.total.killed).toBeGreaterThan(0)
    const after = await service.measure({ suite: join(folder, 'suite'), audit: null, ...task })
    expect(changes(after.survivors)).not.toContain('unseen <= → <')
  },
)
