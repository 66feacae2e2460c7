import { useState } from 'react'
import type { TaskPage } from '#shared/ipc/contract.ts'
import { formatDuration, formatShare, plural, unknown } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
import { go } from '../../app/router.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { CodeView } from '../../components/code/code-view.tsx'
import { Facts, Segments } from '../../components/rollout/facts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Panel } from '../../components/ui/panel.tsx'
import { Pill } from '../../components/ui/pill.tsx'
import { Failure, Loading } from '../../components/ui/states.tsx'
import { useRequest } from '../../stores/use-request.ts'

type Props = { set: string; task: string; onBack: () => void }

/** One task: what is asked, what is right, what decides, and how every run met it. */
export function TaskPageView({ set, task, onBack }: Props) {
  const page = useRequest('tasks.get', { set, task })
  useKeys('Task', [{ keys: 'Escape', label: 'back to the set', footer: true, run: onBack }])
  return (
    <>
      <HeaderSlot>
        <Button onClick={onBack}>{page.value?.set.name ?? 'Tasks'}</Button>
        <h1>{task}</h1>
        {page.value === null ? null : <PageWords page={page.value} />}
      </HeaderSlot>
      {page.error !== null ? (
        <Failure error={page.error} onRetry={page.reload} />
      ) : page.value === null ? (
        <Loading what="the task" />
      ) : (
        <Page page={page.value} />
      )}
    </>
  )
}

function PageWords({ page: { row, set } }: { page: TaskPage }) {
  return (
    <>
      <span className="dim tasks-words">
        {row.place ?? row.group} · {set.name} {set.version}
      </span>
      <Pill>{row.difficulty}</Pill>
    </>
  )
}

function Page({ page }: { page: TaskPage }) {
  const [shown, setShown] = useState<'prompt' | 'body'>('prompt')
  const body = page.body
  return (
    <div className="task-page">
      <Panel
        title={shown === 'prompt' ? 'Prompt as sent' : 'Its own body'}
        note={
          shown === 'prompt'
            ? page.row.promptTokens === null
              ? undefined
              : `${page.row.promptTokens} tokens`
            : 'what the tests were proven with'
        }
        aside={
          <Segments
            label="Prompt or body"
            value={shown}
            options={[
              { value: 'prompt', label: 'Prompt' },
              {
                value: 'body',
                label: 'Body',
                disabled: body === null,
                title: body === null ? 'the suite has no reference' : '',
              },
            ]}
            onChange={setShown}
          />
        }
        className="task-text"
      >
        {shown === 'prompt' ? (
          <CodeView key="prompt" text={page.prompt} language="text" label="Prompt" />
        ) : (
          <CodeView key="body" text={body ?? ''} language={page.language} label="Reference body" />
        )}
      </Panel>
      <div className="task-side">
        <Panel title="Measured">
          <Facts rows={measured(page)} />
        </Panel>
        <History page={page} />
        <Controls page={page} />
        <Tests page={page} />
      </div>
    </div>
  )
}

function measured({ row, signature }: TaskPage): [string, string | undefined][] {
  const known = (value: number | null, unit: string) => (value === null ? undefined : `${value} ${unit}`)
  return [
    ['signature', signature === '' ? undefined : signature],
    ['group', row.group ?? undefined],
    ['lines of logic', known(row.logicLines, 'lines')],
    ['commits that changed it', known(row.commits, 'commits')],
    ['warm build', row.buildMs === null ? undefined : formatDuration(row.buildMs)],
    ['its tests', row.testMs === null ? undefined : formatDuration(row.testMs)],
  ]
}

function History({ page: { history } }: { page: TaskPage }) {
  return (
    <Panel title="Pass rate over runs" note="full passes of what was graded">
      {history.length === 0 ? (
        <p className="dim set-note">No run has drawn this task yet.</p>
      ) : (
        <table className="task-history">
          <tbody>
            {history.map(({ run, phase, version, passed, graded, silent }) => (
              <tr key={`${run} ${phase}`}>
                <th scope="row">
                  <button type="button" onClick={() => go({ view: 'rollouts', run, filter: '' })}>
                    {run}
                  </button>
                </th>
                <td className="dim">
                  {phase} · v{version}
                </td>
                <td className="histogram-bar" aria-hidden="true">
                  <i style={{ width: `${graded === 0 ? 0 : (100 * passed) / graded}%` }} />
                </td>
                <td>
                  {graded === 0 ? unknown : formatShare(passed, graded)}
                  <span className="dim">
                    {' '}
                    of {graded}
                    {silent > 0 ? `, ${silent} null` : ''}
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}

function Controls({ page: { controls } }: { page: TaskPage }) {
  if (controls.length === 0) return null
  const held = controls.filter(({ holds }) => holds).length
  return (
    <Panel title="Controls" aside={`${held} of ${controls.length} hold`}>
      <table className="task-controls">
        <tbody>
          {controls.map(({ control, expected, got, holds, ms }) => (
            <tr key={control}>
              <th scope="row">{control.replaceAll('_', ' ')}</th>
              <td className={holds ? 'dim' : 'tasks-fault'} title={`expected ${expected}`}>
                {got}
              </td>
              <td className="dim">{ms === null ? '' : formatDuration(ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function Tests({ page: { tests, moreTests } }: { page: TaskPage }) {
  return (
    <Panel title="Tests" aside={plural(tests.length + moreTests, 'test')}>
      <ul className="task-tests">
        {tests.map(({ name, control, input, expected }) => (
          <li key={name}>
            <b className="mono">{name}</b>
            {control ? <span className="dim"> negative control</span> : null}
            {input === null ? null : (
              <pre>
                {input} → {expected}
              </pre>
            )}
          </li>
        ))}
      </ul>
      {moreTests > 0 ? <p className="dim set-note">and {moreTests} more</p> : null}
    </Panel>
  )
}
