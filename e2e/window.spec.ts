import { expect, test } from './fixtures.ts'

test('the console opens in a browser, signed in once, under a strict policy', async ({
  window,
  shell,
  shot,
  browser,
}) => {
  await expect(window).toHaveTitle(/Ringside/)
  await expect(window.locator('#root')).not.toBeEmpty()
  const reached = await window.evaluate(async () => {
    const { status, headers } = await fetch('/', { cache: 'no-store' })
    return { status, policy: headers.get('content-security-policy')?.includes("script-src 'self';") }
  })
  expect(reached).toEqual({ status: 200, policy: true })
  await shot('open')

  const stranger = await browser.newPage()
  const again = await stranger.goto(shell.url)
  expect(again?.status()).toBe(403)
  await stranger.close()
})
