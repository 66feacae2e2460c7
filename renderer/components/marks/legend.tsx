import { Mark } from './mark.tsx'
import './marks.css'
import { type MarkStatus, statusInfo } from './status-info.ts'

type Entry = { status: MarkStatus; count?: number | undefined; href?: string | undefined }

/** What each mark means, with counts where there are some; each entry is a link to its rollouts where one is given. */
export function Legend({ entries, label }: { entries: Entry[]; label: string }) {
  return (
    <ul className="legend" aria-label={label}>
      {entries.map(({ status, count, href }) => {
        const { label: name, meaning } = statusInfo(status)
        const body = (
          <>
            <Mark status={status} />
            {name}
            {count === undefined ? null : <b>{count.toLocaleString('en')}</b>}
          </>
        )
        return (
          <li key={status} title={meaning}>
            {href === undefined ? <span>{body}</span> : <a href={href}>{body}</a>}
          </li>
        )
      })}
    </ul>
  )
}
