import { ArrowDown, ArrowUp, Copy, Pause, Play } from 'lucide-react'
import { formatCount } from '../../app/format.ts'
import { Button } from '../../components/ui/button.tsx'

type Props = {
  search: string
  matches: { count: number; index: number }
  following: boolean
  onSearch: (text: string) => void
  onFind: (direction: 'next' | 'previous') => void
  onFollow: (on: boolean) => void
  onCopy: () => void
}

export function LogBar({ search, matches, following, onSearch, onFind, onFollow, onCopy }: Props) {
  return (
    <div className="log-bar">
      <input
        data-filter-line
        className="log-search"
        value={search}
        placeholder="search what is shown"
        aria-label="Search the log"
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
      <span className="log-actions">
        <Button onClick={onCopy}>
          <Copy size={13} aria-hidden /> Copy
        </Button>
        <Button aria-pressed={following} onClick={() => onFollow(!following)}>
          {following ? <Pause size={13} aria-hidden /> : <Play size={13} aria-hidden />}
          {following ? 'Hold' : 'Follow'}
        </Button>
      </span>
    </div>
  )
}

function describeMatches({ count, index }: Props['matches']): string {
  if (count === 0) return 'no match'
  return index === -1 ? `${formatCount(count)} matches` : `${formatCount(index + 1)} of ${formatCount(count)}`
}
