import { Copy, Pause, Play } from 'lucide-react'
import type { ReactNode } from 'react'
import { FindBar, type Matches } from '../../components/terminal/find-bar.tsx'
import { Button } from '../../components/ui/button.tsx'

type Props = {
  search: string
  matches: Matches
  following: boolean
  onSearch: (text: string) => void
  onFind: (direction: 'next' | 'previous') => void
  onFollow: (on: boolean) => void
  onCopy: () => void
  children: ReactNode
}

export function LogBar({ search, matches, following, onSearch, onFind, onFollow, onCopy, children }: Props) {
  return (
    <div className="log-bar">
      <FindBar label="Search the log" search={search} matches={matches} onSearch={onSearch} onFind={onFind} />
      {children}
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
