import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { KubeClient } from '#services/kube/client.ts'
import { identityOf, loadKubeconfig, targetOf } from '#services/kube/kubeconfig.ts'
import type { LogMark } from '#services/kube/logs/container-log.ts'
import { LogFollower } from '#services/kube/logs/follower.ts'
import { Relay } from '#services/kube/relay.ts'
import { AppError } from '#shared/base/errors.ts'
import { LineCutter } from '#shared/journal/decode.ts'
import type { BenchReport } from '../commands/bench.ts'

const run = promisify(execFile)

const linesPerSecond = 2_000
const seconds = 60
const all = linesPerSecond * seconds
/** The first when both had time to catch up with the pod; then twice more. */
const cutsAtSecond = [20, 35, 50]

/** Writes numbered lines at a steady rate, by the clock: a loop that sleeps drifts. */
const writer = `i=0; read a b < /proc/uptime; s=\${a%.*}\${a#*.}
while [ $i -lt ${all} ]; do
  read a b < /proc/uptime; w=$(( (\${a%.*}\${a#*.} - s) * ${linesPerSecond} / 100 ))
  while [ $i -lt $w ] && [ $i -lt ${all} ]; do i=$((i+1)); echo "$i of ${all}"; done
  sleep 0.02
done; sleep 3600`

type Asked = {
  kubeconfig: string | null
  context: string | null
  namespace: string
  image: string
  progress: (text: string) => void
}

/**
 * The log of one pod that says 2,000 lines a second for a minute, read twice in one run through the same connection: by the console's follower and
 * by `kubectl logs -f`. The connection is cut three times; kubectl ends with the first, and up to there the two are compared.
 */
export async function benchLogs(asked: Asked): Promise<BenchReport> {
  const kubectl = process.env.RINGSIDE_KUBECTL ?? 'kubectl'
  const env = { ...process.env, ...(asked.kubeconfig !== null && { KUBECONFIG: asked.kubeconfig }) }
  const { config, relay } = await throughRelay(kubectl, env, asked.context)
  const folder = await mkdtemp(join(tmpdir(), 'ringside-bench-'))
  const file = join(folder, 'kubeconfig')
  const name = `ringside-bench-logs-${process.pid}`
  const pods = `/api/v1/namespaces/${asked.namespace}/pods`
  let client: KubeClient | null = null
  try {
    await writeFile(file, config, { mode: 0o600 })
    const loaded = await loadKubeconfig({ KUBECONFIG: file })
    const target = targetOf(loaded, loaded.current ?? '')
    client = new KubeClient(target, await identityOf(target), env)
    asked.progress('starting a pod')
    await startPod(client, pods, name, asked.image)
    return await measure(client, relay, { ...asked, kubectl, file, name })
  } finally {
    await client
      ?.json(`${pods}/${name}`, { method: 'DELETE', query: { gracePeriodSeconds: 0 } })
      .catch(() => undefined)
    await relay.dispose()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(
  client: KubeClient,
  relay: Relay,
  { namespace, progress, kubectl, file, name }: Asked & { kubectl: string; file: string; name: string },
): Promise<BenchReport> {
  const ours = new Counter()
  const marks: LogMark[] = []
  const follower = new LogFollower({
    ...{ client, namespace, selector: `metadata.name=${name}`, tail: null },
    take: (lines) => {
      for (const { text } of lines) ours.take(text)
    },
    onMark: (mark) => marks.push(mark),
  })
  const theirs = new Counter()
  const child = spawn(kubectl, ['--kubeconfig', file, '-n', namespace, 'logs', '-f', name], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = readInto(child, theirs)
  try {
    const began = performance.now()
    let first = { ours: 0, theirs: 0, theirsEnded: false }
    for (const [index, second] of cutsAtSecond.entries()) {
      await sleep(Math.max(0, began + second * 1000 - performance.now()))
      if (index === 0)
        first = { ours: ours.lines, theirs: theirs.lines, theirsEnded: child.exitCode !== null }
      progress(`cut ${index + 1} of ${cutsAtSecond.length}`)
      relay.cut()
    }
    progress('waiting for the last lines')
    for (let tries = 0; ours.last < all && tries < 400; tries += 1) await sleep(100)
    await sleep(500)
    if (first.theirsEnded)
      throw new AppError('unreachable', `${kubectl} ended by itself before the first cut.`)
    const count = (title: string, value: number, unit = 'lines') => ({
      name: title,
      ratio: null,
      value,
      unit,
    })
    return {
      name: 'logs',
      figures: [
        {
          name: 'lines until the first cut ÷ kubectl logs -f',
          ratio: first.ours / first.theirs,
          value: first.ours,
          unit: 'lines',
        },
        count('lines written', all),
        count('lost', all - ours.lines),
        count('doubled', ours.doubled),
        count('out of order', ours.disordered),
        count('gaps said', marks.filter(({ kind }) => kind === 'gap').length, ''),
        count('cuts', cutsAtSecond.length, ''),
        count('kubectl, in the end', theirs.lines),
      ],
    }
  } finally {
    child.kill()
    await ended
    await follower.dispose()
  }
}

class Counter {
  lines = 0
  doubled = 0
  disordered = 0
  last = 0
  private readonly seen = new Uint8Array(all + 1)

  take(text: string): void {
    const number = Number.parseInt(text, 10)
    if (!(number >= 1 && number <= all)) return
    if (this.seen[number] === 1) this.doubled += 1
    else this.lines += 1
    this.seen[number] = 1
    if (number < this.last) this.disordered += 1
    this.last = Math.max(this.last, number)
  }
}

function readInto(child: ChildProcess, counter: Counter): Promise<void> {
  const decoder = new TextDecoder()
  const cutter = new LineCutter((bytes) => decoder.decode(bytes))
  child.stdout?.on('data', (bytes: Buffer) => {
    for (const { text } of cutter.push(bytes)) counter.take(text)
  })
  return new Promise((done) => {
    child.on('error', () => done())
    child.on('close', () => done())
  })
}

/** kubectl itself says what its configuration comes to, files and all; in it the server's address is exchanged for the relay's. */
async function throughRelay(
  kubectl: string,
  env: NodeJS.ProcessEnv,
  context: string | null,
): Promise<{ config: string; relay: Relay }> {
  const wanted = context === null ? [] : ['--context', context]
  const view = ['config', 'view', '--raw', '--minify', '--flatten', '--output', 'json', ...wanted]
  const { stdout } = await run(kubectl, view, { env }).catch(
    (cause: NodeJS.ErrnoException & { stderr?: string }) => {
      if (cause.code === 'ENOENT')
        throw new AppError('not_found', 'There is no kubectl to measure against.', {
          hint: 'Install kubectl, or name one in RINGSIDE_KUBECTL.',
          cause,
        })
      throw new AppError(
        'bad_kubeconfig',
        `kubectl: ${cause.stderr?.trim().split('\n').at(-1) ?? cause.message}.`,
        { cause },
      )
    },
  )
  const config = JSON.parse(stdout)
  const cluster = config.clusters?.[0]?.cluster
  if (!cluster)
    throw new AppError('bad_input', 'No cluster is named.', { hint: 'Name a kubeconfig with --kubeconfig.' })
  const url = new URL(cluster.server)
  const relay = new Relay({ host: url.hostname, port: Number(url.port || 443) })
  // Its certificate is for the name that it is known by, not for this machine.
  if (url.hostname !== '127.0.0.1') cluster['tls-server-name'] ??= url.hostname
  cluster.server = `https://127.0.0.1:${await relay.listen()}`
  return { config: JSON.stringify(config), relay }
}

async function startPod(client: KubeClient, pods: string, name: string, image: string): Promise<void> {
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'ringside' } },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [
        { name: 'writer', image, imagePullPolicy: 'IfNotPresent', command: ['/bin/sh', '-c', writer] },
      ],
    },
  }
  await client.json(pods, { method: 'POST', body })
  for (let tries = 0; tries < 300; tries += 1) {
    const pod = (await client.json(`${pods}/${name}`)) as { status: { phase: string } }
    if (pod.status.phase === 'Running') return
    await sleep(100)
  }
  throw new AppError('timed_out', `The pod ${name} did not start within 30 s.`, {
    hint: `Is the image ${image} there?`,
  })
}
