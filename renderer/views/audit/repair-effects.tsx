import type { RepairReport } from '#shared/ipc/contract.ts'
import { formatCount, formatNumber, plural } from '../../app/format.ts'
import { Copyable } from '../../components/code/copyable.tsx'
import { Witness } from '../../components/witness/witness.tsx'

/** What the new suite changes on the saved bodies. What got worse is said as plainly as what got better. */
export function RepairEffects({ report }: { report: RepairReport }) {
  const { suite, base, effect, tests, added, removed, regraded, unknown, sharedWithAudit, controls } = report
  return (
    <section className="repair-effects" aria-label="What it changes">
      <h3>
        {suite.name}{' '}
        <span className="dim">
          from {base.name}, {formatCount(tests.before)} → {formatCount(tests.after)} tests a grade
        </span>
        <Copyable value={suite.sha256} name="suite sha256" />
      </h3>
      <table className="repair-table">
        <thead>
          <tr>
            <th scope="col">{plural(regraded, 'saved program')}</th>
            <th scope="col">before</th>
            <th scope="col">after</th>
            <th scope="col">in draws</th>
          </tr>
        </thead>
        <tbody>
          <Row label="false acceptances" cell="acceptedWrong" effect={effect} better="less" />
          <Row label="right and accepted" cell="acceptedRight" effect={effect} better="more" />
          <Ordering {...report.ordering} />
        </tbody>
      </table>
      <p className="dim">
        {plural(effect.removed, 'false acceptance')} removed, {formatCount(effect.added)} new,{' '}
        {plural(effect.lost, 'right program')} lost{unknown > 0 ? `, ${formatCount(unknown)} not known` : ''}.{' '}
        {removed.length > 0 ? `Left out: ${removed.map(({ id }) => id).join(', ')}. ` : ''}
        {controls > 0 ? `${plural(controls, 'negative control')} drafted. ` : ''}
        {sharedWithAudit > 0 ? `${plural(sharedWithAudit, 'new input')} also stand in the audit. ` : ''}
        It can be chosen in Launch.
      </p>
      <ul className="repair-cases">
        {added.map(({ id, task, input, expected, observed }) => (
          <li key={`${task}/${id}`}>
            <b className="mono">{id}</b>
            <Witness input={input} expected={expected} observed={observed} />
          </li>
        ))}
      </ul>
    </section>
  )
}

type Cell = 'acceptedWrong' | 'acceptedRight'
type RowProps = { label: string; cell: Cell; effect: RepairReport['effect']; better: 'less' | 'more' }

function Row({ label, cell, effect: { programs, draws }, better }: RowProps) {
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>{formatCount(programs.before[cell])}</td>
      <td className={tone(programs.before[cell], programs.after[cell], better)}>
        {formatCount(programs.after[cell])}
      </td>
      <td className="dim">
        {formatCount(draws.before[cell])} → {formatCount(draws.after[cell])}
      </td>
    </tr>
  )
}

/** Pairs of draws that the suite's scores put the other way round than the audit's, of those in which nothing ties. */
function Ordering({ eligiblePairs, before, after }: RepairReport['ordering']) {
  const share = (count: number) => (eligiblePairs === 0 ? null : (100 * count) / eligiblePairs)
  const words = (count: number) => (eligiblePairs === 0 ? '–' : `${formatNumber(share(count))} %`)
  return (
    <tr title={`of ${formatCount(eligiblePairs)} pairs of draws in which no score ties`}>
      <th scope="row">partial scores in the wrong order</th>
      <td>{words(before)}</td>
      <td className={tone(before, after, 'less')}>{words(after)}</td>
      <td className="dim">
        {formatCount(before)} → {formatCount(after)} of {formatCount(eligiblePairs)} pairs
      </td>
    </tr>
  )
}

function tone(before: number, after: number, better: 'less' | 'more'): string | undefined {
  if (before === after) return undefined
  return after < before === (better === 'less') ? 'accepted' : 'rejected'
}
