import { useState } from 'react'
import type { LivePoint } from '#shared/ipc/contract.ts'
import { formatReward } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
import { go } from '../../app/router.ts'
import { statusInfo } from '../../components/marks/status-info.ts'
import { liveData } from '../../stores/live.ts'
import { focusedRollout, useLiveFocus } from '../../stores/live-focus.ts'

/** Moves over the marks by keys. @returns what to tell assistive technology of the mark now chosen. */
export function useLiveKeys(run: string | null): string {
  const [spoken, setSpoken] = useState('')
  const choose = (point: LivePoint | null) => {
    if (!point) return
    useLiveFocus.setState({ selected: point.id, hovered: null, step: point.step })
    setSpoken(inWords(point))
  }
  const move = (direction: 1 | -1) => () => {
    const from = focusedRollout(useLiveFocus.getState())
    choose(liveData().neighbour(from, direction))
  }
  const moveStep = (direction: 1 | -1) => () => {
    const data = liveData()
    const from = data.point(focusedRollout(useLiveFocus.getState()) ?? '')?.step
    const steps = data.stepsWithPoints()
    const at = from === undefined ? (direction === 1 ? -1 : steps.length) : steps.indexOf(from)
    const step = steps[at + direction]
    if (step !== undefined) choose(data.pointsOf(step)[0] ?? null)
  }
  const open = () => {
    const rollout = focusedRollout(useLiveFocus.getState()) ?? liveData().falseAcceptances.at(-1)?.id
    if (rollout) go({ view: 'rollout', rollout, filter: '' })
  }
  useKeys('Live', [
    { keys: 'j', label: 'next rollout', footer: true, run: move(1) },
    { keys: 'k', label: 'previous', footer: true, run: move(-1) },
    { keys: ']', label: 'next step', run: moveStep(1) },
    { keys: '[', label: 'previous step', run: moveStep(-1) },
    { keys: 'o', label: 'open it', footer: true, run: open },
    {
      keys: 'Escape',
      label: 'let go',
      run: () => useLiveFocus.setState({ selected: null, hovered: null, step: null }),
    },
    {
      keys: 'f',
      label: 'false acceptances',
      run: () => go({ view: 'rollouts', run, filter: 'is:false_acceptance' }),
    },
  ])
  return spoken
}

function inWords({ step, g, i, s, r, a }: LivePoint): string {
  const audit = a === null ? '' : a ? ', the audit passes it' : ', the audit rejects it'
  return `Step ${step}, group ${g}, rollout ${i}: ${statusInfo(s).label}, reward ${formatReward(r)}${audit}`
}
