import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './fixtures.ts'

/** 5 MB a second: 100 bytes a line. */
const linesASecond = 50_000
const lines = 4 * linesASecond
/** What the terminal keeps, and a screen of its own. */
const mostKept = 20_000 + 200

test('a log of five megabytes a second: held at a click, then followed to its last line, its scrollback bounded', async ({
  window,
  home,
  context,
  shot,
}) => {
  test.setTimeout(300_000)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const go = join(home, 'go')
  const script = [
    'const fs = require("node:fs"); let n = 0',
    `const begin = setInterval(() => { if (fs.existsSync("${go}")) { clearInterval(begin); pour() } }, 50)`,
    `const pour = () => { const timer = setInterval(() => { let text = ""; for (let i = 0; i < ${linesASecond / 50}; i += 1) text += "line " + String(n++).padStart(7, "0") + " " + "x".repeat(86) + "\\n"; fs.writeSync(1, text); if (n >= ${lines}) clearInterval(timer) }, 20) }`,
  ].join('; ')
  await window.evaluate(() => location.assign('#/launch'))
  await window.getByRole('combobox', { name: 'Trainer' }).selectOption('command')
  await window.getByLabel('Command').fill(`${process.execPath} -e '${script}'`)
  await window.getByRole('button', { name: 'Check and launch' }).click()
  await window.waitForURL(/#\/live\//, { timeout: 180_000 })
  const run = new URL(window.url()).hash.split('/')[2] ?? ''
  await window.evaluate((to) => location.assign(to), `#/terminal/${run}`)
  await expect(window.locator('.xterm-screen').first()).toBeVisible()

  writeFileSync(go, '')
  const status = window.getByRole('banner')
  await expect(status).toContainText(/[1-9][\d.]* MiB/)
  // The click arrives and counts while lines pour in: what comes after it waits.
  await window.getByRole('button', { name: 'Hold' }).click()
  await expect(status).toContainText(/held, .* waiting/)
  await shot('burst-held')
  await window.getByRole('button', { name: 'Follow' }).click()
  await expect(status).toContainText('19.1 MiB')
  await expect
    .poll(
      async () => {
        await window.getByRole('button', { name: 'Copy' }).click()
        const text = await window.evaluate(() => navigator.clipboard.readText())
        return text.trimEnd().split('\n').at(-1)?.slice(0, 12)
      },
      { timeout: 120_000, intervals: [2_000] },
    )
    .toBe(`line ${String(lines - 1).padStart(7, '0')}`)
  await shot('burst-followed')
  const kept = await window.evaluate(() => navigator.clipboard.readText())
  expect(kept.split('\n').length).toBeLessThanOrEqual(mostKept)
  // Where it fell behind, lines are not drawn one by one, and that is said where they are missing. How often depends on the machine.
  expect(unsaid(kept.split('\n').filter((line) => line !== ''))).toEqual([])

  await window.evaluate((to) => location.assign(to), `#/teardown/${run}`)
  await window.getByRole('button', { name: /^Give back \d+ thing/ }).click()
  await window.getByRole('dialog').getByRole('button', { name: 'Give back', exact: true }).click()
  await expect(window.getByText('Nothing is left.')).toBeVisible({ timeout: 120_000 })
})

/** Lines that do not follow the one before, with no word beside them about lines passed over. The first may be cut by the scrollback. */
function unsaid(kept: string[]): string[] {
  const number = (line = '') => Number(/^line (\d{7}) x/.exec(line)?.[1] ?? Number.NaN)
  return kept.slice(1).filter((line, index) => {
    const beside = kept.slice(index, index + 3)
    const said = beside.some((text) => text.includes('passed over; they are in the file'))
    return !said && number(line) !== number(kept[index]) + 1
  })
}
