import { expect, test } from './fixtures.ts'

test('holes are found before a launch: survivors beside the reference, one marked equivalent, and a threshold in preflight', async ({
  window,
  shot,
}) => {
  test.setTimeout(400_000)
  await window.evaluate(() => location.assign('#/launch'))
  await expect(window.getByRole('button', { name: 'Find holes' })).toBeVisible()
  await window.keyboard.press('h')
  const holes = window.getByRole('dialog', { name: 'Holes of the suite' })
  const list = holes.getByRole('list')
  await expect(list).toBeVisible({ timeout: 240_000 })
  // The first survivor is the one that the audit rejects: `<` for `<=`, beside the reference.
  await expect(list.getByRole('listitem').first()).toContainText('false acceptance')
  await expect(holes.locator('.cm-litA')).toHaveText(['<'])
  await expect(holes.locator('.cm-litB')).toHaveText(['<='])
  await expect(holes).toContainText('1 would-be false acceptance')
  await shot('holes')

  const second = list.getByRole('listitem').nth(1)
  await expect(second).toContainText('unseen or equivalent')
  await second.getByRole('button').press('Enter')
  await holes.getByRole('button', { name: 'Equivalent to the reference' }).press('Enter')
  await expect(second).toHaveText(/^equivalent/)
  await expect(holes).toContainText('1 marked equivalent')
  await window.keyboard.press('Escape')

  // What was measured of the whole suite, and what was marked, is what preflight says; below its limit it warns.
  await window.getByRole('button', { name: 'Check only' }).click()
  const row = window.getByRole('listitem').filter({ hasText: 'Suite notices planted faults' })
  await expect(row).toContainText('1 would be false acceptances', { timeout: 240_000 })
  await expect(row).toContainText('1 marked equivalent')
  await expect(row).toContainText('where 90 % and no would-be false acceptance is wanted')
  await expect(row.getByLabel('warning')).toBeVisible()
  await shot('preflight-mutants')
})
