import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BigJournal, type BigRun } from './big-run.ts'

/** Written at once: large enough that the disk is not asked for every line, small enough to stay out of the way. */
const portionChars = 1 << 20

/** Writes a run's journal of so many steps. @param finished whether it ends, or stops as one that is still going. */
export async function writeBigJournal(
  path: string,
  run: BigRun,
  finished: boolean,
  onStep: (step: number) => void = () => {},
): Promise<{ lines: number }> {
  await mkdir(dirname(path), { recursive: true })
  const out = createWriteStream(path)
  const journal = new BigJournal(run)
  let held = [journal.start()]
  let chars = 0
  const flush = async () => {
    if (!out.write(held.join(''))) await once(out, 'drain')
    held = []
    chars = 0
  }
  for (let step = 0; step < run.sample.steps; step += 1) {
    for (const line of journal.step(step)) {
      held.push(line)
      chars += line.length
    }
    if (chars > portionChars) await flush()
    onStep(step)
  }
  if (finished) held.push(journal.end(run.sample.steps))
  await flush()
  out.end()
  await once(out, 'close')
  return { lines: journal.lines }
}
