import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findBubblewrap } from '../../sandbox/bubblewrap.ts'
import { type StartedVerifier, startVerifier } from '../../testing/start-verifier.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { type SmallTask, writeSuite } from '../../testing/write-suite.ts'

async function withTasks<T>(tasks: SmallTask[], work: (verifier: StartedVerifier) => Promise<T>): Promise<T> {
  const suite = tempFolder()
  const data = tempFolder()
  writeSuite(suite.path, tasks)
  const verifier = await startVerifier(suite.path, data.path, { flags: ['--workers', '2'] })
  try {
    return await work(verifier)
  } finally {
    await verifier.stop()
    suite.dispose()
    data.dispose()
  }
}

const contained = process.platform === 'linux' && !('missing' in (await findBubblewrap()))

test.skipIf(!contained)(
  'each program meets a sandbox in which nothing ran before, though one waits ahead, and none waits for ever (needs bubblewrap)',
  async () => {
    const tellsPid = 'import os\n\ndef first(value):\n    return os.getpid()\n'
    const task = {
      id: 'first',
      function: 'first',
      reference: tellsPid,
      cases: [['[0]', '2']] as SmallTask['cases'],
    }
    await withTasks([task], async (verifier) => {
      const bodies = Array.from({ length: 8 }, (_, index) => `${tellsPid}# ${index}\n`)
      const items = bodies.map((body, index) => ({ id: `i-${index}`, task: 'first', body }))
      const grades = await verifier.grade('pids', items)
      // Process 1 is the supervisor, so the first child of a new one is process 2.
      expect([...grades.values()].map(({ tests }) => tests[0]?.observed)).toEqual(bodies.map(() => '2'))
      const children = () =>
        readFileSync(`/proc/${verifier.pid}/task/${verifier.pid}/children`, 'utf8').trim()
      await expect.poll(children, { timeout: 60_000, interval: 200 }).toBe('')
    })
  },
)

test('what ended at once is read as carefully as what took its time', async () => {
  const prints = (count: number) => `def tell(value):\n    print("x" * ${count})\n    return "y" * value\n`
  const long = JSON.stringify('y'.repeat(20_000))
  const task: SmallTask = {
    id: 'tell',
    function: 'tell',
    reference: prints(0),
    cases: [
      ['[20000]', long],
      ['[0]', '""'],
    ],
    limits: { outputBytes: 30_000 },
  }
  await withTasks([task], async (verifier) => {
    const bodies = { little: prints(25_000), much: prints(31_000), flood: prints(200_000) }
    const items = Object.entries(bodies).map(([id, body]) => ({ id, task: 'tell', body }))
    const grades = await verifier.grade('outputs', items)
    const told = items.map(({ id }) => {
      const grade = grades.get(id)
      return [id, grade?.status, grade?.reason, grade?.tests.map(({ outcome }) => outcome)]
    })
    expect(told).toEqual([
      ['little', 'passed', null, ['passed', 'passed']],
      ['much', 'test_failed', 'output_limit', ['crashed', 'crashed']],
      ['flood', 'test_failed', 'output_limit', ['crashed', 'crashed']],
    ])
  })
})
