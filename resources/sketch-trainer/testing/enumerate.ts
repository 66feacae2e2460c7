import { type Choices, nextHole, optionsOf } from '../policy/holes.ts'
import { bodyOf } from '../program/completion.ts'
import { docPool, namePool, variants } from '../program/style.ts'

export type KnownProgram = { body: string; choices: Choices; variant: number }

/** Every program that the policy can write, with the choices that write it; fences aside, since they are no part of a program. */
export function allPrograms(): Map<string, KnownProgram> {
  const programs = new Map<string, KnownProgram>()
  for (const choices of filled({})) {
    for (const names of namePool)
      for (const doc of docPool)
        for (let variant = 0; variant < variants; variant++) {
          const body = bodyOf(choices, { names, doc, variant })
          if (body !== null && !programs.has(body)) programs.set(body, { body, choices, variant })
        }
  }
  return programs
}

function filled(choices: Choices): Choices[] {
  const hole = nextHole(choices)
  if (hole === null) return [choices]
  const options = hole === 'fence' ? ['python'] : optionsOf(hole)
  return options.flatMap((option) => filled({ ...choices, [hole]: option }))
}
