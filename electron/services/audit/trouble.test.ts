import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { attempt } from '#shared/base/result.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { openConsole, slow, smallRun, untilFinished } from '../core/faults/testing.ts'

test(
  'an audit that cannot be made says why and since when, judges nothing meanwhile, and goes on when it can',
  slow,
  async () => {
    const core = await openConsole(await tempFolder())
    const { run } = await core.handlers['launch.start']({ draft: { ...smallRun, updates: 0, evalDraws: 4 } })
    const { spec } = await core.handlers['runs.state']({ run })
    const tasks = join(spec.audit?.path ?? '', 'tasks.jsonl')
    const whole = await readFile(tasks, 'utf8')
    await writeFile(tasks, `${whole}\n`)
    await untilFinished(core, run)

    const given = await attempt(() => core.parts.audit.finish(run))
    expect(given).toMatchObject({ ok: false, error: { message: expect.stringContaining('sha256') } })
    const view = await core.handlers['audit.get']({ run })
    expect(view).toMatchObject({
      state: 'running',
      audited: 0,
      trouble: { error: given.ok ? null : given.error, attempts: 3 },
    })
    expect(Date.now() - Date.parse(view.trouble?.since ?? '')).toBeGreaterThan(0)

    await writeFile(tasks, whole)
    while ((await core.handlers['audit.get']({ run })).trouble !== null)
      await new Promise((resolve) => setTimeout(resolve, 100))
    await core.parts.audit.finish(run)
    const judged = await core.handlers['audit.get']({ run })
    expect([judged.trouble, judged.audited, judged.bodies]).toEqual([null, judged.bodies, judged.bodies])
    expect(judged.bodies).toBeGreaterThan(0)
  },
)
