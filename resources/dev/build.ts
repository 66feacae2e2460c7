import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build as buildWithVite } from 'electron-vite'
import { buildPrograms } from './build-programs.ts'
import { fingerprint } from './fingerprint.ts'
import { onlyOne } from './only-one.ts'

/**
 * `node resources/dev/build.ts`: builds what changed since it was last built into `out/`. Prints one line a part.
 */
const root = resolve(import.meta.dirname, '../..')

const tooling = ['package-lock.json', 'resources/dev']
const parts = [
  {
    name: 'window',
    sources: ['main', 'preload', 'serve', 'services']
      .map((room) => `electron/${room}`)
      .concat('renderer', 'shared', tooling),
    build: () =>
      buildWithVite({
        root,
        configFile: join(root, 'resources/dev/electron.vite.config.ts'),
        logLevel: 'warn',
      }),
  },
  {
    name: 'programs',
    sources: ['resources', 'shared', ...tooling],
    build: () => buildPrograms(root),
  },
]

async function bringUpToDate(part: (typeof parts)[number]): Promise<void> {
  const stamp = join(root, 'out/.stamps', part.name)
  const now = await fingerprint(root, part.sources)
  if ((await readFile(stamp, 'utf8').catch(() => null)) === now) {
    console.log(`${part.name}: up to date`)
    return
  }
  console.log(`${part.name}: building`)
  const started = performance.now()
  // Without its stamp a build that breaks off halfway is made anew.
  await rm(stamp, { force: true })
  await part.build()
  await mkdir(join(root, 'out/.stamps'), { recursive: true })
  await writeFile(stamp, now)
  console.log(`${part.name}: built in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}

await onlyOne(join(root, 'out/.building'), async () => {
  for (const part of parts) await bringUpToDate(part)
})
