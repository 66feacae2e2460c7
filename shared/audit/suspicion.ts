/** Why a body that got full marks wants a look, though nothing has shown it wrong. */
export type Suspicion = 'imports' | 'very_short' | 'constant' | 'same_for_tasks'

export type Suspect = { task: string; bodySha256: string; body: string }

/** A body this much shorter than the reference does less, or does it in another way. */
const shortShare = 0.4

/**
 * Bodies that stand out beside the reference: they import what it does not, are very short, return only constants, or answer several tasks with
 * one text. A reason to look, never a verdict.
 */
export function suspicions(
  bodies: readonly Suspect[],
  references: ReadonlyMap<string, string>,
): Map<string, Suspicion[]> {
  const tasks = new Map<string, Set<string>>()
  for (const { body, task } of bodies) tasks.set(body, (tasks.get(body) ?? new Set()).add(task))
  const found = new Map<string, Suspicion[]>()
  for (const { task, bodySha256, body } of bodies) {
    const reference = references.get(task)
    const reasons: Suspicion[] = []
    if (reference !== undefined) {
      const known = new Set(importsOf(reference))
      if (importsOf(body).some((name) => !known.has(name))) reasons.push('imports')
      if (solid(body) < shortShare * solid(reference)) reasons.push('very_short')
      if (isConstant(body) && !isConstant(reference)) reasons.push('constant')
    }
    if ((tasks.get(body)?.size ?? 0) > 1) reasons.push('same_for_tasks')
    if (reasons.length > 0) found.set(bodySha256, reasons)
  }
  return found
}

const solid = (text: string) => text.replace(/\s+/g, '').length

/** Modules that a Python body imports, and paths that a Rust body uses. */
function importsOf(body: string): string[] {
  const python = body.matchAll(/^\s*(?:from\s+([\w.]+)\s+import|import\s+([\w., ]+))/gm)
  const names = Array.from(python, (match) => match[1] ?? match[2] ?? '').flatMap((list) => list.split(','))
  const rust = Array.from(body.matchAll(/\b(?:std|core|alloc)::\w+/g), ([path]) => path)
  return [...names.map((name) => name.trim().split(/[\s.]/)[0] ?? '').filter((name) => name !== ''), ...rust]
}

/** Every `return` gives a literal: the answer does not come from the input. */
function isConstant(body: string): boolean {
  const returns = Array.from(body.matchAll(/\breturn\b[ \t]*([^\n;]*)/g), (match) => (match[1] ?? '').trim())
  return (
    returns.length > 0 &&
    returns.every((value) => /^(?:-?\d[\d._]*|True|False|true|false|None|""|''|\[\]|\(\))$/.test(value))
  )
}
