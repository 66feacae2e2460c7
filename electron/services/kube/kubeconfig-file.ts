import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'

/** kubectl writes null for what is empty, and so do people. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null)
const text = optional(z.string())

const KubeCluster = z.object({
  server: z.url(),
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': optional(z.boolean()),
  'tls-server-name': text,
  'proxy-url': text,
})
export type KubeCluster = z.infer<typeof KubeCluster>

export const ExecSpec = z.object({
  apiVersion: z.string(),
  command: z.string().min(1),
  args: optional(z.array(z.string())),
  env: optional(z.array(z.object({ name: z.string(), value: z.string() }))),
  installHint: text,
  provideClusterInfo: optional(z.boolean()),
})
export type ExecSpec = z.infer<typeof ExecSpec>

const KubeUser = z.object({
  token: text,
  tokenFile: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  username: text,
  password: text,
  exec: optional(ExecSpec),
  /** Of an old kind that kubectl itself dropped. */
  'auth-provider': optional(z.looseObject({ name: z.string() })),
})
export type KubeUser = z.infer<typeof KubeUser>

const KubeContext = z.object({ cluster: z.string(), user: z.string().default(''), namespace: text })
export type KubeContext = z.infer<typeof KubeContext>

/** One entry of a file, with the folder that its relative paths start from. */
export type Entry<T> = { name: string; value: T; folder: string; file: string }
/** What one file says; what of it cannot be read is said, and does not hide the rest. */
export type KubeFile = {
  clusters: Entry<KubeCluster>[]
  users: Entry<KubeUser>[]
  contexts: Entry<KubeContext>[]
  current: string | null
  problems: string[]
}

const nothing = (problems: string[]): KubeFile => ({
  clusters: [],
  users: [],
  contexts: [],
  current: null,
  problems,
})

/** @returns null where there is no such file: a list may name files that are made later. */
export async function readKubeFile(file: string): Promise<KubeFile | null> {
  let content: string
  try {
    content = await readFile(file, 'utf8')
  } catch (failure) {
    const { code, message } = failure as NodeJS.ErrnoException
    return code === 'ENOENT' ? null : nothing([`${file} cannot be read: ${message}`])
  }
  let document: unknown
  try {
    document = parse(content)
  } catch (failure) {
    return nothing([`${file} is no YAML: ${(failure as Error).message.split('\n')[0]}`])
  }
  if (document === null || document === undefined) return nothing([])
  if (typeof document !== 'object') return nothing([`${file} holds no configuration`])
  const root = document as Record<string, unknown>
  const problems: string[] = []
  const of = <T>(list: string, key: string, schema: z.ZodType<T>) =>
    entries({ list: root[list], key, schema, file, problems })
  const current = root['current-context']
  return {
    clusters: of('clusters', 'cluster', KubeCluster),
    users: of('users', 'user', KubeUser),
    contexts: of('contexts', 'context', KubeContext),
    current: typeof current === 'string' && current !== '' ? current : null,
    problems,
  }
}

function entries<T>(from: {
  list: unknown
  key: string
  schema: z.ZodType<T>
  file: string
  problems: string[]
}): Entry<T>[] {
  const { list, key, schema, file, problems } = from
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) {
    problems.push(`${file}: ${key}s is no list`)
    return []
  }
  return list.flatMap((raw: unknown) => {
    const { name, [key]: value } = (raw ?? {}) as Record<string, unknown>
    if (typeof name !== 'string' || name === '') {
      problems.push(`${file}: a ${key} has no name`)
      return []
    }
    const parsed = schema.safeParse(value ?? {})
    if (parsed.success) return [{ name, value: parsed.data, folder: dirname(file), file }]
    const issue = parsed.error.issues[0]
    problems.push(`${file}: ${key} ${name}: ${issue?.path.join('.')} ${issue?.message}`)
    return []
  })
}

/** A path in a file is relative to the file. */
export const fromFile = (folder: string, path: string): string =>
  isAbsolute(path) ? path : join(folder, path)
