import { Command } from 'cmdk'
import { Dialog } from '../components/ui/dialog.tsx'
import { chooseTheme } from '../stores/app.ts'
import { useRuns } from '../stores/runs.ts'
import type { ThemeChoice } from '../theme/theme.ts'
import { go, useLastRun, viewRoute } from './router.ts'
import type { Route } from './routes.ts'
import { railViews } from './views.ts'

const savedFilters: { label: string; filter: string }[] = [
  { label: 'False acceptances', filter: 'is:false_acceptance' },
  { label: 'Not graded', filter: 'reward:null' },
  { label: 'Tampered', filter: 'status:tampered' },
  { label: 'Timed out', filter: 'status:timed_out' },
  { label: 'Truncated', filter: 'is:truncated' },
]
const themes: ThemeChoice[] = ['system', 'dark', 'light']

/** Goes anywhere and does the window's few commands, by typing. */
export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Go to anything" bare width={560}>
      <PaletteBody onClose={onClose} />
    </Dialog>
  )
}

function PaletteBody({ onClose }: { onClose: () => void }) {
  const runs = useRuns((state) => state.runs) ?? []
  const lastRun = useLastRun()
  const pick = (route: Route) => () => {
    onClose()
    go(route)
  }
  return (
    <Command label="Go to anything" loop className="palette">
      <Command.Input autoFocus placeholder="A view, a run, a list of rollouts, a theme" />
      <Command.List>
        <Command.Empty>Nothing of that name.</Command.Empty>
        <Command.Group heading="Views">
          {railViews.map(({ view, label, icon: Icon, about }) => (
            <Command.Item key={view} value={`${label} ${about}`} onSelect={pick(viewRoute(view, lastRun))}>
              <Icon size={14} aria-hidden /> {label} <small>{about}</small>
            </Command.Item>
          ))}
        </Command.Group>
        {lastRun === null ? null : (
          <Command.Group heading={`Rollouts of ${lastRun}`}>
            {savedFilters.map(({ label, filter }) => (
              <Command.Item key={filter} onSelect={pick({ view: 'rollouts', run: lastRun, filter })}>
                {label} <small className="mono">{filter}</small>
              </Command.Item>
            ))}
          </Command.Group>
        )}
        <Command.Group heading="Runs">
          {runs.map((run) => (
            <Command.Item
              key={run.run}
              value={`${run.name} ${run.run} ${run.suite}`}
              onSelect={pick({ view: 'live', run: run.run })}
            >
              {run.name} <small className="mono">{run.run}</small>
            </Command.Item>
          ))}
        </Command.Group>
        <Command.Group heading="Theme">
          {themes.map((choice) => (
            <Command.Item
              key={choice}
              value={`theme ${choice}`}
              onSelect={() => {
                onClose()
                chooseTheme(choice)
              }}
            >
              {choice} theme
            </Command.Item>
          ))}
        </Command.Group>
      </Command.List>
    </Command>
  )
}
