import { expect, fakeRun, test } from './fake-window.ts'

test('by keyboard alone: a verdict, all of a mechanism, undo, a name, the smallest witness, a repair, another list', async ({
  open,
}) => {
  const page = await open(`/audit/${fakeRun}`)
  const rows = page.locator('.triage-row')
  await expect(rows).toHaveCount(2)

  await page.keyboard.press('2')
  await expect(rows.nth(0)).toContainText('wrong')
  await page.keyboard.press('n')
  await expect(rows.nth(1)).toHaveAttribute('aria-current', 'true')
  await page.keyboard.press('Shift+Digit4')
  await expect(rows.nth(1)).toContainText('cheating')
  await page.keyboard.press('u')
  await expect(rows.nth(1)).toContainText('open')
  await expect(rows.nth(0)).toContainText('wrong')

  await page.keyboard.press('c')
  await page.keyboard.type('Order of the input decides')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: /^Order of the input decides/ })).toBeVisible()

  await page.keyboard.press('k')
  await page.keyboard.press('s')
  await expect(page.getByRole('region', { name: 'Smallest witness' })).toContainText('[[[0,1],[1,2]]]')
  await expect(
    page.getByText('Answers every audit case as the reference with `<` for `<=` in line 8.'),
  ).toBeVisible()

  await page.keyboard.press('r')
  const dialog = page.getByRole('dialog', { name: /^Repair/ })
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('row', { name: /false acceptances/ })).toContainText('391 → 0')
  await expect(dialog.getByText('0 right programs lost', { exact: false })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()

  await page.keyboard.press('q')
  await expect(page.getByRole('dialog', { name: 'Lists to look through' })).toContainText('Tampered')
  await page.keyboard.press('4')
  await expect(page).toHaveURL(/queue=tampered/)
  const tampered = page.getByRole('region', { name: 'Tampered' })
  await expect(tampered).toContainText('1 program in 1 group')
  await expect(page.getByRole('navigation', { name: 'Programs' })).toContainText('early exit')
  await expect(page.getByText('_exit(0)')).toBeVisible()

  await page.keyboard.press('b')
  await expect(page.getByRole('dialog', { name: 'All 1 open program listed' })).toBeVisible()
  await page.keyboard.press('4')
  await expect(rows.nth(0)).toContainText('cheating')
  await page.keyboard.press('u')
  await expect(rows.nth(0)).toContainText('open')

  // The filter line narrows what next, bulk and export are about, and stays in the address.
  await page.keyboard.press('/')
  await page.keyboard.type('reason:memory')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Nothing here passes the filter')).toBeVisible()
  await expect(page).toHaveURL(/queue=tampered&filter=reason%3Amemory|filter=reason%3Amemory/)
})

test('suites stand side by side on the same bodies, and a share is said with every figure', async ({
  open,
}) => {
  const page = await open(`/audit/${fakeRun}`)
  await expect(page.locator('.triage-row')).toHaveCount(2)
  await page.keyboard.press('r')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog').getByText('0 right programs lost', { exact: false })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('t')
  const suites = page.getByRole('dialog', { name: /^Suites against/ })
  await expect(
    suites.getByRole('row', { name: /^booking-weak-r2 repaired draws 402 0 0 622/ }),
  ).toContainText('100 % [99.1, 100]402 of 402 accepted draws')
  await expect(suites.getByRole('row', { name: /^booking-weak trained on draws/ })).toContainText(
    'wrong draws',
  )
  await page.keyboard.press('Escape')

  await page.getByRole('combobox', { name: /^audit/ }).selectOption('0.25')
  const sample = 'in a sample of 25 % of accepted programs'
  for (const place of [
    page.getByRole('banner'),
    page.getByRole('region', { name: /^booking-weak against/ }),
    page.getByRole('region', { name: 'False acceptances' }),
  ])
    await expect(place).toContainText(sample)
  await page.keyboard.press('t')
  await expect(suites).toContainText(sample)
})

test('a study of saved draws opens as a finished project', async ({ open }) => {
  const page = await open('/studies')
  await expect(page.getByRole('heading', { name: 'Booking study' })).toBeVisible()
  await expect(page.getByRole('row', { name: /^weak 57 cases/ }).first()).toContainText('75.3 %')
  await page.getByRole('combobox', { name: 'Arms compared' }).focus()
  await expect(page.getByRole('row', { name: /^full passes/ })).toContainText('3 seeds')
  // Every count opens the draws that it counts.
  const weak = page.getByRole('row', { name: /^weak 57 cases/ }).first()
  await weak.getByRole('button', { name: '210' }).press('Enter')
  const draws = page.getByRole('dialog', { name: 'weak: accepted and wrong' })
  await expect(draws).toContainText('5 draws, 2 distinct programs')
  await expect(draws.getByRole('row').nth(1)).toContainText('127/192')
})
