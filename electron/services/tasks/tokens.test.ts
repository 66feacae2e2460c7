import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { estimateMemory } from '#shared/tasks/memory.ts'
import { tokenHistogram } from '#shared/tasks/report.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { readModelShape } from './model-shape.ts'
import { openTokenCounter } from './tokens.ts'

/** A vocabulary of whole words, in the form of a model's own file. */
const tokenizer = {
  version: '1.0',
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: null,
  decoder: null,
  model: { type: 'WordLevel', unk_token: '?', vocab: { '?': 0, fn: 1, merge: 2, '(': 3, ')': 4 } },
}

test('tokens are counted by the model’s own file where it is given, else by an estimate that says so', async () => {
  const path = join(await tempFolder(), 'tokenizer.json')
  await writeFile(path, JSON.stringify(tokenizer))
  const exact = await openTokenCounter(path)
  const estimate = await openTokenCounter(null)
  expect([exact.exact, exact.count('fn merge ( other )'), exact.by.startsWith(path)]).toEqual([true, 5, true])
  expect([estimate.exact, estimate.count('x'.repeat(320)), estimate.by]).toEqual([
    false,
    100,
    'an estimate of one token per 3.2 bytes',
  ])
  await writeFile(path, '{"model": 3}')
  await expect(openTokenCounter(path)).rejects.toThrow(/is no tokenizer.json that can be used/)
})

test('the histogram counts every prompt once, those above the cap too', () => {
  expect(tokenHistogram([5, 99, 100, 1_250], 1_000)).toEqual(
    [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1].map((prompts, at) => ({
      from: at * 100,
      to: at * 100 + 100,
      prompts,
    })),
  )
  expect(tokenHistogram([], null)).toEqual([])
})

test('memory is a lower bound from the model’s own shape, and says whether the box can hold it', async () => {
  const folder = await tempFolder()
  // Qwen2.5-Coder-1.5B as published: 1.54 billion parameters, 28 layers, 2 key and value heads of 128.
  await writeFile(
    join(folder, 'config.json'),
    '{"num_hidden_layers":28,"hidden_size":1536,"intermediate_size":8960,"num_attention_heads":12,"num_key_value_heads":2,"vocab_size":151936,"tie_word_embeddings":true}',
  )
  const shape = await readModelShape(folder)
  const need = { promptTokens: 1_000, completionTokens: 500, sequences: 8, microBatch: 4 }
  const got = estimateMemory(shape, need, 8 * 1024 ** 3)
  expect([Math.round(got.parameters / 1e7), got.cacheBytes, got.logitBytes, got.fits]).toEqual([
    154,
    8 * 1_500 * 28 * 2 * 2 * 128 * 2,
    4 * 1_500 * 151_936 * 8,
    false,
  ])
  expect(estimateMemory(shape, need, null).fits).toBe(null)
  await expect(readModelShape(join(folder, 'none'))).rejects.toThrow(/config.json cannot be read: ENOENT/)
})
