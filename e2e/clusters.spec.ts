import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from './fake-window.ts'

test('a cluster is opened, its difference read, changes allowed, and a run launched with a verifier there', async ({
  open,
}) => {
  const page = await open('/clusters')
  await expect(page.getByText('Until then nothing is asked of any cluster.')).toBeVisible()
  await expect(page.getByText('names cluster gone, which is in no file')).toBeVisible()
  await page.getByRole('button', { name: /^lab https/ }).click()
  const deployment = page.locator('details').filter({ hasText: 'Deployment' })
  await expect(
    deployment
      .getByRole('row', { name: /SUITE_COMMIT.*configMapKeyRef.*removed|configMapKeyRef\.name/ })
      .first(),
  ).toBeVisible()
  await expect(page.getByText('still comes from the shared Secret keys, key api')).toBeVisible()
  await page.getByLabel('Commit', { exact: true }).fill('f'.repeat(40))
  await expect(deployment.getByText(`"${'f'.repeat(40)}"`)).toBeVisible()
  await page.getByLabel('Replicas').fill('3')
  await expect(page.getByText('The cluster is read-only: allow changes before the launch.')).toBeVisible()
  await page.getByRole('button', { name: 'Allow changes…' }).click()
  await page.getByRole('button', { name: 'Allow changes', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Make read-only' })).toBeVisible()
  // The switch is the cluster's: the other context that leads there shows it, too.
  await expect(page.getByText('may be changed')).toHaveCount(2)
  await page.getByRole('button', { name: 'Launch a run with it…' }).click()
  await expect(
    page.getByText('In lab, namespace training: a copy of verifier, 3 replicas, commit ffffffffffff.'),
  ).toBeVisible()
})

test('where a right is missing there is no button, and the right is named', async ({ open }) => {
  const page = await open('/clusters')
  await page.getByRole('button', { name: /^production https/ }).click()
  await expect(page.getByText('not without create networkpolicies')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Launch a run with it…' })).toHaveCount(0)
})

for (const colorScheme of ['dark', 'light'] as const) {
  test(`a cluster is accessible in the ${colorScheme} theme`, async ({ open, page }) => {
    await page.emulateMedia({ colorScheme })
    await open('/clusters')
    await page.getByRole('button', { name: /^lab https/ }).click()
    await expect(page.getByText('of no run here')).toBeVisible()
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map((violation) => [violation.id, violation.nodes[0]?.html])).toEqual([])
  })
}
