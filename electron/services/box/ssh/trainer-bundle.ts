import { readFile } from 'node:fs/promises'
import { programs } from '../../core/programs.ts'

let made: Promise<Uint8Array> | null = null

/** The embedded trainer as one file that runs with nothing but Node beside it, for another machine. */
export function trainerBundle(): Promise<Uint8Array> {
  made ??= programs.sketchTrainer.endsWith('.ts')
    ? bundle(programs.sketchTrainer)
    : readFile(programs.sketchTrainer)
  return made
}

/** Only where the console itself runs from source: there the bundler is installed, too. */
async function bundle(entry: string): Promise<Uint8Array> {
  const bundler = 'esbuild'
  const { build, stop } = (await import(bundler)) as typeof import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    write: false,
    logLevel: 'silent',
    banner: {
      js: "import { createRequire as ringsideRequire } from 'node:module'; const require = ringsideRequire(import.meta.url);",
    },
    // Its process would stay for the next build, and there is none.
  }).finally(() => stop())
  const [file] = outputFiles
  if (!file) throw new Error('the bundler made no file')
  return file.contents
}
