import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

test.describe.configure({ mode: 'serial' })

/** Goes to a view by its address, as a bookmark does. */
const visit = (window: Page, hash: string) => window.evaluate((to) => location.assign(`#${to}`), hash)

const runOf = (window: Page) => new URL(window.url()).hash.split('/')[2] ?? ''

test('from the form to a run; from a dot to its bytes; stopped, audited and given back', async ({
  window,
  home,
  shot,
}) => {
  test.setTimeout(600_000)
  await test.step('describe a run that is too long to finish by itself, check it, launch it', async () => {
    await shot('runs-empty')
    await visit(window, '/launch')
    await window.getByLabel('Updates').fill('1000')
    await window.getByLabel('Fixed draws').fill('32')
    await shot('launch')
    await window.getByRole('button', { name: 'Check and launch' }).click()
    await window.waitForURL(/#\/live\//, { timeout: 120_000 })
  })
  const run = runOf(window)

  await test.step('watch rewards come in', async () => {
    await expect(window.getByLabel(/^Rewards of (6[4-9]|[7-9]\d|\d{3,}) rollouts/)).toBeVisible({
      timeout: 240_000,
    })
    await shot('live')
  })

  await test.step('a click on a dot opens that rollout, beside the right body', async () => {
    await clickADot(window)
    await window.waitForURL(/#\/rollout\//)
    await expect(window.locator('.cm-mergeView, .cm-editor').first()).toBeVisible()
    await shot('rollout')
  })

  await test.step('a falsely accepted body is a filter away, and its evidence verifies', async () => {
    await visit(window, `/rollouts/${run}?filter=${encodeURIComponent('is:false_acceptance')}`)
    await expect(window.getByRole('row').nth(1)).toBeVisible({ timeout: 120_000 })
    await shot('false-acceptances')
    await window.keyboard.press('j')
    await window.keyboard.press('Enter')
    await window.waitForURL(/#\/rollout\//)
    await expect(window.getByRole('banner')).toContainText('passed')
    await expect(window.locator('.cm-mergeView')).toBeVisible()
    await window.getByRole('tab', { name: /evidence/ }).click()
    await window.getByRole('button', { name: 'Verify bytes' }).click()
    await expect(window.getByText(/bytes hash to their name/i)).toBeVisible()
    await shot('false-acceptance')
  })

  await test.step('stop after the step in hand', async () => {
    await visit(window, `/live/${run}`)
    await window.getByTitle('Finish the step in hand, keep a checkpoint, then stop').click()
    await window.getByRole('dialog').getByRole('button', { name: 'Stop after step' }).click()
    await expect(window.getByText('stopped', { exact: true }).first()).toBeVisible({ timeout: 120_000 })
    await shot('live-stopped')
  })

  await test.step('the audit shows its mechanisms, and takes a verdict by key', async () => {
    await visit(window, `/audit/${run}`)
    const mechanisms = window.getByRole('navigation', { name: 'Programs' })
    await expect(mechanisms.locator('.triage-row').first()).toBeVisible({ timeout: 120_000 })
    await window.keyboard.press('2')
    await expect(mechanisms.getByText('wrong').first()).toBeVisible()
    await shot('audit')
    await window.keyboard.press('u')
    await expect(mechanisms.getByText('wrong')).toHaveCount(0)
  })

  await test.step('logs are there', async () => {
    await visit(window, `/terminal/${run}`)
    await expect(window.locator('.xterm-rows, .xterm-screen').first()).toBeVisible()
    await shot('terminal')
  })

  await test.step('give everything back, and look for what is left', async () => {
    await visit(window, `/teardown/${run}`)
    await shot('teardown-plan')
    await window.getByRole('button', { name: /^Give back \d+ thing/ }).click()
    await window.getByRole('dialog').getByRole('button', { name: 'Give back', exact: true }).click()
    await expect(window.getByText('Nothing is left.')).toBeVisible({ timeout: 120_000 })
    await shot('teardown-proof')
    expect({
      boxes: await readdir(join(home, 'boxes/local')),
      processes: processesOf(join(home, 'boxes')),
    }).toEqual({
      boxes: [],
      processes: [],
    })
  })
})

test('one click shows what the console is for, and ends at once when told to', async ({ window, shot }) => {
  await window.getByRole('button', { name: 'Run the demo' }).first().click()
  await window.waitForURL(/#\/live\//, { timeout: 120_000 })
  await window.getByTitle('Stop now; the step in hand is lost').click()
  await window.getByRole('dialog').getByRole('button', { name: 'Abort now' }).click()
  const tearDown = window.getByRole('link', { name: 'Tear down' }).first()
  await expect(tearDown).toBeVisible({ timeout: 120_000 })
  await shot('live-aborted')
  await tearDown.click()
  await window.getByRole('button', { name: /^Give back \d+ thing/ }).click()
  await window.getByRole('dialog').getByRole('button', { name: 'Give back', exact: true }).click()
  await expect(window.getByText('Nothing is left.')).toBeVisible({ timeout: 120_000 })
})

/** Moves over the strip until a mark lights up, and clicks it. */
async function clickADot(window: Page): Promise<void> {
  const box = await window.locator('.strip-panel .chart').boundingBox()
  if (!box) throw new Error('The reward strip is not there.')
  for (let x = box.x + 40; x < box.x + box.width; x += 6) {
    for (let y = box.y + 10; y < box.y + box.height - 40; y += 6) {
      await window.mouse.move(x, y)
      if ((await window.locator('.strip-panel .strip-ring').count()) > 0) {
        await window.mouse.click(x, y)
        return
      }
    }
  }
  throw new Error('No mark lit up under the pointer.')
}

function processesOf(path: string): string[] {
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line.includes(path))
}
