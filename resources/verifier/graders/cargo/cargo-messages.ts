import { z } from 'zod'

const Target = z.object({
  kind: z.array(z.string()),
  name: z.string(),
  src_path: z.string(),
  edition: z.string(),
})

const Artifact = z.object({
  reason: z.literal('compiler-artifact'),
  manifest_path: z.string(),
  target: Target,
  profile: z.object({ test: z.boolean() }),
  filenames: z.array(z.string()),
  executable: z.string().nullable(),
  fresh: z.boolean(),
})
export type Artifact = z.infer<typeof Artifact>

const Message = z.object({
  reason: z.literal('compiler-message'),
  message: z.object({
    rendered: z.string().nullable(),
    level: z.string(),
    code: z.object({ code: z.string() }).nullable(),
    spans: z.array(z.object({ file_name: z.string(), line_start: z.number() })),
  }),
})
export type CompilerMessage = z.infer<typeof Message>['message']

export type CargoReport = { artifacts: Artifact[]; messages: CompilerMessage[]; success: boolean }

/** Reads cargo's `--message-format=json`. Lines that are no message (a build script's own output) are left out. */
export function readCargoMessages(stdout: string): CargoReport {
  const report: CargoReport = { artifacts: [], messages: [], success: false }
  for (const line of stdout.split('\n')) {
    if (!line.startsWith('{"reason":')) continue
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      continue
    }
    const artifact = Artifact.safeParse(value)
    const message = Message.safeParse(value)
    if (artifact.success) report.artifacts.push(artifact.data)
    else if (message.success) report.messages.push(message.data.message)
    else if ((value as { reason?: unknown; success?: unknown }).reason === 'build-finished')
      report.success = (value as { success?: unknown }).success === true
  }
  return report
}

const Metadata = z.object({
  packages: z.array(
    z.object({ name: z.string(), edition: z.string(), manifest_path: z.string(), targets: z.array(Target) }),
  ),
})
/** A package with its paths relative to the tree. */
export type Package = {
  name: string
  edition: string
  manifest: string
  targets: { key: string; root: string; edition: string }[]
}

/** @param tree where the command that printed this found the tree. */
export function readMetadata(stdout: string, tree: string): Package[] {
  const short = (path: string) => (path.startsWith(`${tree}/`) ? path.slice(tree.length + 1) : path)
  return Metadata.parse(JSON.parse(stdout)).packages.map((item) => ({
    name: item.name,
    edition: item.edition,
    manifest: short(item.manifest_path),
    targets: item.targets.flatMap((target) => {
      const key = keyOfTarget(target)
      return key === null ? [] : [{ key, root: short(target.src_path), edition: target.edition }]
    }),
  }))
}

/** The key of a test target, as `targetKey` gives it. A crate has one library whatever its kind (`proc-macro`, `cdylib` …). */
export function keyOfTarget(target: { kind: string[]; name: string }): string | null {
  const [kind] = target.kind
  if (kind === 'bin' || kind === 'test') return `${kind}:${target.name}`
  return kind === undefined || ['example', 'bench', 'custom-build'].includes(kind) ? null : 'lib'
}
