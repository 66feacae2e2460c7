/** One line of a container's log. */
export type LogLine = {
  pod: string
  container: string
  /** How often the container had been started again when it said this. */
  restart: number
  /** The node's time of it, RFC 3339 with what fraction it has. */
  at: string
  text: string
}

/** What the API gives with `timestamps=true`: the time, a space, the text. */
const stamped = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d) ?/

export type StampedText = { at: string; second: number; text: string }

/** @returns null for a line without a time: it is not the container's but the node's own, about the log. */
export function readStamp(raw: string): StampedText | null {
  const found = stamped.exec(raw)
  if (!found) return null
  const [whole, date = '', fraction = '', zone = ''] = found
  const second = Date.parse(`${date}${zone}`) / 1000
  return { at: `${date}${fraction}${zone}`, second, text: raw.slice(whole.length) }
}

/** Sorts by time where both are said in one zone, as a node says them. */
export const isEarlier = (a: LogLine, b: LogLine): boolean => a.at < b.at
