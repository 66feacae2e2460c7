import { startConsole } from './console-process.ts'
import { expect, test } from './fixtures.ts'

// However the connection ends (refused, reset, empty), Chromium reports it in the console.
test.use({ allowedErrors: /net::ERR_|401 \(Unauthorized\)|WebSocket connection to .* failed/ })

test('a killed console is said at once, and one started anew asks for its own address', async ({
  window,
  shell,
  home,
  shot,
}) => {
  const alert = window.getByRole('alert')
  // The view is loaded after its frame, from the core that is about to be gone.
  await expect(window.getByRole('button', { name: 'Run the demo' }).first()).toBeVisible()
  await expect(alert).toHaveCount(0)

  await shell.end('SIGKILL')
  await expect(alert).toContainText('does not answer')
  await shot('core-lost')

  const anew = await startConsole(home, shell.port)
  try {
    await expect(alert).toContainText('started anew')
    await window.goto(anew.url)
    await window.waitForURL((url) => url.search === '')
    await expect(alert).toHaveCount(0)
  } finally {
    await anew.end()
  }
})
