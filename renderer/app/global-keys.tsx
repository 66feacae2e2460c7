import { useState } from 'react'
import { HelpDialog } from './help-dialog.tsx'
import { useKeys } from './keys.ts'
import { Palette } from './palette.tsx'
import { go, useLastRun, viewRoute } from './router.ts'
import { railViews } from './views.ts'

/** Keys that work everywhere, and the two dialogs that they open. */
export function GlobalKeys() {
  const [open, setOpen] = useState<'none' | 'help' | 'palette'>('none')
  const lastRun = useLastRun()
  useKeys('Go to', [
    ...railViews.map(({ view, label, key }) => ({
      keys: `g ${key}`,
      label,
      run: () => go(viewRoute(view, lastRun)),
    })),
  ])
  useKeys('Everywhere', [
    { keys: '/', label: 'filter', footer: true, run: () => focusFilter(lastRun) },
    {
      keys: '$mod+k',
      label: 'anything',
      footer: true,
      inFields: true,
      run: () => setOpen((now) => (now === 'palette' ? 'none' : 'palette')),
    },
    { keys: 'Shift+?', show: '?', label: 'keys', footer: true, run: () => setOpen('help') },
  ])
  return (
    <>
      <HelpDialog open={open === 'help'} onClose={() => setOpen('none')} />
      <Palette open={open === 'palette'} onClose={() => setOpen('none')} />
    </>
  )
}

function focusFilter(lastRun: string | null): void {
  const field = document.querySelector<HTMLInputElement>('[data-filter-line]')
  if (field) {
    field.focus()
    field.select()
  } else go({ view: 'rollouts', run: lastRun, filter: '' })
}
