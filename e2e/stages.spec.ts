import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from './fixtures.ts'

test('a pipeline from the form: its stages, a gate that fails, adapters rolled back and retired by a shown plan', async ({
  window,
  home,
  shot,
}) => {
  test.setTimeout(420_000)
  const right = '```python\ndef required_capacity(bookings):\n    event[1]\n    peak = 0\n```'
  const file = async (name: string, completion: string) => {
    await writeFile(join(home, name), `${JSON.stringify({ prompt: 'Book.', completion })}\n`)
    return join(home, name)
  }
  const data = await file('sft.jsonl', right)
  const other = await file('recovery.jsonl', 'A text in another model’s template.')

  await window.evaluate(() => location.assign('#/launch'))
  await window.getByLabel('Trainer', { exact: true }).selectOption('stand_in')
  await window.getByLabel('SFT: data', { exact: true }).fill(data)
  await window.getByLabel('Recovery SFT: data').fill(other)
  await window.getByLabel('Updates').fill('3')
  await window.getByLabel('Learning rate').fill('1')
  await window.getByLabel('Fixed draws').fill('8')
  await shot('launch-pipeline')
  await window.getByRole('button', { name: 'Check and launch' }).click()
  await window.waitForURL(/#\/live\//, { timeout: 120_000 })
  const run = new URL(window.url()).hash.split('/')[2] ?? ''

  await window.evaluate((id) => location.assign(`#/stages/${id}`), run)
  const stages = window.getByRole('list', { name: 'Stages' })
  const recovery = stages.getByRole('listitem').filter({ hasText: 'Recovery SFT' })
  await expect(recovery).toContainText('The first loss is 14.50', { timeout: 180_000 })
  await expect(stages.getByRole('listitem').filter({ hasText: 'Final evaluation' })).toContainText(
    'not reached',
  )
  await shot('stages-gate')

  const rows = window.getByRole('table').getByRole('row')
  await expect(rows).toHaveCount(3, { timeout: 30_000 })
  const [sft, grpo] = [rows.filter({ hasText: 'sft, step' }), rows.filter({ hasText: 'grpo, step' })]
  await expect(grpo).toContainText('in use')
  await grpo.getByRole('button', { name: 'Retire…' }).click()
  await expect(window.getByRole('alert')).toContainText('is in use')
  await sft.getByRole('button', { name: 'Roll back to it' }).click()
  await expect(sft).toContainText('in use')
  await grpo.getByRole('button', { name: 'Retire…' }).click()
  await expect(window.getByRole('dialog')).toContainText('checkpoints/grpo/checkpoint-3')
  await shot('adapters-plan')
  await window.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(grpo).toContainText('retired')
  await shot('adapters')
})
