import type { StudyView } from '#shared/ipc/contract.ts'
import { formatCount, formatNumber, formatShare } from '../../app/format.ts'
import { Panel } from '../../components/ui/panel.tsx'
import { DrawsDoor } from './draws-door.tsx'

/** What the study would have said with fewer draws of each final policy. */
export function PrefixPanel({ figures }: { figures: StudyView['figures'] }) {
  const prefixes = Object.entries(figures.prefix)
  const arms = [...new Set(prefixes.flatMap(([, row]) => Object.keys(row)))]
  return (
    <Panel
      title="With fewer draws"
      note="full passes among the first draws of each final policy"
      className="study-wide"
    >
      <table className="figures">
        <thead>
          <tr>
            <th scope="col">first draws</th>
            {arms.map((arm) => (
              <th key={arm} scope="col">
                {arm}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {prefixes.map(([first, row]) => (
            <tr key={first}>
              <th scope="row">{formatCount(Number(first))}</th>
              {arms.map((arm) => {
                const found = row[arm]
                return found === undefined ? (
                  <td key={arm}>–</td>
                ) : (
                  <td
                    key={arm}
                    title={`mean of cases ${formatNumber(100 * (found.meanCaseAccuracy ?? Number.NaN))} %`}
                  >
                    {formatShare(found.full, found.draws)}{' '}
                    <DrawsDoor
                      title={`${arm}: full passes among the first ${first} draws of each policy`}
                      of={{ arm, first: Number(first), bucket: 'full' }}
                      count={found.full}
                    >
                      <span className="dim">
                        {formatCount(found.full)} of {formatCount(found.draws)}
                      </span>
                    </DrawsDoor>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
