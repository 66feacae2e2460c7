import type { StudyView } from '#shared/ipc/contract.ts'
import type { DrawsOf } from '#shared/stats/study-draws.ts'
import { formatCount, formatNumber } from '../../app/format.ts'
import { Facts } from '../../components/rollout/facts.tsx'
import { Panel } from '../../components/ui/panel.tsx'
import { DrawsDoor } from './draws-door.tsx'

type Figures = StudyView['figures']

/** Ways of being wrong, told apart by how many audit cases they pass: a table of scores has no more. */
export function MechanismsPanel({ figures, cases }: { figures: Figures; cases: Record<string, number> }) {
  const most = Math.max(1, ...figures.mechanisms.map(({ draws }) => draws))
  return (
    <Panel title="Mechanisms" note="false acceptances by the score that the audit gives them">
      <table className="figures">
        <thead>
          <tr>
            <th scope="col">accepted by</th>
            <th scope="col">audit</th>
            <th scope="col">programs</th>
            <th scope="col">draws</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {figures.mechanisms.map(({ verifier, verifierPassed, auditPassed, draws, sources }) => (
            <tr key={`${verifier} ${auditPassed}`}>
              <th scope="row">
                {verifier}{' '}
                <span className="dim">
                  {verifierPassed}/{verifierPassed}
                </span>
              </th>
              <td className="bad">
                {auditPassed}/{cases.audit}
              </td>
              <td>{formatCount(sources)}</td>
              <td>
                <DrawsDoor
                  title={`accepted by ${verifier}, ${auditPassed} of ${cases.audit} in the audit`}
                  of={{ verifier, accepted: true, audit: auditPassed }}
                  count={draws}
                />
              </td>
              <td className="figure-bar" aria-hidden="true">
                <i style={{ width: `${(100 * draws) / most}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

/** How often a suite's partial scores put two draws the other way round than the audit's. */
export function OrderingPanel({ figures }: { figures: Figures }) {
  const { eligiblePairs, discordant } = figures.ordering
  return (
    <Panel
      title="Partial scores in the wrong order"
      note="pairs of final draws in which nothing ties"
      aside={`${formatCount(eligiblePairs)} pairs`}
    >
      <table className="figures">
        <tbody>
          {Object.entries(discordant).map(([suite, count]) => (
            <tr key={suite}>
              <th scope="row">{suite}</th>
              <td>{formatCount(count)}</td>
              <td className="dim">
                {eligiblePairs === 0 ? '–' : `${formatNumber((100 * count) / eligiblePairs)} %`}
              </td>
              <td className="figure-bar" aria-hidden="true">
                <i style={{ width: `${(100 * count) / Math.max(1, ...Object.values(discordant))}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

export function FinalPanel({ figures }: { figures: Figures }) {
  const { final, distinctSources, distinctAuditPassing, withoutProgram, draws } = figures
  const of = (count: number, whole: number) => `${formatCount(count)} of ${formatCount(whole)}`
  const door = (title: string, count: number, whole: number, which: DrawsOf) => (
    <DrawsDoor title={title} of={which} count={count}>
      {of(count, whole)}
    </DrawsDoor>
  )
  return (
    <Panel title="Draws and programs">
      <Facts
        rows={[
          [
            'final draws that parse',
            door('final draws that parse', final.parse, final.draws, { final: true, parses: true }),
          ],
          [
            'that pass the audit',
            door('final draws that pass the audit', final.auditPass, final.draws, {
              final: true,
              right: true,
            }),
          ],
          [
            'passing at the token cap',
            door('final draws that pass at the token cap', final.tokenCapAndPass, final.draws, {
              final: true,
              right: true,
              tokenCap: true,
            }),
          ],
          [
            'distinct programs',
            <DrawsDoor
              key="programs"
              title="draws with a program"
              of={{ program: true }}
              count={distinctSources}
            />,
          ],
          ['distinct ones that pass', of(distinctAuditPassing, distinctSources)],
          [
            'draws without a program',
            door('draws without a program', withoutProgram, draws, { program: false }),
          ],
        ]}
      />
    </Panel>
  )
}
