import type { AccessRow } from '#shared/ipc/clusters.ts'

const labels: Record<string, string> = {
  look: 'Look',
  watch: 'Watch',
  logs: 'Read logs',
  reach: 'Reach a pod',
  create: 'Create a verifier',
  remove: 'Remove it',
  hold: 'Hold a shared one',
}

/** What can be done here, action by action; what is missing for one is named. */
export function Rights({ rows }: { rows: AccessRow[] }) {
  const actions = [...new Set(rows.map((row) => row.action))]
  return (
    <ul className="rights">
      {actions.map((action) => {
        const missing = rows.filter((row) => row.action === action && !row.allowed).map((row) => row.what)
        const held = missing.length === 0
        return (
          <li key={action} className={held ? 'right' : 'right right-missing'}>
            <span aria-hidden>{held ? '✓' : '✕'}</span>
            <b>{labels[action] ?? action}</b>
            <span className="dim">{held ? 'allowed' : `not without ${missing.join(', ')}`}</span>
          </li>
        )
      })}
    </ul>
  )
}
