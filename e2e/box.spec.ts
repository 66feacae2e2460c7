import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { type BoxProcess, hasBox, startBox } from './box-process.ts'
import { type ConsoleProcess, startConsole } from './console-process.ts'
import { test as base, expect } from './fixtures.ts'

const test = base.extend<{ box: BoxProcess }>({
  // A console that is killed on purpose cannot be reached, and Chromium says so.
  allowedErrors: /net::ERR_|401 \(Unauthorized\)|WebSocket connection to .* failed/,
  box: async ({ home }, use) => {
    const box = await startBox(join(home, 'box-server'))
    await use(box)
    await box.end()
  },
  environment: async ({ box }, use) => use({ RINGSIDE_SSH_CONFIG: box.config, SSH_AUTH_SOCK: '' }),
})

const visit = (window: Page, hash: string) => window.evaluate((to) => location.assign(`#${to}`), hash)

test('a run on a box behind SSH, from its unknown key to the proof that nothing is left there', async ({
  window,
  shell,
  home,
  box,
  environment,
  shot,
}) => {
  test.skip(!hasBox, 'there is no OpenSSH server here')
  test.setTimeout(600_000)
  const card = window.getByRole('article', { name: 'gpu-1' })

  await test.step('add the box; its key is asked about, and trusted by its fingerprint', async () => {
    await visit(window, '/boxes')
    await window.getByLabel('Add a box').fill('gpu-1')
    await window.getByRole('button', { name: 'Add and test' }).click()
    const [, fingerprint = '?'] = execFileSync('ssh-keygen', ['-lf', join(box.home, '../host.pub')])
      .toString()
      .split(' ')
    await expect(card.getByRole('region', { name: 'Host key' })).toContainText(fingerprint)
    expect(box.logins()).toBe(0)
    await shot('box-unknown-key')
    await card.getByRole('button', { name: 'It is the same: trust it' }).click()
    await expect(card.getByLabel('Last test')).toContainText('Python on the box')
    await expect(card).toContainText('NVIDIA GeForce RTX 4090')
    await card.getByRole('button', { name: 'Test' }).click()
    await expect(card.getByLabel('Last test')).toContainText('Clock of the box')
    await shot('box-tested')
  })

  await test.step('a shell there; several pasted lines run only when confirmed', async () => {
    await card.getByRole('button', { name: 'Shell' }).click()
    const screen = window.getByLabel('Shell on gpu-1').locator('.xterm-helper-textarea')
    await expect(screen).toBeFocused()
    await window.keyboard.type('echo typed > ~/typed-there\n')
    await expect.poll(() => existsSync(join(box.home, 'typed-there'))).toBe(true)
    await screen.evaluate((element) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'echo one > ~/pasted-there\necho two >> ~/pasted-there\n')
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })
    const dialog = window.getByRole('dialog')
    await expect(dialog).toContainText('Paste several lines?')
    expect(existsSync(join(box.home, 'pasted-there'))).toBe(false)
    await dialog.getByRole('button', { name: 'Paste' }).click()
    await expect.poll(() => existsSync(join(box.home, 'pasted-there'))).toBe(true)
    // A link that breaks takes the shell along; another begins below what the first one said.
    const logins = box.logins()
    box.cut()
    await expect.poll(() => box.logins(), { timeout: 60_000 }).toBeGreaterThan(logins)
    await expect(window.getByLabel('Shell on gpu-1').getByRole('status').first()).toHaveText('')
    await expect
      .poll(async () => {
        await screen.focus()
        await window.keyboard.type('echo again > ~/typed-again\n')
        return existsSync(join(box.home, 'typed-again'))
      })
      .toBe(true)
    await shot('box-shell')
    await window.getByLabel('Shell on gpu-1').getByRole('button', { name: 'Close' }).click()
  })

  await test.step('launch there', async () => {
    await visit(window, '/launch')
    await window.getByRole('combobox', { name: 'Box' }).selectOption('gpu-1')
    // Slow enough to be still at it when the last cut is made, on a fast machine too.
    await window.getByLabel('Updates').fill('30')
    await window.getByLabel('Groups a step').fill('1')
    await window.getByLabel('Fixed draws').fill('2')
    await window.getByLabel('Pause between steps').fill('900')
    await window.getByRole('button', { name: 'Check and launch' }).click()
    await expect(window.getByText('Box reaches the verifier')).toBeVisible({ timeout: 120_000 })
    await shot('box-preflight')
    await window.waitForURL(/#\/live\//, { timeout: 120_000 })
  })
  const run = new URL(window.url()).hash.split('/')[2] ?? ''
  const there = join(box.home, '.ringside/runs', run)

  await test.step('rewards and the GPU’s memory come in; a rollout opens', async () => {
    await expect(window.getByLabel(/^Rewards of ([89]|\d{2,}) rollouts/)).toBeVisible({ timeout: 240_000 })
    await expect(window.getByText('GPU memory').first()).toBeVisible()
    await shot('box-live')
    await visit(window, `/rollouts/${run}`)
    await window.getByRole('row').nth(1).click()
    await window.keyboard.press('Enter')
    await window.waitForURL(/#\/rollout\//)
    await expect(window.locator('.cm-mergeView, .cm-editor').first()).toBeVisible()
  })

  let open: ConsoleProcess = shell
  await test.step('the console is killed twice and the link cut ten times; the run goes on', async () => {
    for (let kills = 0; kills < 2; kills += 1) {
      await open.end('SIGKILL')
      open = await startConsole(home, 0, environment)
      await window.goto(open.url)
      await window.waitForURL((url) => url.search === '')
      await visit(window, `/live/${run}`)
      await expect(window.getByLabel(/^Rewards of \d+ rollouts/)).toBeVisible({ timeout: 60_000 })
    }
    for (let cuts = 0; cuts < 10; cuts += 1) {
      const before = box.logins()
      expect(readFileSync(join(there, 'events.jsonl'), 'utf8')).not.toContain('run.finished')
      box.cut()
      await expect.poll(() => box.logins(), { timeout: 60_000 }).toBeGreaterThan(before)
    }
    await expect(window.getByText('completed', { exact: true }).first()).toBeVisible({ timeout: 240_000 })
    await shot('box-finished')
    const [ours, theirs] = [join(home, 'runs', run, 'journal.jsonl'), join(there, 'events.jsonl')].map(
      (path) => readFileSync(path),
    )
    expect(ours?.equals(theirs ?? Buffer.alloc(0))).toBe(true)
    const events = String(ours)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; rollout?: string; total?: number | null })
    const graded = events.flatMap(({ type, rollout, total }) =>
      type === 'rollout.graded' && total !== null ? [rollout] : [],
    )
    expect([graded.length, new Set(graded).size]).toEqual([30 * 4, 30 * 4])
  })

  await test.step('give everything back, here and there', async () => {
    await visit(window, `/teardown/${run}`)
    await window.getByRole('button', { name: /^Give back \d+ thing/ }).click()
    await window.getByRole('dialog').getByRole('button', { name: 'Give back', exact: true }).click()
    await expect(window.getByText('Nothing is left.')).toBeVisible({ timeout: 120_000 })
    await expect(window.getByText(`no process on gpu-1 names ${there}`)).toBeVisible()
    await shot('box-teardown')
    expect(readdirSync(join(box.home, '.ringside/runs'))).toEqual([])
    const processes = execFileSync('ps', ['-A', '-ww', '-o', 'args=']).toString().split('\n')
    expect(processes.filter((line) => line.includes(run))).toEqual([])
  })
  await window.goto('about:blank')
  await open.end()
})
