import { execFile } from 'node:child_process'
import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import { harnessSource, probeSource } from './sources.ts'

const Found = z.object({
  version: z.string(),
  executable: z.string(),
  /** Folders of the standard library, and folders inside them that are not the interpreter's own. */
  roots: z.array(z.string()),
  hidden: z.array(z.string()),
  /** Linux: the dynamic loader by the name that the program asks for, and every shared library with its names. */
  loader: z.string().nullable(),
  libraries: z.record(z.string(), z.array(z.string())),
  /** The harness, compiled for this very interpreter. */
  harness: z.string().transform((text) => Buffer.from(text, 'base64')),
})
export type Interpreter = z.infer<typeof Found>

const candidates = ['python3', '/usr/bin/python3', '/usr/local/bin/python3', '/opt/homebrew/bin/python3']

/**
 * The first Python ≥ 3.10 that answers: `RINGSIDE_PYTHON` alone where it is set, else the one on the PATH, else the usual places.
 * @throws AppError `python_missing`, with what was tried.
 */
export async function findPython(): Promise<Interpreter> {
  const named = process.env.RINGSIDE_PYTHON
  const tried: string[] = []
  for (const command of named === undefined ? candidates : [named]) {
    const found = await ask(command)
    if (typeof found !== 'string') return found
    tried.push(`${command}: ${found}`)
  }
  throw new AppError('python_missing', `No Python that can grade was found (${tried.join('; ')}).`)
}

function ask(command: string): Promise<Interpreter | string> {
  return new Promise((settle) => {
    const options = { timeout: 60_000, maxBuffer: 16 * 1024 * 1024, encoding: 'utf8' } as const
    const child = execFile(command, ['-I', '-S', '-c', probeSource()], options, (failure, stdout) => {
      if (failure) {
        settle(failure.code === 'ENOENT' ? 'not there' : 'does not run')
        return
      }
      settle(readAnswer(stdout))
    })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(harnessSource())
  })
}

function readAnswer(stdout: string): Interpreter | string {
  try {
    const raw: unknown = JSON.parse(stdout)
    const found = Found.safeParse(raw)
    if (found.success) return found.data
    const version = z.object({ version: z.string() }).safeParse(raw)
    return version.success ? `is version ${version.data.version}` : 'gave no usable answer'
  } catch {
    return 'gave no usable answer'
  }
}
