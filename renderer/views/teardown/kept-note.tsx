import { href } from '../../app/router.ts'
import { useApp } from '../../stores/app.ts'

/** What no teardown touches. */
export function KeptNote({ run }: { run: string }) {
  const folder = useApp((state) => state.info?.dataDir)
  return (
    <section className="teardown-kept" aria-label="What is kept">
      <h2>Kept in any case</h2>
      <p className="dim">
        The run’s record: its spec, its journal, every grade, verdict and piece of evidence
        {folder === undefined ? '' : <> in {<span className="mono">{folder}</span>}</>}. Its{' '}
        <a href={href({ view: 'rollouts', run, filter: '' })}>rollouts</a>,{' '}
        <a href={href({ view: 'audit', run })}>audit</a> and <a href={href({ view: 'live', run })}>charts</a>{' '}
        stay as they are.
      </p>
    </section>
  )
}
