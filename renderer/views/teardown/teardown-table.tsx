import type { ReactNode } from 'react'
import { identityText, type RowState, type ShownRow } from './row-state.ts'

const looks: Record<RowState, { mark: string; word: string; tone: string }> = {
  planned: { mark: '○', word: 'give back', tone: '' },
  kept: { mark: '–', word: 'keep', tone: 'dim' },
  nothing: { mark: '–', word: 'nothing to do', tone: 'dim' },
  waiting: { mark: '○', word: 'waiting', tone: 'dim' },
  releasing: { mark: '◐', word: 'giving back …', tone: 'warn' },
  released: { mark: '●', word: 'given back', tone: 'good' },
  left: { mark: '✕', word: 'left', tone: 'bad' },
}

type Props = {
  rows: ShownRow[]
  /** Takes a row out of the plan or puts it back; null once it is under way. */
  onToggle: ((lease: string) => void) | null
}

/** Exactly what is meant, what is done with it, and how that is known. */
export function TeardownTable({ rows, onToggle }: Props) {
  return (
    <table className="teardown-table" aria-label="What this run holds">
      <thead>
        <tr>
          <th scope="col">action</th>
          <th scope="col">kind</th>
          <th scope="col">what</th>
          <th scope="col">identity</th>
          <th scope="col">proof</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ row, state, says }) => (
          <tr key={row.lease} className={state === 'left' ? 'row-left' : undefined}>
            <td>
              <Action state={state}>
                {onToggle !== null && row.action === 'release' ? (
                  <input
                    type="checkbox"
                    checked={state === 'planned'}
                    aria-label={`Give back ${row.label}`}
                    onChange={() => onToggle(row.lease)}
                  />
                ) : null}
              </Action>
            </td>
            <td className="dim">{row.kind.replace('_', ' ')}</td>
            <td>{row.label}</td>
            <td className="mono dim">{identityText(row)}</td>
            <td className={state === 'left' ? 'bad' : state === 'released' ? undefined : 'dim'}>
              {says ?? (state === 'planned' || state === 'waiting' ? 'looked for afterwards' : '')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Action({ state, children }: { state: RowState; children: ReactNode }) {
  const { mark, word, tone } = looks[state]
  return (
    <span className={`teardown-action ${tone}`}>
      {children ?? <span aria-hidden="true">{mark}</span>} {word}
    </span>
  )
}
