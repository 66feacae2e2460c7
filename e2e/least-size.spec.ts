import { expect, fakeRun, test } from './fake-window.ts'

const routes = [
  ...['/runs', '/launch', '/compare', '/tasks', '/studies', '/boxes', '/clusters', '/system'],
  ...['live', 'rollouts', 'audit', 'stages', 'terminal', 'teardown'].map((view) => `/${view}/${fakeRun}`),
  `/rollout/${fakeRun}/3/1/2`,
]

/**
 * Texts that end outside of what shows them. A word may give way to an ellipsis, a figure may not; code, and lines that drop what finds no room, are
 * other matters.
 */
function textsCutOff(): string[] {
  const cut = new Set<string>()
  const apart = 'svg, .cm-editor, .xterm, .peek-code, .footer-said, .footer-keys, .visually-hidden'
  for (const element of document.querySelectorAll<HTMLElement>('body *')) {
    const text = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
    const said = text.map((node) => node.textContent).join('')
    if (said.trim() === '' || element.closest(apart)) continue
    const range = document.createRange()
    range.selectNodeContents(element)
    const { left, right, width } = range.getBoundingClientRect()
    if (width === 0) continue
    for (let around: HTMLElement | null = element; around; around = around.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(around)
      if (overflowX === 'auto' || overflowX === 'scroll') break
      if (overflowX === 'visible') continue
      const shown = around.getBoundingClientRect()
      if (right <= shown.right + 1 && left >= shown.left - 1) continue
      if (textOverflow !== 'ellipsis' || /^[\d.,%\s]+$/.test(said))
        cut.add(`${said.trim().slice(0, 40)} (${element.className || element.tagName})`)
      break
    }
  }
  return [...cut]
}

test('at the least size of the window no figure, name or button is cut off', async ({ open, page }) => {
  test.slow()
  await page.setViewportSize({ width: 960, height: 600 })
  for (const route of routes) {
    // Each from the start: a change of the hash alone would leave the last view for a moment.
    await page.goto('about:blank')
    await open(route)
    await expect(page.locator('#header-slot h1')).toBeVisible()
    await expect(page.getByText(/^Loading /)).toHaveCount(0)
    await expect(page.locator('html')).not.toHaveAttribute('data-unpainted', /[1-9]/)
    expect.soft(await page.evaluate(textsCutOff), route).toEqual([])
  }
})
