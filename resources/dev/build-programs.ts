import { existsSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { mirrorDirname } from './mirror-dirname.ts'

/** The programs that run outside the console, by the name of their bundle. */
const entries = {
  verifier: 'resources/verifier/main.ts',
  'sketch-trainer': 'resources/sketch-trainer/main.ts',
  'selection-study': 'resources/sketch-trainer/study/selection-study.ts',
  'task-survey': 'resources/verifier/graders/cargo/survey/program.ts',
}

/** Folders whose files, code apart, are read at run time; they are mirrored under `out/resources`. */
const mirrored = ['verifier', 'sketch-trainer', 'supervisor', 'trainer', 'demo']

/** Grammars that a program reads beside its own module, and the folder of that module. */
const grammars = {
  to: 'verifier/graders/cargo',
  files: ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-rust/tree-sitter-rust.wasm'],
}

/** Bundles the programs to one file each and puts what they read beside them. */
export async function buildPrograms(root: string): Promise<void> {
  const present = Object.entries(entries).filter(([, file]) => existsSync(join(root, file)))
  await build({
    entryPoints: present.map(([out, file]) => ({ out, in: join(root, file) })),
    outdir: join(root, 'out'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // Some dependencies are CommonJS and ask for Node's own modules at run time.
    banner: {
      js: "import { createRequire as ringsideRequire } from 'node:module'; const require = ringsideRequire(import.meta.url);",
    },
    plugins: [mirrorPlugin(root)],
    logLevel: 'warning',
  })
  for (const folder of mirrored) await mirror(root, folder)
  for (const file of grammars.files)
    await cp(join(root, 'node_modules', file), join(root, 'out/resources', grammars.to, basename(file)))
}

const mirrorPlugin = (root: string): Plugin => ({
  name: 'ringside-mirror-dirname',
  setup(builder) {
    builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (path.includes('node_modules')) return null
      return { contents: mirrorDirname(await readFile(path, 'utf8'), path, root, '.'), loader: 'ts' }
    })
  },
})

async function mirror(root: string, folder: string): Promise<void> {
  const from = join(root, 'resources', folder)
  if (!existsSync(from)) return
  await cp(from, join(root, 'out/resources', folder), {
    recursive: true,
    filter: (file) => extname(file) !== '.ts' && !/(^|[\\/])(__pycache__|target)($|[\\/])/.test(file),
  })
}
