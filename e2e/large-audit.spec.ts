import type { Page } from '@playwright/test'
import { test as base, expect } from './fixtures.ts'
import { largeRun, writeLargeAudit } from './large-audit.ts'

/** The bench of triage has 40,000; here it is enough that bulk, filter and place are far apart, and that the index is made in seconds. */
const programs = 10_000

/** The data folder holds the run before the console is started on it. */
const test = base.extend<{ large: { last: string } }>({
  large: async ({ home }, use) => {
    await use(await writeLargeAudit(home, programs))
  },
  shell: async ({ large: _, shell }, use) => {
    await use(shell)
  },
})

// Reading so many audits into a new index is part of opening the window.
test.describe.configure({ timeout: 400_000 })

/** Says how long something takes to be seen; told, not judged: how busy the machine is decides it too. */
async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const began = performance.now()
  await work()
  test.info().annotations.push({ type: what, description: `${Math.round(performance.now() - began)} ms` })
}

const visit = (window: Page, filter: string) =>
  window.evaluate((to) => location.assign(to), `#/audit/${largeRun}?filter=${encodeURIComponent(filter)}`)

test('10,000 programs are looked through by keys: a verdict on 5,000, the next open one, and an undo that is exact', async ({
  window,
  large,
}) => {
  await timed('open 10,000', async () => {
    await visit(window, '')
    await expect(window.getByText('10,000 programs in 78 groups')).toBeVisible({ timeout: 60_000 })
  })
  expect(await window.locator('.triage-line').count()).toBeLessThan(80)
  const review = window.getByRole('region', { name: 'Review' })

  await visit(window, 'step<5')
  await expect(window.getByText('5,000 programs in 78 groups')).toBeVisible()
  const before = await review.textContent()
  expect(before).toContain('open5,000')
  await window.keyboard.press('b')
  await expect(window.getByRole('dialog', { name: 'All 5,000 open programs listed' })).toBeVisible()
  await timed('verdict on 5,000', async () => {
    await window.keyboard.press('2')
    await expect(review).toContainText('wrong5,000')
  })

  await visit(window, '')
  await expect(review).toContainText('9,999 of 10,000')
  const selected = window.locator('.triage-row[aria-current]')
  await window.keyboard.press('k')
  await expect(selected).toContainText('wrong')
  await timed('next open of 10,000', async () => {
    await window.keyboard.press('n')
    await expect(selected).toContainText(large.last.slice(0, 6))
  })

  await timed('undo of 5,000', async () => {
    await window.keyboard.press('u')
    await expect(review).toContainText('4,999 of 10,000')
  })
  await visit(window, 'step<5')
  await expect(window.getByText('5,000 programs in 78 groups')).toBeVisible()
  await expect.poll(() => review.textContent()).toBe(before)
  // What the core kept, and not only what the window remembers.
  await window.reload()
  await expect(window.getByText('5,000 programs in 78 groups')).toBeVisible({ timeout: 60_000 })
  await expect.poll(() => review.textContent()).toBe(before)
  for (const { type, description } of test.info().annotations) console.log(`${type}: ${description}`)
})
