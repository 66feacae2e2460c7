import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, fakeRun, test } from './fake-window.ts'

const titles = (page: Page) => page.locator('.board .panel h2').allTextContents()

/** What a click hands to the user as a file. */
async function saved(page: Page, button: string | RegExp): Promise<{ name: string; bytes: Buffer }> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ])
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
}

test('panels are moved, hidden, enlarged and brought back, and stay so in the next window', async ({
  open,
}) => {
  const page = await open(`/live/${fakeRun}`)
  await expect(page.locator('.board .panel')).toHaveCount(12)
  const before = await titles(page)
  await page.getByRole('button', { name: 'Move Loss back' }).click()
  const moved = await titles(page)
  const at = before.indexOf('Loss')
  expect([moved[at - 1], moved[at]]).toEqual(['Loss', before[at - 1]])

  await page.getByRole('button', { name: 'Hide Tokens' }).click()
  await expect(page.locator('.board .panel')).toHaveCount(11)
  await page.getByRole('button', { name: 'show Tokens' }).click()
  await expect(page.locator('.board .panel')).toHaveCount(12)

  await page.getByRole('button', { name: 'Enlarge Policy' }).click()
  await expect(page.locator('.board-large .panel h2')).toHaveText('Policy')
  await page.getByRole('button', { name: 'Shrink Policy' }).click()
  await expect(page.locator('.board .panel')).toHaveCount(12)
})

test('a drag over any chart zooms all of them, and one click shows all steps again', async ({ open }) => {
  const page = await open(`/live/${fakeRun}`)
  const chart = page.getByRole('region', { name: 'Outcomes a step' }).locator('.chart')
  const box = await chart.boundingBox()
  if (!box) throw new Error('the chart is not there')
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 4 })
  await page.mouse.up()
  const all = page.getByRole('button', { name: /^steps \d+ to \d+: show all$/ })
  await expect(all).toBeVisible()
  await all.click()
  await expect(all).toBeHidden()
})

test('a panel is saved as a picture and as a table, lists as JSON lines', async ({ open }) => {
  const page = await open(`/live/${fakeRun}`)
  await expect(page.locator('html')).toHaveAttribute('data-unpainted', '0')
  const png = await saved(page, 'Save Loss as PNG')
  expect([png.name, png.bytes.subarray(1, 4).toString()]).toEqual([`${fakeRun}-loss.png`, 'PNG'])
  expect(png.bytes.length).toBeGreaterThan(2000)

  const csv = (await saved(page, 'Save Loss as CSV')).bytes.toString().split('\r\n')
  expect([csv[0], csv.length]).toEqual(['step,loss,grad_norm,parameter_delta', 26])

  const tasks = await saved(page, 'Save the list of tasks as JSONL')
  expect(JSON.parse(tasks.bytes.toString())).toMatchObject({ task: 'required-capacity' })

  const alarms = await saved(page, /^save \d+ alarms? as JSONL$/)
  const codes = alarms.bytes
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).code)
  expect(codes).toContain('false_acceptances')
})

test('an alarm is acknowledged, muted for the run, shown again and taken back', async ({ open }) => {
  const page = await open(`/live/${fakeRun}`)
  const alarms = page.getByRole('region', { name: 'Alarms' })
  const first = alarms.locator('.alarm').filter({ hasText: 'accepted, audit rejects' })
  await first.getByRole('button', { name: /^Acknowledge/ }).click()
  await expect(first).toHaveClass(/alarm-seen/)
  await first.getByRole('button', { name: /^Take back/ }).click()
  await expect(first).not.toHaveClass(/alarm-seen/)
  await first.getByRole('button', { name: 'Mute false_acceptances' }).click()
  await expect(first).toBeHidden()
  await alarms.getByRole('button', { name: 'show 1 muted alarm' }).click()
  await first.getByRole('button', { name: /^Take back/ }).click()
  await expect(alarms.getByRole('button', { name: /muted/ })).toBeHidden()
})

test('the cost so far follows the rate that was typed for the box', async ({ open }) => {
  const page = await open(`/live/${fakeRun}`)
  const cost = page.getByRole('button', { name: /^cost/ })
  await expect(cost).toHaveText('cost –')
  await cost.click()
  await page.getByLabel('Rate an hour').fill('36')
  await page.getByLabel('Currency').fill('EUR')
  await page.getByRole('button', { name: 'Keep' }).click()
  await expect(cost).toHaveText(/^cost \d+\.\d\d EUR$/)
  await cost.click()
  await page.getByLabel('Rate an hour').fill('a lot')
  await expect(page.getByRole('button', { name: 'Keep' })).toBeDisabled()
})

test('other trainers’ files are opened by their paths', async ({ open }) => {
  const page = await open('/runs')
  await page.getByRole('button', { name: 'Open another trainer’s' }).click()
  await page.getByLabel('Files').fill('/there/trainer_state.json\n/there/completions_00010.parquet')
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`#/live/${fakeRun}`))
})
