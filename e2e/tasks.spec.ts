import { expect, test } from './fake-window.ts'

test('a set is filtered, its drops are explained, and a task opens on its prompt, controls and history', async ({
  open,
}) => {
  const page = await open('/tasks')
  const rows = page.getByRole('table', { name: 'Tasks' }).locator('tbody tr[data-id]')
  await expect(rows).toHaveCount(9)
  await page.getByLabel('Filter tasks').fill('initial<0.5 tokens>500')
  await expect(page.getByRole('status').filter({ hasText: 'of 9' })).toHaveText('2 of 9')
  await page.getByLabel('Filter tasks').fill('size>3')
  await expect(page.getByRole('status').filter({ hasText: 'size:' })).toContainText('compares tests, tokens')
  await page.getByLabel('Filter tasks').fill('')
  await page.getByRole('button', { name: 'Dropped 11' }).click()
  await page.getByRole('button', { name: '1 contaminated' }).click()
  await expect(page.getByRole('table', { name: 'Dropped' })).toContainText(
    'corpus/part-0003.jsonl, line 40,112',
  )
  await page.getByRole('button', { name: 'Tasks 9' }).click()
  await rows.filter({ hasText: 'strsim-sorensen-dice' }).click()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'strsim-sorensen-dice' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Controls' })).toContainText('7 of 7 hold')
  await expect(page.getByRole('region', { name: 'Pass rate over runs' })).toContainText('37 % of 192, 2 null')
  await page.getByRole('button', { name: 'Body' }).click()
  await expect(page.getByRole('region', { name: 'Its own body' })).toContainText('let a_bigrams')
  await page.keyboard.press('Escape')
  await expect(rows).toHaveCount(9)
})
