import { expect, test } from 'vitest'
import { statuses } from '#shared/domain/grade.ts'
import { themes } from '../../theme/tokens.ts'
import { type MarkContext, paintMark } from './paint-mark.ts'
import { type MarkStatus, statusInfo } from './status-info.ts'

/** Paints a mark and tells how: its outline and whether it was filled. */
function painted(status: MarkStatus) {
  const outline: string[] = []
  let how = ''
  const context: MarkContext = {
    fillStyle: '',
    strokeStyle: '',
    lineWidth: 0,
    beginPath: () => outline.push('begin'),
    fillRect: () => outline.push('rect'),
    arc: (_x, _y, radius) => outline.push(`arc ${radius.toFixed(2)}`),
    moveTo: (x, y) => outline.push(`M${x.toFixed(1)},${y.toFixed(1)}`),
    lineTo: (x, y) => outline.push(`L${x.toFixed(1)},${y.toFixed(1)}`),
    closePath: () => outline.push('close'),
    fill: () => {
      how = `fill ${String(context.fillStyle)}`
    },
    stroke: () => {
      how = `stroke ${String(context.strokeStyle)}`
    },
  }
  paintMark(context, status, 10, 10, 4, themes.dark)
  return { outline: outline.join(' '), how }
}

test('no two graded statuses share a shape or a colour', () => {
  const graded: MarkStatus[] = ['passed', 'test_failed', 'build_failed', 'timed_out', 'no_answer', 'tampered']
  const marks = graded.map(painted)
  expect(new Set(marks.map((mark) => mark.outline)).size).toBe(graded.length)
  expect(new Set(marks.map((mark) => mark.how)).size).toBe(graded.length)
})

test('exactly the statuses without a reward are hollow rings', () => {
  const hollow = statuses.filter((status) => {
    const { outline, how } = painted(status)
    return outline.includes('arc') && how.startsWith('stroke')
  })
  expect(hollow).toEqual(['no_test_ran', 'unreachable', 'unresolved'])
})

test('a mark is painted around the point it is given', () => {
  expect(painted('build_failed')).toEqual({
    outline: 'begin M6.6,6.6 L13.4,6.6 L13.4,13.4 L6.6,13.4 close',
    how: `fill ${themes.dark[statusInfo('build_failed').token]}`,
  })
})
