import { expect, fakeRun, test } from './fake-window.ts'

/** As they stand on the board, by their titles. What moves with the machine (a clock, an age) is in none of them. */
const panels = [
  'Rewards',
  'Outcomes a step',
  'Held-out and reward',
  'Silent groups',
  'Reward by part',
  'Loss',
  'Time a step',
  'Grading a body',
  'Memory',
  'Policy',
  'Tokens',
  'Tasks',
]

// Room for the edges of letters and curves of another release of the same engine; a line that is not there any more is more than this.
const tolerance = { maxDiffPixelRatio: 0.003, threshold: 0.15 }
const file = (title: string, theme: string) => `${title.toLowerCase().replaceAll(' ', '-')}-${theme}.png`

for (const theme of ['dark', 'light'] as const) {
  test(`each panel of a fixed journal is the picture that it was, in the ${theme} theme`, async ({
    open,
    page,
  }) => {
    test.skip(process.platform !== 'linux', 'the pictures are of Debian’s fonts')
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 1440, height: 1000 })
    await open(`/live/${fakeRun}`, 'end')
    for (const title of panels) {
      const panel = page.getByRole('region', { name: title, exact: true })
      await panel.scrollIntoViewIfNeeded()
      await expect(page.locator('html')).toHaveAttribute('data-unpainted', '0')
      await expect.soft(panel).toHaveScreenshot(file(title, theme), tolerance)
    }
  })
}

test('no figure of a panel is cut off, however little room there is', async ({ open, page }) => {
  for (const width of [1180, 1440, 1920]) {
    await page.setViewportSize({ width, height: 1000 })
    await open(`/live/${fakeRun}`, 'end')
    const figures = page.locator('.readout b')
    await expect.poll(() => figures.count()).toBeGreaterThan(20)
    await expect(page.locator('html')).toHaveAttribute('data-unpainted', '0')
    const cut = await figures.evaluateAll((all) =>
      all
        .filter((figure) => {
          const note = figure.closest('.panel-note') ?? figure
          return figure.getBoundingClientRect().right > note.getBoundingClientRect().right + 0.5
        })
        .map((figure) => figure.parentElement?.textContent),
    )
    expect(cut, `at ${width} px`).toEqual([])
  }
})

test('a blocked step stands in its own lane, and its band says since when', async ({ open, page }) => {
  test.skip(process.platform !== 'linux', 'the pictures are of Debian’s fonts')
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await open(`/live/${fakeRun}`, 'blocked')
  const panel = page.getByRole('region', { name: 'Rewards', exact: true })
  await expect(page.locator('html')).toHaveAttribute('data-unpainted', '0')
  await expect(panel).toHaveScreenshot('rewards-blocked.png', tolerance)
})
