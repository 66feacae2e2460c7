import { useRef, useState } from 'react'
import { useKeys } from '../../app/keys.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { Segments } from '../../components/rollout/facts.tsx'
import { copyText } from '../../components/terminal/copy-text.ts'
import { Failure } from '../../components/ui/states.tsx'
import { useRunSummary } from '../../stores/runs.ts'
import { LogBar } from './log-bar.tsx'
import { LogFilterLine } from './log-filter-line.tsx'
import { LogStatus } from './log-status.tsx'
import { PodSources } from './pod-sources.tsx'
import { type Stream, useStreams } from './streams.ts'
import { useLogTerminal } from './use-log-terminal.ts'

type Props = { run: string; stream: Stream; onStream: (stream: Stream) => void }

export function LogPane({ run, stream, onStream }: Props) {
  const parent = useRef<HTMLDivElement>(null)
  const summary = useRunSummary(run)
  const streams = useStreams(run)
  const terminal = useLogTerminal(run, stream, parent)
  const [search, setSearch] = useState('')
  const { pane, log, following } = terminal
  const find = (text: string, direction: 'next' | 'previous') => {
    if (text !== '') terminal.follow(false)
    pane?.find(text, direction)
  }
  const copy = () => {
    if (pane !== null) copyText(pane.text())
  }
  useKeys('Terminal', [
    ...streams.map((name, index) => ({ keys: String(index + 1), label: name, run: () => onStream(name) })),
    { keys: 'f', label: 'follow', footer: true, run: () => terminal.follow(!following) },
    { keys: 'c', label: 'copy', footer: true, run: copy },
    { keys: 'n', label: 'next match', run: () => find(search, 'next') },
    { keys: 'Shift+N', show: 'N', label: 'previous match', run: () => find(search, 'previous') },
  ])
  const failure = terminal.failure ?? (log?.size === null ? log.error : null)
  return (
    <>
      <HeaderSlot>
        <h1>Terminal</h1>
        <span className="dim">{summary?.name ?? run}</span>
        <Segments
          label="Log"
          value={stream}
          onChange={onStream}
          options={streams.map((name, index) => ({ value: name, label: name, title: `key ${index + 1}` }))}
        />
        <LogStatus log={log} following={following} />
      </HeaderSlot>
      <LogBar
        search={search}
        matches={terminal.matches}
        following={following}
        onSearch={(text) => {
          setSearch(text)
          find(text, 'previous')
        }}
        onFind={(direction) => find(search, direction)}
        onFollow={terminal.follow}
        onCopy={copy}
      >
        <LogFilterLine pods={stream === 'pods'} hidden={log?.hidden ?? null} onFilter={terminal.filter} />
      </LogBar>
      {stream === 'pods' ? <PodSources run={run} /> : null}
      {failure === null ? null : <Failure error={failure} />}
      <section
        className={`log-screen ${failure === null ? '' : 'away'}`}
        aria-label={`${stream} log`}
        data-renderer={pane?.renderer}
        ref={parent}
      />
    </>
  )
}
