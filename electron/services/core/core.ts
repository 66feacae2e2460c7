import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Disposables } from '#shared/base/disposable.ts'
import { Emitter } from '#shared/base/emitter.ts'
import type { Result } from '#shared/base/result.ts'
import type { AppInfo, BridgeEvents, EventName, Handlers } from '#shared/ipc/contract.ts'
import { AuditService } from '../audit/audit.ts'
import { AuditWorkshop } from '../audit/workshop.ts'
import { LocalBox } from '../box/local-box.ts'
import { RoutedBox } from '../box/routed-box.ts'
import { Boxes } from '../box/ssh/boxes.ts'
import { BoxLeases } from '../box/ssh/remote-leases.ts'
import { ClusterLeases } from '../kube/cluster-leases.ts'
import { Clusters } from '../kube/clusters.ts'
import { ClusterVerifiers } from '../kube/verifiers.ts'
import { LeaseLedger } from '../leases/ledger.ts'
import { recoverLeases } from '../leases/recover.ts'
import { type RemoteLeases, routedLeases } from '../leases/release.ts'
import { MutantsService } from '../mutants/mutants.ts'
import { Launcher, suiteFolders } from '../runs/launcher.ts'
import { Runs } from '../runs/runs.ts'
import { SettingsFile } from '../settings/settings.ts'
import { type Notice, openStore, type Store } from '../store/store.ts'
import { StudiesService } from '../studies/studies.ts'
import { TasksService } from '../tasks/tasks-service.ts'
import { GpuTelemetry } from '../telemetry/gpu/gpu-telemetry.ts'
import { Shells } from '../terminal/shells.ts'
import { Bootstraps } from '../trainer/bootstraps.ts'
import { lockConsole } from './console-lock.ts'
import { ensureDataFolder, rooms } from './data-folder.ts'
import { createDispatch } from './dispatch.ts'
import { createHandlers } from './handlers.ts'
import { programs } from './programs.ts'

export type CoreOptions = {
  /** The data folder; see `dataFolder()` for the default. Created where it is missing. */
  home: string
  shell: AppInfo['shell']
  version: string
  now?: () => Date
  /** Numbers in [0, 1), for run ids. */
  random?: () => number
  env?: NodeJS.ProcessEnv
  /** How long a box keeps an ended run's verifier while no console is there, in seconds. */
  idleSeconds?: number
  /** One line for a person: something was recovered, a record is damaged, evidence is missing. */
  onNotice?: (notice: Notice) => void
}

/** The console without a shell around it: one a data folder. */
export type Core = {
  handlers: Handlers
  /** Parses `input` and answers; never throws. What every shell calls for a request that came from outside. */
  request(name: string, input: unknown): Promise<Result<unknown>>
  on<E extends EventName>(name: E, listener: (payload: BridgeEvents[E]) => void): () => void
  /** Stops watching and lets the data folder go. Runs go on by themselves. */
  dispose(): Promise<void>
}

/** What `createCore` gives: the parts too, for the commands, which need more than a window may ask for. */
export type OpenCore = Core & { parts: CoreParts }

export type CoreParts = {
  store: Store
  runs: Runs
  audit: AuditService
  workshop: AuditWorkshop
  mutants: MutantsService
  studies: StudiesService
  tasks: TasksService
  launcher: Launcher
  ledger: LeaseLedger
  box: RoutedBox
  boxes: Boxes
  clusters: Clusters
  verifiers: ClusterVerifiers
  remote: RemoteLeases
  gpus: GpuTelemetry
  shells: Shells
  bootstraps: Bootstraps
}

/** @throws {AppError} `already_open` where another console has this data folder, `bad_input` where it cannot be made. */
export async function createCore(options: CoreOptions): Promise<OpenCore> {
  const { home, shell } = options
  const now = options.now ?? (() => new Date())
  await ensureDataFolder(home)
  const owned = new Disposables()
  try {
    owned.add(await lockConsole(rooms(home).lock, shell, now()))
    return await assemble({ ...options, now }, owned)
  } catch (failure) {
    await owned.dispose()
    throw failure
  }
}

async function assemble(options: CoreOptions & { now: () => Date }, owned: Disposables): Promise<OpenCore> {
  const { home, now } = options
  const env = options.env ?? process.env
  const paths = rooms(home)
  const events = new Emitter<{ name: EventName; payload: unknown }>()
  const emit = <E extends EventName>(name: E, payload: BridgeEvents[E]) => events.emit({ name, payload })

  const ledger = await LeaseLedger.open(paths.leases, now)
  owned.add({ dispose: () => ledger.close() })
  const boxes = owned.add(await Boxes.open({ file: paths.boxList, hostKeys: paths.hostKeys, env, now }))
  boxes.onDidChange((change) => emit('boxes.changed', change))
  const clusters = await Clusters.open(paths.clusters, env)
  const remote = routedLeases(new BoxLeases(boxes), new ClusterLeases(clusters))
  const box = createBox(options, { env, boxes, ledger })
  const runs = new Runs({
    home,
    runsDir: paths.runs,
    box,
    remote,
    ledger,
    now,
    emit,
    onTrouble: (run, text) => options.onNotice?.({ run, level: 'error', text }),
  })
  const store = owned.add(await openStore({ home, now, ...storeNeeds(runs, box, ledger, options.onNotice) }))
  const audit = new AuditService({
    store,
    ledger,
    scratch: paths.scratch,
    env,
    now,
    specOf: (run) => runs.spec(run),
    onAdvance: (run) => emit('audit.advanced', { run }),
  })
  const gpus = owned.add(
    new GpuTelemetry({
      boxes,
      now,
      runsOn: (id) => runs.goingOn(id),
      onAdvance: (id) => emit('boxes.changed', { box: id }),
      record: (run, record) => store.record(run, record),
    }),
  )
  const shells = owned.add(new Shells(boxes, (shell) => emit('shell.advanced', { shell })))
  const bootstraps = owned.add(
    new Bootstraps({ boxes, env, home, onChange: (id) => emit('boxes.changed', { box: id }) }),
  )
  const verifiers = owned.add(
    new ClusterVerifiers({
      clusters,
      ledger,
      folderOf: (run) => join(paths.boxes, run),
      record: (run, record) => store.record(run, record),
      records: (run) => store.consoleRecords(run),
      healthOf: (run) => runs.verifierHealth(run),
      now,
      onChange: (run) => emit('clusters.changed', { run }),
      onTrouble: (run, text) => options.onNotice?.({ run, level: 'error', text }),
    }),
  )
  runs.connect(store, audit, verifiers)
  const workshop = new AuditWorkshop({
    store,
    audit,
    ledger,
    scratch: paths.scratch,
    made: paths.madeSuites,
    suiteFolders: suiteFolders(env),
    env,
    now,
    specOf: (run) => runs.spec(run),
  })
  const mutants = new MutantsService({
    ledger,
    scratch: paths.scratch,
    marks: paths.mutantMarks,
    reports: paths.mutantReports,
    env,
    now,
  })
  const studies = new StudiesService(programs.demo)
  owned.add(runs)
  owned.add(audit)
  const launcher = new Launcher({
    home,
    runsDir: paths.runs,
    suitesDir: join(home, 'suites'),
    madeSuites: paths.madeSuites,
    setList: paths.taskSets,
    mutants,
    scratch: paths.scratch,
    box,
    boxes,
    clusters,
    verifiers,
    remote,
    ledger,
    store,
    env,
    now,
    random: options.random ?? Math.random,
    onRow: (row) => emit('preflight.row', { row }),
  })
  const tasks = new TasksService({
    store,
    frozenSuites: join(home, 'suites'),
    list: paths.taskSets,
    offered: async () => (await launcher.options()).suites,
  })
  await recoverAll(ledger, home, store, options.onNotice)
  await runs.attachAll()

  const parts: CoreParts = {
    store,
    runs,
    audit,
    workshop,
    mutants,
    studies,
    tasks,
    launcher,
    ledger,
    box,
    boxes,
    clusters,
    verifiers,
    remote,
    gpus,
    shells,
    bootstraps,
  }
  const handlers = createHandlers(parts, {
    ...options,
    env,
    settings: new SettingsFile(paths.settings),
    onClusters: () => emit('clusters.changed', { run: null }),
    imports: { now, random: options.random ?? Math.random, onImported: () => emit('runs.changed', {}) },
  })
  return {
    handlers,
    parts,
    request: createDispatch(handlers),
    on: (name, listener) =>
      events.on((event) => {
        if (event.name === name) listener(event.payload as Parameters<typeof listener>[0])
      }),
    dispose: () => owned.dispose(),
  }
}

function createBox(
  { home, idleSeconds }: CoreOptions,
  parts: { env: NodeJS.ProcessEnv; boxes: Boxes; ledger: LeaseLedger },
): RoutedBox {
  const idle = idleSeconds === undefined ? {} : { idleSeconds }
  const { supervisor } = programs
  return new RoutedBox({
    local: new LocalBox({ root: rooms(home).boxes, supervisor, env: parts.env, ...idle }),
    boxes: parts.boxes,
    ledger: parts.ledger,
    runsDir: rooms(home).runs,
    supervisor: () => readFile(supervisor),
    ...idle,
  })
}

const storeNeeds = (
  runs: Runs,
  box: RoutedBox,
  ledger: LeaseLedger,
  onNotice: CoreOptions['onNotice'],
): Omit<Parameters<typeof openStore>[0], 'home' | 'now'> => ({
  boxFiles: (run) => (runs.holdsBox(run) ? box.files(run) : null),
  fetchEvidence: (run, sha256) => runs.fetchEvidence(run, sha256),
  verifierHealth: (run) => runs.verifierHealth(run),
  trainerAlive: (run) => runs.trainerAlive(run),
  leasesHeld: (run) => ledger.open(run).length,
  ...(onNotice && { onNotice }),
})

async function recoverAll(
  ledger: LeaseLedger,
  home: string,
  store: Store,
  onNotice: CoreOptions['onNotice'],
): Promise<void> {
  const { released, left } = await recoverLeases(ledger, home, store.runs())
  const say = (level: Notice['level'], text: string) => onNotice?.({ run: null, level, text })
  if (released.length > 0) say('info', `Gave back ${released.length} thing(s) that an earlier console left.`)
  for (const lease of left) say('warning', `An earlier console left ${lease.label}: ${lease.note}.`)
  const damaged = ledger.corruptLines
  if (damaged.length > 0)
    say('warning', `leases.jsonl: line ${damaged.join(', ')} cannot be read and was kept.`)
}
