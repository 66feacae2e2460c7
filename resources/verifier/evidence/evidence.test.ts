import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { silentGrade } from '#shared/domain/grade.ts'
import type { Evidence } from '#shared/domain/verifier.ts'
import { tempFolder } from '../testing/temp-folder.ts'
import { AppendLog } from './append-log.ts'
import { textSha256 } from './bytes.ts'
import { EvidenceStore } from './evidence-store.ts'
import { GradeBook } from './grade-book.ts'

const room = tempFolder()
afterAll(() => room.dispose())

const evidenceOf = (execution: string, body: string): Evidence => ({
  v: 1,
  task: 'double',
  body,
  completion: null,
  grade: { ...silentGrade('unresolved', ''), status: 'build_failed', reward: 0, reason: 'syntax' },
  execution: { id: execution, startedAt: '2026-11-29T12:00:00Z', finishedAt: '2026-11-29T12:00:01Z' },
  output: [],
})

test('evidence that was stored when the process ended, and not yet recorded, is taken up', async () => {
  const folder = join(room.path, 'adopt')
  const before = await GradeBook.open(folder, () => {})
  await before.started('one', 'key-one')
  await before.started('two', 'key-two')
  const sha256 = await before.evidence.put(evidenceOf('one', 'x'))
  await before.close()
  const said: string[] = []
  const after = await GradeBook.open(folder, (text) => said.push(text))
  expect([after.executed('key-one'), after.executed('key-two'), said]).toEqual([
    sha256,
    null,
    ['2 executions had been cut off; 1 of them had finished'],
  ])
  await after.close()
})

test('the same evidence again is a no-op, other bytes under its name are a conflict, half a file is cleared', async () => {
  const folder = join(room.path, 'store')
  const store = await EvidenceStore.open(folder)
  const sha256 = await store.put(evidenceOf('one', 'x'))
  expect(await store.put(evidenceOf('one', 'x'))).toBe(sha256)
  expect(await store.list()).toEqual([sha256])
  writeFileSync(join(folder, sha256.slice(0, 2), sha256), '{}')
  await expect(store.put(evidenceOf('one', 'x'))).rejects.toMatchObject({ code: 'content_conflict' })
  await expect(store.get(sha256)).rejects.toMatchObject({ code: 'corrupt' })
  writeFileSync(join(folder, 'tmp', 'half'), '{"v":1,')
  expect(await (await EvidenceStore.open(folder)).list()).toEqual([sha256])
  expect(readdirSync(join(folder, 'tmp'))).toEqual([])
})

test('a write that the disk cut short is taken back before the next', async () => {
  const path = join(room.path, 'log.jsonl')
  mkdirSync(room.path, { recursive: true })
  let roomy = false
  const half = (file: FileHandle): FileHandle =>
    new Proxy(file, {
      get(target, name) {
        if (name !== 'write' || roomy) {
          const value: unknown = Reflect.get(target, name)
          return typeof value === 'function' ? value.bind(target) : value
        }
        return async (bytes: Buffer) => {
          await target.write(bytes, 0, 4)
          throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
        }
      },
    })
  const read = (raw: unknown) => raw as { n: number }
  const { log } = await AppendLog.open(path, read, async (name, flags) => half(await open(name, flags)))
  await expect(log.append({ n: 1 })).rejects.toMatchObject({ code: 'ENOSPC' })
  roomy = true
  await Promise.all([log.append({ n: 2 }), log.append({ n: 3 })])
  await log.close()
  expect(readFileSync(path, 'utf8')).toBe('{"n":2}\n{"n":3}\n')
})

test('two texts that differ only in a lone surrogate do not share a hash', () => {
  const hashes = ['a\ud800', 'a\ud801', 'a\udfff', 'a\ufffd', 'a'].map(textSha256)
  expect(new Set(hashes).size).toBe(5)
  expect(textSha256('é\u{1f600}')).toBe('1184d1f608158eea09d297565575892231550c403aaa913008d867a97cfd5c76')
})
