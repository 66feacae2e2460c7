/**
 * One line of the file that a run's pods' logs come together in: `<time> <pod>/<container>[#<restart>]: <text>`, or with `!` for the colon where
 * it is not the container's own word but one about its log (it was cut, it was started again).
 */
export type PodLogLine = {
  at: string
  pod: string
  container: string
  restart: number
  own: boolean
  text: string
}

const form = /^(\S+) ([^\s/]+)\/([^\s/#:!]+)(?:#(\d+))?([:!]) ?/

export const formatPodLogLine = ({ at, pod, container, restart, own, text }: PodLogLine): string =>
  `${at} ${pod}/${container}${restart > 0 ? `#${restart}` : ''}${own ? ':' : '!'} ${text}`

/** @returns null for what is no such line. */
export function parsePodLogLine(line: string): PodLogLine | null {
  const found = form.exec(line)
  if (!found) return null
  const [whole, at = '', pod = '', container = '', restart = '0', sign] = found
  return { at, pod, container, restart: Number(restart), own: sign === ':', text: line.slice(whole.length) }
}
