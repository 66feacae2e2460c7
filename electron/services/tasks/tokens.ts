import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { AppError } from '#shared/base/errors.ts'

export type TokenCounter = {
  /** What a person is told of where the counts come from. */
  by: string
  exact: boolean
  count(text: string): number
}

/**
 * Bytes a token of code and English prose, the low side of what byte-pair vocabularies of 32k to 152k entries need, so that an estimate
 * errs towards dropping a prompt and not towards running out of memory on it.
 */
const bytesPerToken = 3.2

const estimate: TokenCounter = {
  by: `an estimate of one token per ${bytesPerToken} bytes`,
  exact: false,
  count: (text) => Math.ceil(Buffer.byteLength(text) / bytesPerToken),
}

/**
 * Counts by the model's own `tokenizer.json`, else by an estimate that says so. Special tokens of a chat template are not counted.
 * @throws {AppError} `bad_input` where the file cannot be read or is no tokenizer.
 */
export async function openTokenCounter(path: string | null): Promise<TokenCounter> {
  if (path === null) return estimate
  const text = await readFile(path, 'utf8').catch((failure: NodeJS.ErrnoException) => {
    throw new AppError('bad_input', `--tokenizer ${path} cannot be read: ${failure.code ?? failure.message}.`)
  })
  try {
    const { Tokenizer } = await import('@huggingface/tokenizers')
    const tokenizer = new Tokenizer(JSON.parse(text), {})
    // A file that only looks like a tokenizer fails at its first text.
    tokenizer.encode('fn f() {}')
    const sha256 = createHash('sha256').update(text).digest('hex')
    return {
      by: `${path} (sha256 ${sha256.slice(0, 12)})`,
      exact: true,
      count: (words) => tokenizer.encode(words, { add_special_tokens: false }).ids.length,
    }
  } catch (cause) {
    throw new AppError('bad_input', `--tokenizer ${path} is no tokenizer.json that can be used.`, {
      cause,
      hint: 'Give the file of that name from the model’s own folder, or leave the option out for an estimate.',
    })
  }
}
