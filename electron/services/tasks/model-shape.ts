import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import type { ModelShape } from '#shared/tasks/memory.ts'

const Config = z.looseObject({
  num_hidden_layers: z.number().int().positive(),
  hidden_size: z.number().int().positive(),
  intermediate_size: z.number().int().positive(),
  num_attention_heads: z.number().int().positive(),
  num_key_value_heads: z.number().int().positive().optional(),
  head_dim: z.number().int().positive().nullish(),
  vocab_size: z.number().int().positive(),
  tie_word_embeddings: z.boolean().optional(),
})

/** @throws {AppError} `bad_input` where the folder has no `config.json` of a decoder's usual form. */
export async function readModelShape(folder: string): Promise<ModelShape> {
  const path = join(folder, 'config.json')
  const text = await readFile(path, 'utf8').catch((failure: NodeJS.ErrnoException) => {
    throw new AppError(
      'bad_input',
      `--model ${folder}: ${path} cannot be read: ${failure.code ?? failure.message}.`,
    )
  })
  const parsed = Config.safeParse(toJson(text))
  if (!parsed.success)
    throw new AppError(
      'bad_input',
      `${path} is no config of a model: ${parsed.error.issues[0]?.path.join('.') || 'no JSON'}.`,
    )
  const found = parsed.data
  return {
    layers: found.num_hidden_layers,
    hidden: found.hidden_size,
    intermediate: found.intermediate_size,
    heads: found.num_attention_heads,
    kvHeads: found.num_key_value_heads ?? found.num_attention_heads,
    headSize: found.head_dim ?? Math.floor(found.hidden_size / found.num_attention_heads),
    vocabulary: found.vocab_size,
    tied: found.tie_word_embeddings ?? false,
  }
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
