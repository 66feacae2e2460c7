import { dirname, join } from 'node:path'

/**
 * Where the console finds what it starts and reads besides its own code, in both of its forms: run from source (this file is a .ts), and
 * built, where the build puts the programs into `out/` as one file each and mirrors the folders they read under `out/resources`.
 */
const source = import.meta.filename.endsWith('.ts')
const root = source
  ? join(dirname(import.meta.filename), '../../..')
  : join(dirname(import.meta.filename), '..')

const resource = (path: string) => join(root, 'resources', path)

export const programs = {
  verifier: source ? resource('verifier/main.ts') : join(root, 'verifier.mjs'),
  sketchTrainer: source ? resource('sketch-trainer/main.ts') : join(root, 'sketch-trainer.mjs'),
  taskSurvey: source ? resource('verifier/graders/cargo/survey/program.ts') : join(root, 'task-survey.mjs'),
  selectionStudy: source
    ? resource('sketch-trainer/study/selection-study.ts')
    : join(root, 'selection-study.mjs'),
  trainer: resource('trainer/main.py'),
  trainerArchiver: resource('trainer/archive.py'),
  supervisor: resource('supervisor/supervise.sh'),
  command: resource('supervisor/command.sh'),
  /** Manifests. */
  kube: resource('kube'),
  demo: resource('demo'),
} as const

/**
 * How to run one of the programs with this process's own Node: `[command, ...args]` and what must be set in its environment. Inside
 * Electron the executable is Electron itself, which runs as plain Node only when told to.
 */
export const nodeCommand = (): { command: string; env: Record<string, string> } => ({
  command: process.execPath,
  env: process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' },
})
