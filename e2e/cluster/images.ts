import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { places } from './places.ts'
import { run } from './shell.ts'

const pause = 'trap exit TERM INT; while :; do sleep 3600 & wait $!; done'

/** Imports the images that every pod needs: a shell, and the one that holds a pod's namespaces. There is no registry to fetch them from. */
export function importBaseImages(): void {
  const wanted = { 'ringside.test/shell:1': ['/bin/sh'], 'ringside.test/pause:1': ['/bin/sh', '-c', pause] }
  const present = imageNames()
  for (const [name, command] of Object.entries(wanted))
    if (!present.includes(name)) withFolder((root) => importImage(name, shellRoot(root), { command }))
}

export const imageNames = (): string[] => ctr(['images', 'ls', '-q']).split('\n')

export const ctr = (args: string[]): string => run('ctr', ['-a', places.socket, '-n', 'k8s.io', ...args])

/** A folder under the cluster's own, removed afterwards. */
export function withFolder<T>(work: (folder: string) => T): T {
  mkdirSync(places.images, { recursive: true })
  const folder = mkdtempSync(join(places.images, 'making-'))
  try {
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function shellRoot(folder: string): string {
  for (const name of ['bin', 'tmp', 'etc', 'dev', 'proc', 'sys']) mkdirSync(join(folder, name))
  const shell = join(folder, 'bin/busybox')
  copyFileSync('/bin/busybox', shell)
  for (const name of run(shell, ['--list']).trim().split('\n'))
    if (name !== 'busybox') symlinkSync('busybox', join(folder, 'bin', name))
  writeFileSync(join(folder, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\n')
  writeFileSync(join(folder, 'etc/group'), 'root:x:0:\n')
  return folder
}

export type ImageConfig = { command: string[]; env?: string[]; user?: string; workingDir?: string }

/** Makes an image of one layer out of a folder, in the form that `docker save` writes, and hands it to containerd. */
export function importImage(name: string, root: string, config: ImageConfig): void {
  withFolder((folder) => {
    const layer = join(folder, 'layer.tar')
    // The same folder always gives the same bytes, and so the same digest.
    const plain = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--format=gnu']
    run('tar', [...plain, '-C', root, '-cf', layer, '.'])
    const digest = run('sha256sum', [layer]).slice(0, 64)
    const description = JSON.stringify({
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: {
        Env: ['PATH=/usr/local/bin:/usr/bin:/bin', ...(config.env ?? [])],
        Cmd: config.command,
        User: config.user ?? '',
        WorkingDir: config.workingDir ?? '/',
      },
      rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
      history: [{ created_by: 'ringside' }],
    })
    const id = createHash('sha256').update(description).digest('hex')
    mkdirSync(join(folder, digest))
    renameSync(layer, join(folder, digest, 'layer.tar'))
    writeFileSync(join(folder, `${id}.json`), description)
    const manifest = [{ Config: `${id}.json`, RepoTags: [name], Layers: [`${digest}/layer.tar`] }]
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
    const archive = join(folder, 'image.tar')
    run('tar', ['-C', folder, '-cf', archive, 'manifest.json', `${id}.json`, digest])
    ctr(['images', 'import', archive])
  })
}
