import { ArrowDown, ArrowUp } from 'lucide-react'
import { formatCount } from '../../app/format.ts'
import { Button } from '../ui/button.tsx'
import './find-bar.css'

export type Matches = { count: number; index: number }

type Props = {
  label: string
  search: string
  matches: Matches
  onSearch: (text: string) => void
  onFind: (direction: 'next' | 'previous') => void
}

/** Looks for text in a terminal, from the end upwards: what is new stands below. */
export function FindBar({ label, search, matches, onSearch, onFind }: Props) {
  return (
    <>
      <input
        data-filter-line
        className="find-input"
        value={search}
        placeholder="search what is shown"
        aria-label={label}
        spellCheck={false}
        onChange={(event) => onSearch(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onFind(event.shiftKey ? 'next' : 'previous')
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <span className="dim" role="status">
        {search === '' ? '' : describeMatches(matches)}
      </span>
      <Button
        look="quiet"
        aria-label="Match above"
        disabled={matches.count === 0}
        onClick={() => onFind('previous')}
      >
        <ArrowUp size={14} aria-hidden />
      </Button>
      <Button
        look="quiet"
        aria-label="Match below"
        disabled={matches.count === 0}
        onClick={() => onFind('next')}
      >
        <ArrowDown size={14} aria-hidden />
      </Button>
    </>
  )
}

function describeMatches({ count, index }: Matches): string {
  if (count === 0) return 'no match'
  return index === -1 ? `${formatCount(count)} matches` : `${formatCount(index + 1)} of ${formatCount(count)}`
}
