import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AppError } from '#shared/base/errors.ts'
import type { BoxFiles } from '../box/files.ts'
import { localFiles } from './local-files.ts'
import { Tail, type TailOptions, wholeLines } from './tail.ts'

let folder: string
let tails: Tail[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringside-tail-'))
  tails = []
})
afterEach(async () => {
  for (const tail of tails) await tail.dispose()
  await rm(folder, { recursive: true, force: true })
})

const path = () => join(folder, 'log')
const at = new Date('2026-11-29T12:00:00Z')

function tailOf(taken: string[], overrides: Partial<TailOptions> = {}): Tail {
  const tail = new Tail({
    files: localFiles(folder),
    path: 'log',
    offset: 0,
    pollMs: 5,
    now: () => at,
    take: (bytes) => {
      taken.push(Buffer.from(bytes).toString())
      return bytes.length
    },
    onReplaced: () => 0,
    ...overrides,
  })
  tails.push(tail)
  return tail
}

/** Resolves as soon as `holds`; the test's own limit ends it otherwise. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('each byte is taken once, in order, whatever is written between looks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.string({ maxLength: 20 }), { maxLength: 4 }), { maxLength: 6 }),
      async (bursts) => {
        await writeFile(path(), '')
        const taken: string[] = []
        const tail = tailOf(taken)
        for (const burst of bursts) {
          for (const part of burst) await appendFile(path(), part)
          await tail.poll()
        }
        expect(taken.join('')).toBe(bursts.flat().join(''))
        expect(tail.health.offset).toBe(Buffer.byteLength(bursts.flat().join('')))
      },
    ),
    { numRuns: 30 },
  )
})

test('a reader of lines never takes half of one, not even one that its writer cuts off and writes anew', async () => {
  const taken: string[] = []
  const tail = tailOf(taken, {
    take: (bytes) => {
      const whole = wholeLines(bytes)
      if (whole > 0) taken.push(Buffer.from(bytes.subarray(0, whole)).toString())
      return whole
    },
  })
  const long = 'x'.repeat(700_000)
  await writeFile(path(), `one\n{"half`)
  await tail.poll()
  await truncate(path(), 4)
  await appendFile(path(), `${long}`)
  await tail.poll()
  await appendFile(path(), `\nthree\n`)
  await tail.poll()
  expect(taken.join('')).toBe(`one\n${long}\nthree\n`)
})

test('a shorter file and another file of the name are noticed, and the reader decides where to go on', async () => {
  const taken: string[] = []
  const sizes: number[] = []
  const tail = tailOf(taken, {
    onReplaced: (stat) => {
      sizes.push(stat.sizeBytes)
      return sizes.length < 3 ? 0 : null
    },
  })
  await writeFile(path(), 'first')
  await tail.poll()
  await writeFile(path(), 'cut')
  await tail.poll()
  await writeFile(join(folder, 'new'), 'another file')
  await rename(join(folder, 'new'), path())
  await tail.poll()
  await writeFile(path(), 'x')
  await tail.poll()
  await appendFile(path(), 'never taken')
  await tail.poll()
  expect([taken, sizes]).toEqual([
    ['first', 'cut', 'another file'],
    [3, 12, 1],
  ])
  expect([tail.health.state, tail.health.detail]).toEqual(['lost', 'another file took its place'])
})

test('an unanswering box loses nothing and is said; what comes back goes on where it stopped', async () => {
  const local = localFiles(folder)
  let broken = false
  const fail = async () => {
    throw new AppError('unreachable', 'The box does not answer.')
  }
  const files: BoxFiles = {
    stat: (name) => (broken ? fail() : local.stat(name)),
    read: (name, offset, length) => local.read(name, offset, length),
  }
  const taken: string[] = []
  const tail = tailOf(taken, { files })
  await tail.poll()
  const states = [tail.health.state]
  await writeFile(path(), 'a')
  await tail.poll()
  states.push(tail.health.state)
  broken = true
  await appendFile(path(), 'b')
  await tail.poll()
  states.push(tail.health.state)
  expect(tail.health.detail).toBe('The box does not answer.')
  broken = false
  await tail.poll()
  states.push(tail.health.state)
  expect([states, taken.join(''), tail.health.lastHeardAt]).toEqual([
    ['waiting', 'live', 'lost', 'live'],
    'ab',
    at,
  ])
})

test('a reader that fails is offered the same bytes again', async () => {
  await writeFile(path(), 'once\n')
  const taken: string[] = []
  let fails = true
  const tail = tailOf(taken, {
    take: (bytes) => {
      if (fails) throw new AppError('disk_full', 'The disk is full.')
      taken.push(Buffer.from(bytes).toString())
      return bytes.length
    },
  })
  await tail.poll()
  expect(tail.health).toMatchObject({ state: 'lost', detail: 'The disk is full.', offset: 0 })
  fails = false
  await tail.poll()
  expect([taken, tail.health.state]).toEqual([['once\n'], 'live'])
})

test('a started tail follows by itself and ends when told', async () => {
  const taken: string[] = []
  const tail = tailOf(taken).start()
  await writeFile(path(), 'a')
  await until(() => taken.join('') === 'a')
  await appendFile(path(), 'b')
  await until(() => taken.join('') === 'ab')
  await tail.dispose()
  await appendFile(path(), 'c')
  await tail.poll()
  expect(taken.join('')).toBe('ab')
})

test('no path leads out of the run’s folder', async () => {
  const files = localFiles(folder)
  await expect(files.stat('../../etc/passwd')).rejects.toMatchObject({ code: 'bad_input' })
  await expect(files.read('log', 0, 1)).rejects.toMatchObject({ code: 'not_found' })
})

test('a box that is there again is asked at once, however long the pause had grown', async () => {
  const local = localFiles(folder)
  let broken = true
  let back = () => {}
  const files: BoxFiles = {
    stat: async (name) => {
      if (broken) throw new AppError('unreachable', 'The box does not answer.')
      return local.stat(name)
    },
    read: (name, offset, length) => local.read(name, offset, length),
    onBack: (listener) => {
      back = listener
      return { dispose: () => undefined }
    },
  }
  await writeFile(path(), 'a')
  const taken: string[] = []
  // A pause that no test would outlast.
  const tail = tailOf(taken, { files, pollMs: 600_000 }).start()
  await until(() => tail.health.state === 'lost')
  broken = false
  back()
  await until(() => taken.join('') === 'a')
})
