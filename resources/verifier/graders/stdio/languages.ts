import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Limits } from '#shared/domain/suite.ts'
import { findPython } from '../python-function/interpreter.ts'
import type { Command, Work } from './place.ts'
import type { Language } from './tasks.ts'

const run = promisify(execFile)

/** How a language's programs are built and run on this machine. */
export type Toolchain = {
  version: string
  file: string
  /** Compiles, or for a language that is not compiled only reads the program: what does not parse never runs. */
  build(work: Work): Command
  run(work: Work, limits: Limits): Command
}

/** Why a language's programs cannot be graded here, for people. */
export type Missing = { missing: string }

export const findToolchain = (language: Language): Promise<Toolchain | Missing> => finders[language]()

const plain: Pick<Command, 'env' | 'reads' | 'boundMemory'> = { env: {}, reads: [], boundMemory: true }

const finders: Record<Language, () => Promise<Toolchain | Missing>> = {
  python: async () => {
    const found = await findPython().catch((failure: Error) => failure)
    if (found instanceof Error) return { missing: found.message }
    // The system's own folders are there as they are; only an interpreter from elsewhere brings libraries along.
    const libraries = Object.keys(found.libraries).filter((path) => !path.startsWith('/usr/'))
    const { executable, roots } = found
    const reads = [executable, ...roots, ...libraries]
    const folders = [...new Set(libraries.map((path) => dirname(path)))].join(':')
    const env: Record<string, string> = folders === '' ? {} : { LD_LIBRARY_PATH: folders }
    const python = [executable, '-I', '-S', '-B', '-X', 'utf8', '-W', 'ignore']
    const check = 'import sys; compile(open(sys.argv[1], "rb").read(), "main.py", "exec")'
    return {
      version: `Python ${found.version}`,
      file: 'main.py',
      build: ({ source }) => ({ ...plain, reads, env, argv: [...python, '-c', check, `${source}/main.py`] }),
      run: ({ source }) => ({ ...plain, reads, env, argv: [...python, `${source}/main.py`] }),
    }
  },
  javascript: async () => {
    const node = process.versions.electron === undefined ? process.execPath : await which(['node'])
    if (node === null) return { missing: 'no Node.js was found on the PATH' }
    const { version } = process
    return {
      version: `Node.js ${version}`,
      file: 'main.cjs',
      build: ({ source }) => ({
        ...plain,
        boundMemory: false,
        reads: [node],
        argv: [node, '--check', `${source}/main.cjs`],
      }),
      run: ({ source }, limits) => ({
        ...plain,
        boundMemory: false,
        reads: [node],
        argv: [
          node,
          `--max-old-space-size=${Math.ceil(limits.memoryBytes / 1024 ** 2)}`,
          `${source}/main.cjs`,
        ],
      }),
    }
  },
  c: () => compiled(['cc', 'gcc', 'clang'], 'main.c', ['-std=c17', '-O2', '-w'], ['-lm']),
  cpp: () => compiled(['c++', 'g++', 'clang++'], 'main.cpp', ['-std=c++20', '-O2', '-w'], []),
  rust: async () => {
    const sysroot = await ask('rustc', ['--print', 'sysroot'])
    if (sysroot === null) return { missing: 'no rustc was found on the PATH' }
    const root = realpathSync(sysroot)
    const rustc = `${root}/bin/rustc`
    return {
      version: (await ask(rustc, ['-V'])) ?? 'rustc',
      file: 'main.rs',
      build: ({ source, out }) => ({
        ...plain,
        reads: [root],
        argv: [rustc, '--edition=2021', '-O', '-Awarnings', '-o', `${out}/program`, `${source}/main.rs`],
      }),
      run: ({ out }) => ({ ...plain, argv: [`${out}/program`] }),
    }
  },
}

async function compiled(
  names: string[],
  file: string,
  flags: string[],
  libraries: string[],
): Promise<Toolchain | Missing> {
  const compiler = await which(names)
  if (compiler === null) return { missing: `none of ${names.join(', ')} was found on the PATH` }
  return {
    version: ((await ask(compiler, ['--version'])) ?? compiler).split('\n')[0] ?? compiler,
    file,
    build: ({ source, out }) => ({
      ...plain,
      argv: [compiler, ...flags, '-o', `${out}/program`, `${source}/${file}`, ...libraries],
    }),
    run: ({ out }) => ({ ...plain, argv: [`${out}/program`] }),
  }
}

async function which(names: string[]): Promise<string | null> {
  for (const name of names) {
    const path = await ask('/bin/sh', ['-c', `command -v ${name}`])
    if (path !== null) return path
  }
  return null
}

const ask = (program: string, args: string[]): Promise<string | null> =>
  run(program, args, { timeout: 60_000 }).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  )
