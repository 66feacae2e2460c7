import { type Part, parts, rungs, waysOf } from '../ladder/parts.ts'
import type { Parameters } from '../policy/policy.ts'
import type { Picks, Sketch, Vocabulary } from '../policy/sketch.ts'

/** How the code is fenced. The first two hold one usable block. */
const fence = { python: 0.5, bare: 0.3, twice: 0.12, none: 0.08 } as const
const usable = ['python', 'bare']

const hole = (part: Part): string => `ladder.${part}`
const fenceHole = 'ladder.fence'

const openings = [
  'Here is the function.',
  'One expression a part of the answer:',
  'A short solution:',
] as const

/** The sketch of one of the ladder's functions; null for a name that is none of them. */
export function ladderSketch(name: string): Sketch | null {
  const wanted = rungs[name]
  if (wanted === undefined) return null
  const order = [fenceHole, ...wanted.map(hole)]
  return {
    holes: Object.fromEntries([
      [fenceHole, fence],
      ...wanted.map((part) => [hole(part), chances(part)]),
    ]) as Vocabulary,
    next: (picks) => order.find((one) => picks[one] === undefined) ?? null,
    render: (picks, random) => ({
      text: `${random.pick(openings)}\n\n${fenced(picks[fenceHole] ?? 'python', ladderBody(name, wanted, picks))}`,
      truncated: false,
    }),
  }
}

const chances = (part: Part): Record<string, number> =>
  Object.fromEntries(waysOf(part).map(([way, { chance }]) => [way, chance]))

/** The program that the picks write; where a part has none, its right way. */
export function ladderBody(name: string, wanted: readonly Part[], picks: Picks = {}): string {
  const ways = wanted.map((part) => {
    const known = new Map(waysOf(part))
    return (known.get(picks[hole(part)] ?? '') ?? Object.values(parts[part])[0])?.python ?? ''
  })
  return `def ${name}(values):\n    return [${ways.join(', ')}]\n`
}

function fenced(kind: string, body: string): string {
  switch (kind) {
    case 'bare':
      return `\`\`\`\n${body}\`\`\`\n`
    case 'none':
      return body
    case 'twice':
      return `\`\`\`python\n${body}\`\`\`\n\nFor example:\n\n\`\`\`python\nprint([3, 1, 2])\n\`\`\`\n`
    default:
      return `\`\`\`python\n${body}\`\`\`\n`
  }
}

/** Whether what the picks write passes all of the task's cases; it passes none otherwise. */
export const isRight = (name: string, picks: Picks): boolean =>
  usable.includes(picks[fenceHole] ?? '') &&
  (rungs[name] ?? []).every((part) => picks[hole(part)] === waysOf(part)[0]?.[0])

/** The chance that the policy passes the task: a product over its holes, exact, nothing drawn. */
export function passChance(name: string, logProbs: Parameters): number {
  const chance = (of: string, option: number) => Math.exp(logProbs[of]?.[option] ?? Number.NEGATIVE_INFINITY)
  const fences = Object.keys(fence).reduce(
    (total, kind, i) => total + (usable.includes(kind) ? chance(fenceHole, i) : 0),
    0,
  )
  return (rungs[name] ?? []).reduce((product, part) => product * chance(hole(part), 0), fences)
}
