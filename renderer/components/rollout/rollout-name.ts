/** A rollout's id without its run: `17/3/2` in training, `final #9` for a draw of an evaluation. */
export function rolloutName(id: string): string {
  const [, first = '', second = '', third = '', fourth = ''] = id.split('/')
  return first === 'eval' ? `${second} #${fourth}` : `${first}/${second}/${third}`
}
