/**
 * One pinned name in a hosts file, as a line of its own that carries the lease's id. Names are compared whole and without case: a pin of
 * `a.example` never touches `aa.example`, nor a line that merely mentions it.
 */
export type Pin = { address: string; name: string; lease: string }

export type PinPlan =
  /** `own`: this very lease's line is there. `present`: somebody else's says the same. */
  { state: 'add' | 'own' | 'present'; text: string } | { state: 'conflict'; line: number; address: string }

const marker = '# ringside:'
const lineOf = (pin: Pin) => `${pin.address}\t${pin.name}\t${marker}${pin.lease}`

type Entry = { line: number; address: string; names: string[]; lease: string | null }

function entries(text: string): Entry[] {
  return text.split('\n').flatMap((source, i) => {
    const at = source.indexOf(marker)
    const [address, ...names] = (source.split('#')[0] ?? '').trim().toLowerCase().split(/\s+/)
    if (!address || names.length === 0) return []
    return [
      { line: i + 1, address, names, lease: at === -1 ? null : source.slice(at + marker.length).trim() },
    ]
  })
}

/**
 * The file with the pin in it. A name that stands for another address already is a conflict and changes nothing. Where somebody else's line says the
 * same already, nothing is added; a line of another lease would go with that lease, so this one gets its own beside it.
 */
export function addPin(text: string, pin: Pin): PinPlan {
  const about = entries(text).filter((entry) => entry.names.includes(pin.name.toLowerCase()))
  const other = about.find((entry) => entry.address !== pin.address.toLowerCase())
  if (other) return { state: 'conflict', line: other.line, address: other.address }
  if (about.some((entry) => entry.lease === pin.lease)) return { state: 'own', text }
  if (about.some((entry) => entry.lease === null)) return { state: 'present', text }
  const end = text === '' || text.endsWith('\n') ? '' : '\n'
  return { state: 'add', text: `${text}${end}${lineOf(pin)}\n` }
}

/** The file without the line that this very lease added; every other byte stays. */
export function removePin(text: string, lease: string): { text: string; removed: number } {
  const lines = text.split('\n')
  const mine = new Set(
    entries(text)
      .filter((entry) => entry.lease === lease)
      .map((entry) => entry.line),
  )
  return { text: lines.filter((_, i) => !mine.has(i + 1)).join('\n'), removed: mine.size }
}

/** Every line that a lease of a console's added. */
export const pinsIn = (text: string): Pin[] =>
  entries(text).flatMap(({ address, names: [name], lease }) =>
    lease === null || name === undefined ? [] : [{ address, name, lease }],
  )
