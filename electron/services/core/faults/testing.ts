import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { LaunchDraft } from '#shared/ipc/contract.ts'
import { decodeLine } from '#shared/journal/decode.ts'
import type { RunEvent } from '#shared/journal/events.ts'
import { endProcess } from '../../box/process-identity.ts'
import { eventually } from '../../box/testing.ts'
import { createCore, type OpenCore } from '../core.ts'

/** Real grading on a busy machine takes its time. */
export const slow = { timeout: 240_000 }

/** A run that is over in seconds and still has a baseline, updates and a final evaluation. */
export const smallRun: Partial<LaunchDraft> = {
  name: 'fault test',
  suite: 'booking-weak',
  audit: 'booking-audit',
  seed: 3,
  updates: 3,
  groupSize: 4,
  groupsPerStep: 1,
  evalDraws: 2,
}

/** A console in this process, closed when the test ends; whatever its runs still hold is taken down. */
export async function openConsole(home: string, env: NodeJS.ProcessEnv = process.env): Promise<OpenCore> {
  const core = await createCore({ home, shell: 'command', version: 'test', env })
  onTestFinished(async () => {
    await takeDownAll(core).catch(() => undefined)
    await core.dispose()
  })
  return core
}

async function takeDownAll(core: OpenCore): Promise<void> {
  for (const run of core.parts.store.runs()) {
    await takeDown(core, run)
    for (const one of await core.parts.box.processes(run))
      await endProcess(one, { group: false, graceMs: 500 })
  }
}

export async function takeDown(core: OpenCore, run: string) {
  const { plan } = await core.handlers['teardown.plan']({ run })
  return core.handlers['teardown.run']({ run, confirm: plan.map((row) => row.lease) })
}

/** A console in a process of its own, to be killed: launches the run and prints its id. */
export async function consoleProcess(
  home: string,
  draft: object,
): Promise<{ child: ChildProcess; run: string }> {
  const code = `
    import { createCore } from ${JSON.stringify(join(import.meta.dirname, '../core.ts'))}
    const core = await createCore({ home: ${JSON.stringify(home)}, shell: 'browser', version: 'test' })
    const { run } = await core.handlers['launch.start']({ draft: ${JSON.stringify(draft)} })
    console.log(run)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: join(import.meta.dirname, '../../../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const run = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (bytes) => resolve(String(bytes).trim()))
    child.once('exit', (code) => reject(new Error(`the console ended with ${code} before it launched`)))
  })
  return { child, run }
}

/** Events of a journal file, whole lines only. */
export async function eventsIn(path: string): Promise<RunEvent[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  return lines.flatMap((line) => {
    const decoded = line === '' ? null : decodeLine(line)
    return decoded?.kind === 'event' ? [decoded.event] : []
  })
}

/** Waits until the box's own journal has an event of this type (and of this step). */
export async function untilEvent(
  core: { box: { folder(run: string): string } },
  run: string,
  type: RunEvent['type'],
  step?: number,
) {
  const path = join(core.box.folder(run), 'events.jsonl')
  await eventually(`${type} ${step ?? ''}`, async () =>
    (await eventsIn(path)).some(
      (event) => event.type === type && (step === undefined || ('step' in event && event.step === step)),
    ),
  )
}

export async function untilFinished(core: OpenCore, run: string): Promise<void> {
  for (;;) {
    const { state } = await core.handlers['runs.state']({ run })
    if (state.phase === 'finished') return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
