import { Kbd } from '../components/ui/kbd.tsx'
import { useApp } from '../stores/app.ts'
import { useRuns } from '../stores/runs.ts'
import { keyCaps, useKeyGroups } from './keys.ts'
import { href, useLastRun } from './router.ts'

/** What is held, where, and which keys work here. */
export function Footer() {
  return (
    <footer className="footer">
      <div className="footer-said">
        <Leases />
        <Place />
        <span id="footer-slot" />
      </div>
      <FooterKeys />
    </footer>
  )
}

function Leases() {
  const runs = useRuns((state) => state.runs)
  const lastRun = useLastRun()
  if (!runs) return null
  const holders = runs.filter((run) => run.leases > 0)
  const held = holders.reduce((sum, run) => sum + run.leases, 0)
  if (held === 0) return <span>nothing held</span>
  const target = holders.find((run) => run.run === lastRun) ?? holders[0]
  const where = holders.length === 1 ? '' : ` by ${holders.length} runs`
  return (
    <a className="footer-leases" href={href({ view: 'teardown', run: target?.run ?? null })}>
      {held} {held === 1 ? 'lease' : 'leases'} held{where}
    </a>
  )
}

function Place() {
  const info = useApp((state) => state.info)
  if (!info) return null
  const open = info.isolation.level !== 'sandbox'
  return (
    <>
      <span className={open ? 'footer-warn' : undefined} title={info.isolation.detail}>
        {open ? 'not isolated' : 'sandboxed'}
      </span>
      <span title={info.dataDir}>
        this machine · {info.python === null ? 'no Python' : `Python ${info.python.version}`}
      </span>
    </>
  )
}

function FooterKeys() {
  const groups = useKeyGroups((state) => state.groups)
  const shown = groups.flatMap((group) => group.bindings.toReversed()).filter((binding) => binding.footer)
  return (
    <ul className="footer-keys" aria-label="Keys">
      {shown.map((binding) => (
        <li key={binding.keys}>
          <Kbd caps={keyCaps(binding)} /> {binding.label}
        </li>
      ))}
    </ul>
  )
}
