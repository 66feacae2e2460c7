import { expect, test } from './fixtures.ts'
import { gradeAgain, repairedSuite, savedPrograms } from './saved-run.ts'

const numbersIn = (text: string) => text.match(/-?\d+/g)?.length ?? 0

test('a weak suite’s two holes are found, explained and closed through the window, and its numbers are those of the evidence', async ({
  window,
  home,
  shot,
}) => {
  test.setTimeout(600_000)
  await test.step('train on the weak suite, long enough to find both holes', async () => {
    await window.evaluate(() => location.assign('#/launch'))
    for (const [field, value] of [
      ['Seed', '7'],
      ['Updates', '6'],
      ['Group size', '4'],
      ['Groups a step', '3'],
      ['Fixed draws', '4'],
    ] as const)
      await window.getByLabel(field, { exact: true }).fill(value)
    await window.getByRole('button', { name: 'Check and launch' }).click()
    await window.waitForURL(/#\/live\//, { timeout: 120_000 })
  })
  const run = new URL(window.url()).hash.split('/')[2] ?? ''
  await expect(window.getByText('completed', { exact: true }).first()).toBeVisible({ timeout: 240_000 })

  const programs = window.getByRole('navigation', { name: 'Programs' })
  const witness = window.getByRole('region', { name: 'Smallest witness' })
  await test.step('audit everything, then find each mechanism’s smallest witness', async () => {
    await window.evaluate((id) => location.assign(`#/audit/${id}`), run)
    await window.getByRole('button', { name: /^Audit the other \d+ draws/ }).click({ timeout: 120_000 })
    await expect(window.getByText(/^all \d+ audited$/)).toBeVisible({ timeout: 120_000 })
    await window.keyboard.press('s')
    await expect(window.getByText('shrinking witnesses')).toBeVisible()
    await expect(window.getByText('shrinking witnesses')).toHaveCount(0, { timeout: 240_000 })
  })

  await test.step('both holes stand apart, each with two bookings', async () => {
    const likes: string[] = []
    const groups = await programs.getByRole('heading').count()
    expect(groups).toBeGreaterThan(1)
    for (let group = 0; group < groups; group += 1) {
      const first = programs.locator('.triage-line:has(h2) + .triage-line').nth(group)
      await first.click()
      await expect(witness).toContainText('shrunk from a failing case')
      const text = (await witness.textContent()) ?? ''
      const input = /\[\[\[.*\]\]\]/.exec(text)?.[0] ?? ''
      if (/Answers every audit case as/.test(text)) {
        likes.push(text)
        expect([input, numbersIn(input)]).toEqual([input, 4])
      }
    }
    const strict = likes.findIndex((text) => text.includes('strict expiry'))
    const ties = likes.findIndex((text) => text.includes('input order ties'))
    expect([strict, ties].toSorted()).toEqual([0, 1])
    await shot('mechanisms')
  })

  const dialog = window.getByRole('dialog', { name: /^Repair/ })
  await test.step('repair, keeping the number of cases', async () => {
    await window.keyboard.press('r')
    await window.keyboard.press('Enter')
    await expect(dialog.getByRole('region', { name: 'What it changes' })).toBeVisible({ timeout: 240_000 })
    await shot('repair')
  })

  await test.step('what is shown is what journal, records, evidence and a new grading say', async () => {
    const saved = await savedPrograms(home, run)
    const suite = await repairedSuite(home, run)
    const after = await gradeAgain(home, suite.path, saved)
    const count = (of: 'programs' | 'draws', right: boolean, accepted: (id: string) => boolean) =>
      [...saved].reduce(
        (sum, [id, { audit, draws }]) =>
          (audit === 'passed') === right && accepted(id) ? sum + (of === 'draws' ? draws : 1) : sum,
        0,
      )
    const before = (id: string) => saved.get(id)?.accepted === true
    const now = (id: string) => after.get(id) === 'passed'
    const said = (right: boolean) => ({
      programs: [count('programs', right, before), count('programs', right, now)],
      draws: [count('draws', right, before), count('draws', right, now)],
    })
    const [wrong, right] = [said(false), said(true)]
    expect(wrong.programs[0]).toBeGreaterThan(1)
    expect([wrong.programs[1], right.programs[1]]).toEqual([0, right.programs[0]])

    const shown = async (name: RegExp) => {
      const cells = await dialog.getByRole('row', { name }).getByRole('cell').allTextContents()
      return cells.join(' ').match(/\d+/g)?.map(Number)
    }
    await expect.poll(() => shown(/^false acceptances/)).toEqual([...wrong.programs, ...wrong.draws])
    await expect.poll(() => shown(/^right and accepted/)).toEqual([...right.programs, ...right.draws])
    await expect(dialog).toContainText('57 → 57 tests a grade')
    await expect(dialog).toContainText(
      `${wrong.programs[0]} false acceptances removed, 0 new, 0 right programs lost.`,
    )
    await expect(dialog.getByRole('row', { name: /^partial scores in the wrong order/ })).toContainText(
      'pairs',
    )

    await window.keyboard.press('Escape')
    await window.keyboard.press('t')
    const cells = window.getByRole('dialog', { name: /^Suites against/ }).getByRole('row', {
      name: new RegExp(`^${suite.name}`),
    })
    await expect(cells).toContainText(`${right.draws[0]} of ${right.draws[0]} accepted draws`)
    await shot('suites')
  })
})
