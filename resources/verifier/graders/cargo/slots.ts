import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { AppError } from '#shared/base/errors.ts'
import { firstLimits } from './baseline.ts'
import { build } from './build.ts'
import { type Bench, CargoSlot } from './cargo-slot.ts'
import { cloneFolder, folderBytes } from './clone.ts'
import type { Confinement, SlotFolders } from './confinement.ts'
import { SlotTree } from './slot-tree.ts'
import { type CargoTask, type TestTarget, targetKey, targetsOf } from './task.ts'
import { freeBytes, type Workspace } from './workspace.ts'

/** Never taken from a disk's free space: what builds add to a slot, and what everyone else on the machine needs. */
const reserveBytes = 256 * 1024 ** 2

export type SlotsRequest = {
  root: string
  count: number
  jobs: number
  workspace: Workspace
  confinement: Confinement
  tasks: CargoTask[]
  limitBytes: number | null
  bench: Bench
  log: (text: string) => void
}

export type OpenedSlots = { slots: CargoSlot[]; clones: number; diskBytes: number; limitBytes: number | null }

/**
 * Opens all slots: the first is built, the others are copies of it, tree and target folder with their times, so that a start of N workers costs
 * one build. Slots left warm by a former start are taken as they are, their trees made pristine.
 * @throws AppError `disk_full` with both figures where the slots do not fit.
 */
export async function openSlots(request: SlotsRequest): Promise<OpenedSlots> {
  const { root, count, workspace, log } = request
  const slots = Array.from({ length: count }, (_, index) => makeSlot(request, index))
  const [first] = slots
  if (!first) return { slots: [], clones: 0, diskBytes: 0, limitBytes: request.limitBytes }
  if (!(await isReady(root, 0, workspace.key))) {
    await refuseBeyond(request, await folderBytes(workspace.tree))
    await emptySlot(first.folders)
    await cloneFolder(workspace.tree, first.folders.tree)
    await coldBuild(request, first.folders)
    await markReady(root, 0, workspace.key)
  }
  const bytes = await folderBytes(`${root}/slots/0`)
  await refuseBeyond(request, bytes)
  let clones = 0
  for (const slot of slots.slice(1)) {
    if (await isReady(root, slot.index, workspace.key)) continue
    await emptySlot(slot.folders)
    await cloneFolder(first.folders.tree, slot.folders.tree)
    const how = await cloneFolder(first.folders.target, slot.folders.target)
    await markReady(root, slot.index, workspace.key)
    clones += 1
    log(`slot ${slot.index}: ${how} from slot 0, ${Math.round(bytes / 1024 ** 2)} MiB`)
  }
  for (const slot of slots) {
    const put = await slot.tree.restore()
    if (put.length > 0) log(`slot ${slot.index}: put ${put.length} files right`)
    slot.cache = 'warm'
  }
  return { slots, clones, diskBytes: bytes * count, limitBytes: request.limitBytes }
}

function makeSlot(request: SlotsRequest, index: number): CargoSlot {
  const own = `${request.root}/slots/${index}`
  const folders = {
    tree: `${own}/tree`,
    target: `${own}/target`,
    home: `${own}/home`,
    assets: request.workspace.assets,
  }
  return new CargoSlot(index, folders, new SlotTree(folders.tree, request.workspace), request.bench)
}

async function emptySlot(folders: SlotFolders): Promise<void> {
  for (const folder of [folders.tree, folders.target, folders.home]) {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
  }
}

const readyFile = (root: string, index: number) => `${root}/slots/${index}/ready`

const isReady = async (root: string, index: number, key: string): Promise<boolean> =>
  existsSync(readyFile(root, index)) && (await readFile(readyFile(root, index), 'utf8')) === key

const markReady = (root: string, index: number, key: string) => writeFile(readyFile(root, index), key)

async function refuseBeyond(request: SlotsRequest, bytesEach: number): Promise<void> {
  const need = bytesEach * request.count
  const there = await folderBytes(request.root)
  const free = (await freeBytes(request.root)) - reserveBytes + there
  const allowed = Math.max(0, request.limitBytes === null ? free : Math.min(free, request.limitBytes))
  if (need <= allowed) return
  const mib = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`
  const fit = Math.floor(allowed / bytesEach)
  throw new AppError(
    'disk_full',
    `${request.count} build folders of ${mib(bytesEach)} need ${mib(need)}, and ${mib(allowed)} may be used, which holds ${fit}.`,
  )
}

/** Every test target that any task of a package needs, compiled once a package. A failure is left to the tasks it concerns. */
async function coldBuild(request: SlotsRequest, folders: SlotFolders): Promise<void> {
  const groups = new Map<string, { task: CargoTask; targets: Map<string, TestTarget> }>()
  for (const task of request.tasks) {
    const key = JSON.stringify([task.manifest, task.crate, task.features])
    const group = groups.get(key) ?? { task, targets: new Map<string, TestTarget>() }
    for (const target of targetsOf(task)) group.targets.set(targetKey(target), target)
    groups.set(key, group)
  }
  for (const { task, targets } of groups.values()) {
    const started = Date.now()
    const seconds = () => Math.round((Date.now() - started) / 1000)
    // Whoever started the verifier waits for its address, and tells long work from a hang by these lines.
    const heartbeat = setInterval(
      () => request.log(`building the tests of ${task.crate}: ${seconds()} s`),
      15_000,
    )
    const built = await build(request.confinement, folders, {
      package: task.crate,
      manifest: task.manifest,
      features: task.features,
      targets: [...targets.values()],
      jobs: request.jobs * request.count,
      timeoutMs: firstLimits.buildMs,
      memoryBytes: firstLimits.buildMemoryBytes,
    }).finally(() => clearInterval(heartbeat))
    request.log(
      `built the tests of ${task.crate} in ${Math.round(built.result.ms)} ms${built.report.success ? '' : ': failed'}`,
    )
  }
}
