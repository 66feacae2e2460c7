import { expect, onTestFinished, test, vi } from 'vitest'
import type { ConsoleRecord } from '#shared/journal/events.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { AppendFile } from './append-file.ts'
import { sha256Of } from './evidence.ts'
import { openStore } from './store.ts'

const run = 'r-20261129-abcdef'
const verdict = (i: number, said: 'wrong' | null): ConsoleRecord => ({
  at: '2026-11-29T13:00:00.000Z',
  type: 'verdict',
  bodySha256: sha256Of(new TextEncoder().encode(`${i}`)),
  verdict: said,
  note: '',
})

test('5,000 verdicts are one write, kept whole or not at all, and taken back exactly', async () => {
  const home = await tempFolder()
  const store = await openStore({
    home,
    now: () => new Date(),
    boxFiles: () => null,
    fetchEvidence: async () => null,
  })
  onTestFinished(() => store.dispose())
  const append = vi.spyOn(AppendFile.prototype, 'append')
  onTestFinished(() => append.mockRestore())
  const many = (said: 'wrong' | null) => Array.from({ length: 5_000 }, (_, i) => verdict(i, said))
  await store.recordAll(run, many('wrong'))
  expect(append).toHaveBeenCalledTimes(1)

  const broken = [verdict(1, null), { ...verdict(2, null), bodySha256: 'no hash' }]
  await expect(store.recordAll(run, broken)).rejects.toThrow()
  expect(await store.consoleRecords(run)).toEqual(many('wrong'))

  await store.recordAll(run, many(null))
  expect((await store.consoleRecords(run)).slice(5_000)).toEqual(many(null))
})
