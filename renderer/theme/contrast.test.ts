import { expect, test } from 'vitest'
import { contrast } from './contrast.ts'
import { type ThemeName, type Tokens, themes } from './tokens.ts'

/** Foreground, the surfaces it is drawn on, the least ratio. */
const rules: [(keyof Tokens)[], (keyof Tokens)[], number][] = [
  [['text', 'dim', 'accent'], ['bg', 'rail', 'panel', 'raise'], 4.5],
  [['text', 'good'], ['goodTint'], 4.5],
  [['text', 'warn'], ['warnTint'], 4.5],
  [['text', 'bad'], ['badTint'], 4.5],
  [['text', 'dim', 'tampered'], ['alarmTint'], 4.5],
  [['text', 'accent'], ['accentTint'], 4.5],
  [['onAccent'], ['accent'], 4.5],
  [['addedText'], ['added'], 4.5],
  [['removedText'], ['removed'], 4.5],
  [
    ['passed', 'build_failed', 'timed_out', 'no_answer', 'tampered', 'null', 'good', 'warn', 'bad'],
    ['bg', 'panel', 'raise'],
    4.5,
  ],
  // Marks and lines only; where an amber is text, it is `warn`.
  [['test_failed', 'second', 'third', 'faint'], ['bg', 'panel'], 3],
]

test('the ratio is the standard’s: black on white is 21, a colour on itself 1', () => {
  expect([contrast('#000000', '#ffffff'), contrast('#777777', '#777777')]).toEqual([21, 1])
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

test.each(Object.keys(themes) as ThemeName[])('every pair that the %s theme draws is readable', (name) => {
  const tokens = themes[name]
  const tooLow = rules.flatMap(([inks, grounds, least]) =>
    inks.flatMap((ink) =>
      grounds.flatMap((ground) => {
        const ratio = contrast(tokens[ink], tokens[ground])
        return ratio < least ? [`${ink} on ${ground}: ${ratio.toFixed(2)} < ${least}`] : []
      }),
    ),
  )
  expect(tooLow).toEqual([])
})
