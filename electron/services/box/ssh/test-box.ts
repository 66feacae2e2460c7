import { toAppError } from '#shared/base/errors.ts'
import type { BoxTest } from '#shared/domain/box.ts'
import type { Boxes } from './boxes.ts'
import { type BoxFacts, boxFacts } from './facts.ts'
import { judgeFacts } from './judge-facts.ts'

type Step = BoxTest['steps'][number]

/** Connects anew and looks around, naming each step as it is taken; the first that fails ends the test with its remedy. */
export async function testBox(boxes: Boxes, id: string): Promise<BoxTest> {
  const { id: box } = boxes.find(id)
  const link = boxes.link(box)
  const steps: Step[] = []
  let current: { step: string; began: number } | null = null
  const close = (state: Step['state'], detail: string, remedy: string | null = null) => {
    if (!current) return
    steps.push({
      step: current.step,
      state,
      detail,
      remedy,
      ms: Math.round(performance.now() - current.began),
    })
    current = null
  }
  const open = (step: string) => {
    close('passed', '')
    current = { step, began: performance.now() }
  }
  const quiet = link.onDidChange(({ step }) => {
    if (step !== null && step !== current?.step) open(step)
  })
  try {
    await link.disconnect()
    await link.reconnect()
    close('passed', '')
    open('look around')
    const began = Date.now()
    const facts = await boxFacts(link)
    await boxes.root(box)
    const midMs = (began + Date.now()) / 2
    close('passed', `${facts.system}, home ${facts.home}`)
    steps.push(...asSteps(facts, midMs))
  } catch (failure) {
    const { message, hint } = toAppError(failure)
    open(current ? (current as { step: string }).step : 'connect')
    close('failed', message, hint)
    mergeLast(steps)
  } finally {
    quiet()
  }
  return { box, ok: steps.every((step) => step.state !== 'failed'), steps }
}

const asSteps = (facts: BoxFacts, nowMs: number): Step[] =>
  judgeFacts(facts, nowMs).map(({ label, finding }) => ({
    step: label,
    state: finding.state,
    detail: finding.detail,
    remedy: finding.remedy ?? null,
    ms: 0,
  }))

/** The failing step was closed as passed when it was opened again to fail. */
function mergeLast(steps: Step[]): void {
  const [before, last] = steps.slice(-2)
  if (before && last && before.step === last.step) steps.splice(-2, 2, { ...last, ms: before.ms + last.ms })
}
