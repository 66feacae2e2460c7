import { useState } from 'react'
import type { DiffChange, ObjectDiff } from '#shared/kube/object-diff.ts'

const words: Record<DiffChange, string> = { copied: '', changed: '→', added: '+', removed: '−' }

/** Each object that would be made, leaf by leaf: what differs at once, what is copied when asked for. */
export function ObjectDiffs({ diffs }: { diffs: ObjectDiff[] }) {
  return (
    <div className="object-diffs">
      {diffs.map((diff) => (
        <OneDiff key={`${diff.kind} ${diff.after}`} diff={diff} />
      ))}
    </div>
  )
}

function OneDiff({ diff }: { diff: ObjectDiff }) {
  const [all, setAll] = useState(false)
  const copied = diff.rows.filter((row) => row.change === 'copied').length
  const rows = all ? diff.rows : diff.rows.filter((row) => row.change !== 'copied')
  return (
    <details className="object-diff" open={diff.kind === 'Deployment'}>
      <summary>
        <b>{diff.kind}</b> <span className="mono">{diff.after}</span>{' '}
        <span className="dim">
          {diff.before === null ? 'new' : `after ${diff.before}`} · {diff.rows.length - copied} differ,{' '}
          {copied} copied
        </span>
      </summary>
      <table>
        <thead className="visually-hidden">
          <tr>
            <th>Field</th>
            <th>Change</th>
            <th>Shared</th>
            <th>Run’s own</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ path, change, before, after }) => (
            <tr key={path} className={`diff-${change}`}>
              <th scope="row" className="mono">
                {path}
              </th>
              <td aria-label={change}>{words[change]}</td>
              <td className="mono diff-before">{before ?? ''}</td>
              <td className="mono diff-after">{after ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {copied > 0 ? (
        <button type="button" className="link-button" onClick={() => setAll(!all)}>
          {all ? 'Show only what differs' : `Show the ${copied} that are copied`}
        </button>
      ) : null}
    </details>
  )
}
