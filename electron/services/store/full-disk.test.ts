import { mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { dumpIndex, sampleRunId as run, StoreLab, smallDisk, smallSample } from './testing.ts'

let lab: StoreLab
let mounted: { unmount: () => void } | null = null
afterEach(async () => {
  for (const store of lab.stores) await store.dispose()
  mounted?.unmount()
  await lab.dispose()
})

test('a disk that fills while a run is read in is said, loses nothing, and is gone on from when there is room', async (context) => {
  lab = await StoreLab.make({ ...smallSample, steps: 40 })
  await mkdir(lab.home, { recursive: true })
  mounted = smallDisk(lab.home, 4096)
  if (!mounted) return context.skip('needs the right to mount a small tmpfs')
  const source = lab.lines().join('')
  let store = await lab.open()
  await writeFile(lab.events, source.slice(0, 100_000))
  await store.catchUp(run)
  const ballast = join(lab.home, 'ballast')
  // Ends short: the disk takes what it has room for.
  await writeFile(ballast, Buffer.alloc(8 << 20)).catch(() => {})
  await writeFile(lab.events, source)
  await expect(store.catchUp(run)).rejects.toMatchObject({
    message: expect.stringContaining('the disk is full'),
  })
  const seen = store.summary(run).rollouts
  await rm(ballast)
  await store.catchUp(run)
  expect(seen).toBeLessThan(store.summary(run).rollouts)
  expect(store.summary(run)).toMatchObject({ rollouts: 40 * 12, phase: 'finished' })
  expect(await readFile(join(lab.home, 'runs', run, 'journal.jsonl'), 'utf8')).toBe(source)
  await store.fetchMissing(run)
  await store.dispose()
  const grown = dumpIndex(lab.home)
  await rm(join(lab.home, 'index.sqlite'))
  store = await lab.open()
  await store.dispose()
  expect(dumpIndex(lab.home)).toEqual(grown)
})

test('an index that finds no room has no half of a batch, and catches up', async (context) => {
  lab = await StoreLab.make({ ...smallSample, steps: 40 })
  await mkdir(lab.home, { recursive: true })
  mounted = smallDisk(lab.home, 4096)
  if (!mounted) return context.skip('needs the right to mount a small tmpfs')
  const store = await lab.open()
  const source = lab.lines().join('')
  // The journal is there whole; only the index has no room any more.
  await mkdir(join(lab.home, 'runs', run), { recursive: true })
  await writeFile(join(lab.home, 'runs', run, 'journal.jsonl'), source)
  await writeFile(lab.events, source)
  const ballast = join(lab.home, 'ballast')
  // Room for the run's first row, not for its rollouts: the batch fails when it is committed.
  const { bavail, bsize } = await statfs(lab.home)
  await writeFile(ballast, Buffer.alloc(bavail * bsize - 200_000))
  await expect(store.catchUp(run)).rejects.toMatchObject({ code: 'disk_full', retryable: true })
  await expect(store.catchUp(run)).rejects.toMatchObject({ code: 'disk_full' })
  await rm(ballast)
  await store.catchUp(run)
  expect(store.summary(run)).toMatchObject({ rollouts: 40 * 12, phase: 'finished' })
})
