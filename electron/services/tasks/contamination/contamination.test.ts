import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../testing/temp-folder.ts'
import { plantCorpus } from './planted-corpus.ts'
import { scanForBodies } from './scan.ts'

const mib = 1024 * 1024

test('every disguise in every container is found where it is, and nothing else is', async () => {
  const folder = await tempFolder()
  const { copies, unrelated, boilerplate, bytes } = await plantCorpus(folder, 10 * mib)
  const facts = await scanForBodies([...copies, ...unrelated, ...boilerplate], [folder])
  const found = new Map(facts?.findings.map((finding) => [finding.task, finding]))
  expect({
    missed: copies.filter(({ id }) => !found.has(id)).map(({ id }) => id),
    wrong: [...unrelated, ...boilerplate].filter(({ id }) => found.has(id)).map(({ id }) => id),
    places: facts?.findings.length,
    bytes: facts?.bytes,
  }).toEqual({ missed: [], wrong: [], places: copies.length, bytes })
  const { file, context, line } = found.get('tree-exact') ?? { file: '', context: '', line: 0 }
  expect([file, context.includes('fn copied()'), line > 1]).toEqual([join(folder, 'tree/lib.rs'), true, true])
})

const body = `{
    let mut total = 0; // counts all
    for (index, value) in values.iter().enumerate() {
        if value.amount > limit && index % 3 != 1 {
            total += value.amount * rate - index as i64;
        } else if let Some(next) = values.get(index + 1) {
            total -= next.amount.min(value.amount);
        }
    }
    total.max(0)
}`

test('a body is found across the pieces in which a file is read, and half of it is not enough', async () => {
  const folder = await tempFolder()
  await mkdir(join(folder, '.git'))
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  const lines = body.split('\n')
  await write('across.txt', `${'filler words here. '.repeat(220_752)}${body}`)
  await write('escaped.jsonl', JSON.stringify({ text: JSON.stringify(body).replaceAll('<', '\\u003c') }))
  await write('half.rs', lines.slice(0, 4).join('\n'))
  await write('other.rs', body.replaceAll('value', 'x').replaceAll('total', 'y').replaceAll('index', 'z'))
  await write('.git/packed.rs', body)
  const facts = await scanForBodies([{ id: 'sum', body }], [folder])
  expect(facts?.findings.map(({ file, share }) => [file.slice(folder.length + 1), share > 0.9])).toEqual([
    ['across.txt', true],
    ['escaped.jsonl', true],
  ])
})

test('what is too small to be told from anybody’s code is said, and a corpus of nothing is refused', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'a.rs'), 'fn a() { 1 }')
  const facts = await scanForBodies([{ id: 'tiny', body: '{ 1 }' }], [folder])
  expect(facts?.unscannable).toEqual(['tiny'])
  await writeFile(join(folder, 'a.rs'), '')
  await expect(scanForBodies([], [folder])).rejects.toThrow(/holds no text at all/)
  await expect(scanForBodies([], [join(folder, 'none')])).rejects.toThrow(/none cannot be read: ENOENT/)
})
