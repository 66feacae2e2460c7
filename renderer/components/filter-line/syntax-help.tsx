import { numberFields, textFields } from '#shared/rollouts/filter.ts'

const rows: [string, string][] = [
  ['status:passed', 'a status; several with commas: status:passed,timed_out'],
  ['reward<1', `a number: ${numberFields.join(', ')}, with < <= = >= > !=`],
  ['audit:null', 'not known; a comparison never holds of what is not known'],
  ['task:x', `a text: ${textFields.join(', ')} (body takes a prefix)`],
  ['is:false_acceptance', 'also is:false_rejection, is:silent, is:truncated, is:unaudited'],
  ['-status:passed', 'a leading - negates any term'],
  ['heappop  "two words"', 'anything else searches body and output'],
]

/** The whole syntax at a glance. Terms are joined by white space and must all hold. */
export function SyntaxHelp({ onClose }: { onClose: () => void }) {
  return (
    <div className="filter-syntax" role="dialog" aria-label="Syntax of the filter line">
      <table>
        <tbody>
          {rows.map(([example, meaning]) => (
            <tr key={example}>
              <td className="mono">{example}</td>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </div>
  )
}
