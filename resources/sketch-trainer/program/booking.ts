import { type Choices, holes, nextHole } from '../policy/holes.ts'
import type { Sketch } from '../policy/sketch.ts'
import { renderCompletion } from './completion.ts'
import { drawStyle } from './style.ts'

/** The sketch of `required_capacity`. Its picks are its own holes' options, since only it draws them. */
export const booking: Sketch = {
  holes,
  next: (picks) => nextHole(picks as Choices),
  render: (picks, random) => renderCompletion(picks as Choices, drawStyle(random)),
}
