import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ConsoleRecord } from '#shared/journal/events.ts'
import { AppendFile } from './append-file.ts'
import { appendRecords, readRecords } from './console-log.ts'
import { EvidenceStore, sha256Of } from './evidence.ts'
import { decodeUtf8, readLines } from './journal.ts'
import { smallDisk } from './testing.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringside-files-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const bytes = (text: string) => Buffer.from(text)

async function linesFrom(path: string, offset: number): Promise<string[]> {
  const texts: string[] = []
  for await (const lines of readLines(path, offset)) texts.push(...lines.map((line) => line.text))
  return texts
}

test('a torn last line is cut off when the file is opened, however long it is, and nothing else is', async () => {
  const path = join(folder, 'journal.jsonl')
  const piece = fc.oneof(fc.constant('x'.repeat(70_000)), fc.string({ unit: 'grapheme', maxLength: 40 }))
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 5 }), piece, async (whole, torn) => {
      const kept = whole.map((text) => `${text.replaceAll('\n', ' ')}\n`).join('')
      const tail = torn.replaceAll('\n', ' ')
      await writeFile(path, kept + tail)
      const file = await AppendFile.open(path)
      expect([file.sizeBytes, file.repairedBytes]).toEqual([Buffer.byteLength(kept), Buffer.byteLength(tail)])
      await Promise.all([file.append(bytes('one\n')), file.append(bytes('two\n'))])
      await file.dispose()
      expect(await readFile(path, 'utf8')).toBe(`${kept}one\ntwo\n`)
    }),
    { numRuns: 30 },
  )
})

test('lines are read from an offset on, a torn one not at all, an absent file as nothing', async () => {
  const path = join(folder, 'journal.jsonl')
  await writeFile(path, 'eins\nzwölf\n')
  await appendFile(path, Buffer.from([0xff, 10, 0xe2, 0x82]))
  expect([
    await linesFrom(path, 0),
    await linesFrom(path, 5),
    await linesFrom(join(folder, 'none'), 0),
  ]).toEqual([['eins', 'zwölf', '�'], ['zwölf', '�'], []])
})

test('half a line is refused, as a reader would take it for a whole one', async () => {
  const file = await AppendFile.open(join(folder, 'journal.jsonl'))
  await expect(file.append(bytes('no end'))).rejects.toThrow('only whole lines')
  await file.dispose()
})

test('console records come back as written; a damaged line costs only itself', async () => {
  const path = join(folder, 'runs', 'console.jsonl')
  const launched: ConsoleRecord = { at: '2026-11-29T12:00:00.000Z', type: 'launched', leases: ['a'] }
  await appendRecords(path, [launched])
  await appendFile(path, '{"type":"launched"}\nnot json\n{"torn')
  await appendRecords(path, [{ ...launched, leases: [] }])
  expect(await readRecords(path)).toEqual([launched, { ...launched, leases: [] }])
})

test('evidence stands under its hash; the same again is nothing new, other bytes under the name are an error', async () => {
  const store = new EvidenceStore(join(folder, 'evidence'))
  const name = await store.put(bytes('the truth'))
  const before = await stat(store.pathOf(name))
  expect([name, await store.put(bytes('the truth'))]).toEqual([sha256Of('the truth'), name])
  expect((await stat(store.pathOf(name))).ino).toBe(before.ino)
  expect([decodeUtf8((await store.get(name)) ?? bytes('')), await store.get(sha256Of('other'))]).toEqual([
    'the truth',
    null,
  ])
  await writeFile(store.pathOf(name), 'something else')
  await expect(store.put(bytes('the truth'))).rejects.toMatchObject({ code: 'content_conflict' })
  await expect(store.get(name)).rejects.toMatchObject({ code: 'content_conflict' })
  await expect(store.get('../../etc/passwd')).rejects.toMatchObject({ code: 'bad_input' })
})

test('many writers of the same bytes all succeed, and leave one file and no draft', async () => {
  const store = new EvidenceStore(join(folder, 'evidence'))
  const big = Buffer.alloc(300_000, 'e')
  const names = await Promise.all(Array.from({ length: 12 }, () => store.put(big)))
  expect(new Set(names)).toEqual(new Set([sha256Of(big)]))
  expect(await readdir(join(folder, 'evidence', 'drafts'))).toEqual([])
  expect(await readdir(dirname(store.pathOf(sha256Of(big))))).toEqual([sha256Of(big)])
})

test('drafts of a writer that was killed are swept, evidence is not', async () => {
  const store = new EvidenceStore(join(folder, 'evidence'))
  const name = await store.put(bytes('kept'))
  await writeFile(join(folder, 'evidence', 'drafts', 'half'), 'ha')
  await store.sweepDrafts()
  expect([(await readdir(join(folder, 'evidence'))).sort(), await store.has(name)]).toEqual([
    [name.slice(0, 2)],
    true,
  ])
})

test('a full disk is said as such and leaves nothing half-written, and the same call succeeds with room again', async (context) => {
  const disk = join(folder, 'disk')
  await mkdir(disk)
  const mounted = smallDisk(disk, 64)
  if (!mounted) return context.skip('needs the right to mount a small tmpfs')
  const file = await AppendFile.open(join(disk, 'journal.jsonl'))
  try {
    const store = new EvidenceStore(join(disk, 'evidence'))
    await file.append(bytes('first\n'))
    const ballast = join(disk, 'ballast')
    await writeFile(ballast, Buffer.alloc(40_000))
    const big = Buffer.alloc(30_000, 'e')
    await expect(store.put(big)).rejects.toMatchObject({ code: 'disk_full', retryable: true })
    await expect(file.append(Buffer.from(`${'x'.repeat(30_000)}\n`))).rejects.toMatchObject({
      code: 'disk_full',
    })
    expect([await readFile(file.path, 'utf8'), file.sizeBytes, await store.has(sha256Of(big))]).toEqual([
      'first\n',
      6,
      false,
    ])
    expect(await readdir(join(disk, 'evidence', 'drafts'))).toEqual([])
    await rm(ballast)
    await store.put(big)
    await file.append(bytes('second\n'))
    expect([await readFile(file.path, 'utf8'), (await store.get(sha256Of(big)))?.length]).toEqual([
      'first\nsecond\n',
      30_000,
    ])
  } finally {
    await file.dispose()
    mounted.unmount()
  }
})
