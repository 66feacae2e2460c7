import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../testing/temp-folder.ts'
import { Boxes } from '../box/ssh/boxes.ts'
import { Bootstraps } from './bootstraps.ts'

/** As the interpreter of an environment: its pip waits until it is let go, then has no wheel. */
const stubbornPip =
  '#!/bin/sh\necho "Collecting trl"\n[ -e "$0.go" ] || exec sleep 300\necho "no such wheel"\nexit 1\n'

test('a bootstrap tells how far it is, is stopped, goes on where it was cut, and says which step failed and why', async () => {
  const home = await tempFolder()
  const python = join(home, 'trainer/venv/bin/python3')
  await mkdir(join(home, 'trainer/venv/bin'), { recursive: true })
  await writeFile(python, stubbornPip)
  await chmod(python, 0o755)
  const { env } = process
  const now = () => new Date()
  const boxes = await Boxes.open({
    file: join(home, 'boxes.json'),
    hostKeys: join(home, 'host-keys'),
    env,
    now,
  })
  const changed: string[] = []
  const bootstraps = new Bootstraps({ boxes, env, home, onChange: (box) => changed.push(box) })
  onTestFinished(async () => {
    await bootstraps.dispose()
    await boxes.dispose()
  })
  const { handlers } = bootstraps
  const look = () => handlers['bootstrap.get']({ box: 'local' })
  const until = async (wanted: (view: Awaited<ReturnType<typeof look>>) => boolean) => {
    for (;;) {
      const view = await look()
      if (wanted(view)) return view
    }
  }
  const start = () => handlers['bootstrap.start']({ box: 'local', wheels: home, model: null })

  expect((await start()).going).toBe(true)
  const atWork = await until(({ steps }) => steps[3]?.detail === 'Collecting trl')
  expect([atWork.going, atWork.steps[3]?.state]).toEqual([true, 'running'])
  const stopped = await handlers['bootstrap.stop']({ box: 'local' })
  expect([stopped.going, stopped.steps[3]?.state, stopped.fault]).toEqual([false, 'running', null])

  await writeFile(`${python}.go`, '')
  await start()
  const view = await until(({ going }) => !going)
  expect([view.ready, view.fault, view.python]).toEqual([false, null, python])
  expect(view.steps.map(({ step, state }) => `${step} ${state}`)).toEqual([
    'python done',
    'disk done',
    'venv done',
    'packages failed',
    'model todo',
    'gpu todo',
    'self-check todo',
  ])
  expect(view.steps[3]?.detail).toBe('the locked packages cannot be installed: no such wheel')
  expect(changed).toEqual(['local', 'local'])
  await expect(handlers['bootstrap.get']({ box: 'nowhere' })).rejects.toThrow('nowhere')
})
