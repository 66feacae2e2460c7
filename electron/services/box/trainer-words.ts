import type { TrainerSpec } from '#shared/domain/run.ts'

/**
 * In a run's folder, on each machine that it is on: the secret without which its verifier answers nobody. Any user of a machine can reach a loopback
 * port there; only this one can read the file.
 */
export const tokenFile = 'supervisor/token'

/** How a trainer is started in a run's folder; the supervisor adds the verifier's address: the value of the last option. */
export const trainerWords = (program: string[], trainer: TrainerSpec, folder: string): string[] =>
  trainer.kind === 'command'
    ? [...program, folder, trainer.ownJournal ? 'own' : 'none', ...trainer.argv]
    : [
        ...program,
        '--run-dir',
        folder,
        '--verifier-file',
        `${folder}/verifier.json`,
        '--token-file',
        `${folder}/${tokenFile}`,
        '--verifier',
      ]
