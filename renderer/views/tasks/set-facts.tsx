import type { TaskList } from '#shared/ipc/contract.ts'
import { formatBytes, formatCount, plural, unknown } from '../../app/format.ts'
import { Facts } from '../../components/rollout/facts.tsx'
import { Panel } from '../../components/ui/panel.tsx'

type Report = NonNullable<TaskList['report']>

/** What a set was made of and by which rules: each figure that decided about a task. */
export function SetFacts({ report }: { report: Report }) {
  return (
    <aside className="set-facts" aria-label="How this set was made">
      <Panel title="Prompts" note={`tokens by ${report.tokens.by}`}>
        <Histogram tokens={report.tokens} />
        {report.memory === null ? null : <Memory memory={report.memory} />}
      </Panel>
      <Panel title="Made of">
        <Facts rows={sourceRows(report)} />
        {report.notes.map((note) => (
          <p key={note} className="dim set-note">
            {note}
          </p>
        ))}
      </Panel>
      {report.corpus === null ? null : <Corpus corpus={report.corpus} />}
    </aside>
  )
}

function Histogram({ tokens }: { tokens: Report['tokens'] }) {
  const most = Math.max(1, ...tokens.histogram.map(({ prompts }) => prompts))
  const over = (from: number) => tokens.cap !== null && from > tokens.cap
  return (
    <table className="histogram">
      <tbody>
        {tokens.histogram.map(({ from, to, prompts }) => (
          <tr key={from}>
            <th scope="row">
              {formatCount(from)}–{formatCount(to - 1)}
            </th>
            <td className="histogram-bar" aria-hidden="true">
              <i
                className={over(from) ? 'over' : undefined}
                style={{ width: `${(100 * prompts) / most}%` }}
              />
            </td>
            <td>{prompts}</td>
          </tr>
        ))}
      </tbody>
      <caption className="dim">
        longest {tokens.longest === null ? unknown : formatCount(tokens.longest)}
        {tokens.cap === null ? ', no cap' : `, the cap is ${formatCount(tokens.cap)}`}
      </caption>
    </table>
  )
}

function Memory({ memory }: { memory: NonNullable<Report['memory']> }) {
  const box = memory.boxBytes === null ? '' : ` of ${formatBytes(memory.boxBytes)}`
  return (
    <p className={memory.fits === false ? 'tasks-fault set-note' : 'set-note'}>
      At least {formatBytes(memory.totalBytes)}
      {box} for the longest prompt: weights {formatBytes(memory.weightBytes)}, cache{' '}
      {formatBytes(memory.cacheBytes)}, logits {formatBytes(memory.logitBytes)}.
    </p>
  )
}

function sourceRows({ source, thresholds, tests }: Report): [string, string | undefined][] {
  const limit = (value: number | undefined, unit: string) =>
    value === undefined ? undefined : `${formatCount(value)} ${unit}`
  const from: [string, string | undefined][] =
    source.kind === 'file'
      ? [
          ['file', source.name],
          ['format', source.format],
          ['sha256', source.sha256.slice(0, 16)],
        ]
      : [
          ['commit', source.commit.slice(0, 16)],
          ['manifest', source.manifest],
          ['from', source.from],
        ]
  return [
    ...from,
    ['fewest lines of logic', limit(thresholds.logicLines, 'lines')],
    ['most commits', limit(thresholds.commits, 'commits')],
    ['longest build', limit(thresholds.buildMs, 'ms')],
    ['longest tests', limit(thresholds.testMs, 'ms')],
    ['context', limit(thresholds.contextLines, 'lines either side')],
    ['tests in the prompt', tests ?? undefined],
  ]
}

function Corpus({ corpus }: { corpus: NonNullable<Report['corpus']> }) {
  return (
    <Panel
      title="Corpus"
      note={`${corpus.ngram} tokens an n-gram, ${Math.round(100 * corpus.threshold)} % of a body’s together`}
      aside={plural(corpus.findings.length, 'place')}
    >
      <p className="dim set-note">
        {plural(corpus.files, 'file')}, {formatBytes(corpus.bytes)}
        {corpus.unscannable.length === 0
          ? ''
          : `; ${plural(corpus.unscannable.length, 'body', 'bodies')} too small to be looked for`}
      </p>
      <ul className="findings">
        {corpus.findings.map((one) => (
          <li key={`${one.task} ${one.file} ${one.offset}`}>
            <b>{one.task}</b> {Math.round(100 * one.share)} % in <span className="mono">{one.file}</span>,
            line {formatCount(one.line)}
            <pre>{one.context}</pre>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
