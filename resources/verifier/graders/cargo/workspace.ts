import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import { type Package, readMetadata } from './cargo-messages.ts'
import type { Confinement, SlotFolders } from './confinement.ts'
import { copyTree, dropSuites, exportCommit, listTree, type TreeEntry, treeDigest } from './source-tree.ts'

const GiB = 1024 ** 3

/** The pristine files of one commit, prepared once and copied into every slot. */
export type Workspace = {
  /** The commit's hash, or `tree:<sha256>` of a plain folder. */
  commit: string
  /** Changes with anything that decides what is built: files, toolchain, kind of confinement. */
  key: string
  tree: string
  /** The tree without Rust sources: all that a running test sees of it, for a test that can read its own source can be copied from. */
  assets: string
  entries: TreeEntry[]
  packages(manifest: string): Promise<Package[]>
}

export type Source = { repo: string; commit: string } | { folder: string; except: string }

type Tools = { confinement: Confinement; toolchain: string }

/**
 * Exports or copies `source` under `root`, once a content; a tree left there by a former start is taken where its key still fits. A commit by its full
 * hash cannot have changed, so that its repository is not even looked at again: it may be gone by then.
 */
export async function openWorkspace(
  root: string,
  source: Source,
  manifests: string[],
  tools: Tools,
): Promise<Workspace> {
  const asked = 'repo' in source && /^[0-9a-f]{40,64}$/.test(source.commit) ? source.commit : null
  const known = await readFile(`${root}/source/key`, 'utf8').catch(() => null)
  const commit =
    asked !== null && known === keyOf(asked, tools)
      ? asked
      : await renew(root, source, manifests, tools, known)
  const tree = `${root}/source/tree`
  const folders = await scratchFolders(root)
  const packagesBy = new Map<string, Promise<Package[]>>()
  const packages = (manifest: string) => {
    const answer = packagesBy.get(manifest) ?? askPackages(tools.confinement, { ...folders, tree }, manifest)
    packagesBy.set(manifest, answer)
    return answer
  }
  const key = keyOf(commit, tools)
  return { commit, key, tree, assets: `${root}/source/assets`, entries: await listTree(tree), packages }
}

const keyOf = (commit: string, { toolchain, confinement }: Tools): string =>
  createHash('sha256')
    .update(JSON.stringify([commit, toolchain, confinement.isolation]))
    .digest('hex')

/** Puts the source's files in place where they are not those of the `known` key. @returns the commit that they are of. */
async function renew(
  root: string,
  source: Source,
  manifests: string[],
  tools: Tools,
  known: string | null,
): Promise<string> {
  const fresh = `${root}/source.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { recursive: true })
  const exported =
    'repo' in source
      ? await exportCommit(source.repo, source.commit, `${fresh}/tree`)
      : await copyTree(source.folder, `${fresh}/tree`, source.except)
  await dropSuites(`${fresh}/tree`)
  const commit = exported ?? `tree:${await treeDigest(`${fresh}/tree`)}`
  const key = keyOf(commit, tools)
  if (known !== key) {
    await lockVersions(fresh, manifests, tools.confinement)
    await copyAssets(`${fresh}/tree`, `${fresh}/assets`)
    await rm(`${root}/source`, { recursive: true, force: true })
    await rm(`${root}/slots`, { recursive: true, force: true })
    await cp(fresh, `${root}/source`, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    await writeFile(`${root}/source/key`, key)
  }
  await rm(fresh, { recursive: true, force: true })
  return commit
}

const scratchFolders = async (root: string) => {
  const folders = { target: `${root}/scratch/target`, home: `${root}/scratch/home`, assets: '' }
  for (const folder of [folders.target, folders.home]) await mkdir(folder, { recursive: true })
  return folders
}

const cargoRun = {
  timeoutMs: 120_000,
  outputBytes: 64 * 1024 * 1024,
  memoryBytes: 8 * GiB,
  fileBytes: GiB,
  env: {},
  cwd: '.',
}

/** Libraries often keep no lock file; versions are then settled once, before anything is graded. */
async function lockVersions(fresh: string, manifests: string[], confinement: Confinement): Promise<void> {
  const folders = { ...(await scratchFolders(fresh)), tree: `${fresh}/tree` }
  for (const manifest of manifests) {
    if (existsSync(`${folders.tree}/${dirname(manifest)}/Cargo.lock`)) continue
    const argv = ['cargo', 'generate-lockfile', '--offline', '--manifest-path', manifest]
    await confinement.build(folders, { ...cargoRun, argv, writableTree: true })
  }
  await rm(`${fresh}/scratch`, { recursive: true, force: true })
}

async function copyAssets(tree: string, assets: string): Promise<void> {
  await cp(tree, assets, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.rs'),
  })
}

async function askPackages(
  confinement: Confinement,
  folders: SlotFolders,
  manifest: string,
): Promise<Package[]> {
  const argv = [
    'cargo',
    'metadata',
    '--no-deps',
    '--offline',
    '--format-version',
    '1',
    '--manifest-path',
    manifest,
  ]
  const result = await confinement.build(folders, { ...cargoRun, argv })
  try {
    return readMetadata(result.stdout, confinement.paths(folders).tree)
  } catch (cause) {
    const said = result.stderr.trim().split('\n').at(-1)
    throw new AppError('bad_suite', `cargo cannot read ${manifest}: ${said}.`, { cause })
  }
}

/** Free bytes of the file system that holds `path`, for an unprivileged user. */
export async function freeBytes(path: string): Promise<number> {
  const stats = await statfs(path)
  return stats.bavail * stats.bsize
}
