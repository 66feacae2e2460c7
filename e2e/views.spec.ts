import { AxeBuilder } from '@axe-core/playwright'
import { expect, fakeRun, test } from './fake-window.ts'

test('a filter is completed, faulted at its term, kept in the address, and drives next and previous', async ({
  open,
}) => {
  const page = await open(`/rollouts/${fakeRun}`)
  await expect(page.getByRole('status').filter({ hasText: '1,024 rollouts' })).toBeVisible()

  await page.keyboard.press('/')
  await page.keyboard.type('is:false_a')
  await page.keyboard.press('Tab')
  // The list follows by itself, and what is typed on goes on where it was.
  await expect(page).toHaveURL(/filter=is%3Afalse_acceptance/)
  await page.keyboard.type('reward<x')
  const line = page.getByRole('combobox', { name: 'Filter' })
  await expect(line).toHaveValue('is:false_acceptance reward<x')
  await expect(line).toHaveAccessibleDescription('reward<x: x is no number.')
  for (let i = 0; i < 'reward<x'.length; i++) await page.keyboard.press('Backspace')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/filter=is%3Afalse_acceptance/)
  await expect(page.getByRole('status').filter({ hasText: /^\d+ rollouts$/ })).toHaveText('391 rollouts')

  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(page.getByText('2 of 391')).toBeVisible()
  await page.keyboard.press('j')
  await expect(page.getByText('3 of 391')).toBeVisible()
  await page.keyboard.press('Escape')
  const current = page.locator('tr[aria-current]')
  await expect(current).toHaveAttribute('aria-rowindex', '4')
})

test('a long list holds only the rows in view, and its end is one key away', async ({ open }) => {
  const page = await open(`/rollouts/${fakeRun}`)
  await expect(page.getByRole('table', { name: 'Rollouts' })).toHaveAttribute('aria-rowcount', '1025')
  await page.keyboard.press('End')
  await expect(page.locator('tr[aria-current]')).toHaveAttribute('aria-rowindex', '1025')
  await expect(page.locator('tr[aria-current]')).toContainText('final #127')
  expect(await page.locator('tbody tr').count()).toBeLessThan(80)
})

test('a null reward is said as null and never as a number', async ({ open }) => {
  const page = await open(`/rollouts/${fakeRun}?filter=status:unreachable`, 'blocked')
  const row = page.locator('tbody tr[data-id]').first()
  await expect(row).toContainText('unreachable')
  await expect(row).toContainText('null')
  await expect(row).not.toContainText('0.00')
})

test('a falsely accepted body stands beside the right one with the one differing token lit', async ({
  open,
}) => {
  const page = await open(`/rollouts/${fakeRun}?filter=is:false_acceptance`)
  await page.locator('tbody tr[data-id]', { hasText: '127/192' }).first().click()
  await page.keyboard.press('Enter')
  await expect(page.locator('.cm-litA')).toHaveText(['<'])
  await expect(page.locator('.cm-litB')).toHaveText(['<='])
  await expect(page.getByRole('tab', { selected: true })).toHaveText('audit 65 failed of 192')
  await expect(page.locator('.tab-panel tbody tr[data-id]').first()).toContainText('failed')
  await expect(page.getByRole('img', { name: /intervals from .* touching at/ })).toBeVisible()
})

test('what is equal is folded but for the blocks around a change, also in bodies of 2 MB, of which only what is in view is drawn', async ({
  open,
}) => {
  const route = `/rollouts/${fakeRun}?filter=is:false_acceptance`
  const page = await open(route, 'end', '&bytes=2000000')
  await page.locator('tbody tr[data-id]', { hasText: '127/192' }).first().click()
  await page.keyboard.press('Enter')
  await expect(page.locator('.cm-litA')).toHaveText(['<'])
  await expect(page.locator('.cm-litB')).toHaveText(['<='])
  const left = page.locator('.cm-merge-a')
  await expect(left.locator('.cm-foldPlaceholder').first()).toHaveText(/^⋯ [\d]+ lines$/)
  await expect(left.locator('.cm-line', { hasText: 'def required_capacity' })).toBeVisible()
  expect(await page.locator('.cm-line').count()).toBeLessThan(60)

  // What is shown again on one side is on the other too.
  const right = page.locator('.cm-merge-b')
  const first = { hasText: 'def part_0(rows)' }
  await expect(right.locator('.cm-line', first)).toHaveCount(0)
  await left.locator('.cm-foldPlaceholder').first().click()
  for (const side of [left, right]) await expect(side.locator('.cm-line', first)).toBeVisible()
  expect(await page.locator('.cm-line').count()).toBeLessThan(300)
})

test('evidence whose bytes do not hash to their name is called out', async ({ open }) => {
  const page = await open(`/rollout/${fakeRun}/3/1/2`)
  await page.getByRole('tab', { name: 'evidence' }).click()
  await page.getByRole('button', { name: 'Verify bytes' }).click()
  await expect(page.getByText(/^✕ the bytes hash to [0-9a-f]{12}…, not to their name$/)).toBeVisible()
})

test('programs are reviewed by keyboard alone, and undo is exact', async ({ open }) => {
  const page = await open(`/audit/${fakeRun}`)
  const selected = page.locator('.triage-rows [aria-current]')
  await expect(selected).toContainText('open')
  const first = await selected.textContent()
  await page.keyboard.press('2')
  await expect(selected).toContainText('wrong')
  await page.keyboard.press('n')
  await expect(selected).toContainText('open')
  await expect.poll(() => selected.textContent()).not.toBe(first)

  await page.keyboard.press('m')
  await page.keyboard.type('ties fall by input order')
  await page.keyboard.press('Control+Enter')
  await expect(page.locator('.verdict-note')).toHaveText('ties fall by input order')
  await page.keyboard.press('4')
  await expect(selected).toContainText('cheating')
  await expect(page.getByText('2 of 2', { exact: true })).toBeVisible()

  for (const state of ['open', 'open', 'open']) {
    await page.keyboard.press('u')
    await expect(selected).toContainText(state)
  }
  await expect.poll(() => selected.textContent()).toBe(first)
  await expect(page.locator('.verdict-note')).toHaveCount(0)
  await expect(page.getByText('0 of 2', { exact: true })).toBeVisible()
})

test('every figure of the audit opens the rows that it counts', async ({ open }) => {
  const page = await open(`/audit/${fakeRun}`)
  const cell = page.getByRole('link', { name: '391', exact: true })
  await cell.click()
  await expect(page).toHaveURL(/filter=is%3Afalse_acceptance/)
  await expect(page.getByRole('status').filter({ hasText: /rollouts$/ })).toHaveText('391 rollouts')
})

test('a log is shown, held and searched', async ({ open }) => {
  const page = await open(`/terminal/${fakeRun}`)
  await expect(page.getByText(/^last byte /)).toBeVisible()
  await page.keyboard.press('f')
  await expect(page.getByText(/^held/)).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('unreachable')
  await expect(page.getByText(/^\d+ of 8$/)).toBeVisible()
})

test('a run that still trains is taken down only by its typed name, and what became of everything is shown', async ({
  open,
}) => {
  const page = await open(`/teardown/${fakeRun}`, 'step:17')
  await expect(page.getByText('This run holds 4 things.')).toBeVisible()
  await page.keyboard.press('x')
  await page.keyboard.type('7k2m4')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.type('q')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Nothing is left.')).toBeVisible()
  await expect(page.getByRole('row', { name: /^given back/ })).toHaveCount(4)
  await expect(page.getByText('no process 4719 since 09:16:02')).toBeVisible()
})

test('a box that is being made ready says which step it is at, and how long it has waited for its GPU', async ({
  open,
}) => {
  const page = await open('/boxes')
  await page.getByRole('button', { name: 'Trainer' }).first().click()
  const environment = page.getByRole('region', { name: 'Trainer’s environment' })
  await expect(environment.getByRole('listitem').filter({ hasText: 'GPU' })).toContainText(
    'waiting for 3.2 h',
  )
  await environment.getByRole('button', { name: 'Go on' }).click()
  await environment.getByRole('button', { name: 'Stop' }).click()
  await expect(environment.getByRole('button', { name: 'Go on' })).toBeVisible()
})

for (const colorScheme of ['dark', 'light'] as const) {
  test(`the views are accessible in the ${colorScheme} theme`, async ({ open, page }) => {
    await page.emulateMedia({ colorScheme })
    for (const [route, there] of [
      [`/rollouts/${fakeRun}`, 'baseline #3'],
      [`/rollout/${fakeRun}/3/1/2`, 'Smallest failing case'],
      [`/audit/${fakeRun}`, 'Smallest witness'],
      [`/terminal/${fakeRun}`, 'last byte'],
      [`/teardown/${fakeRun}`, 'Kept in any case'],
      ['/boxes', 'process 4711 on GPU 0'],
    ] as const) {
      await open(route)
      await expect(page.getByText(there).first()).toBeVisible()
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map((violation) => [route, violation.id, violation.nodes[0]?.html])).toEqual([])
    }
  })
}
