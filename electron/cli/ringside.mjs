#!/usr/bin/env node
// A launcher for any Node from 18 on: goes on in this process where it is new enough, else under the Node that npm installed beside the code.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const minimum = [22, 19]
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const here = dirname(fileURLToPath(import.meta.url))

if (major > minimum[0] || (major === minimum[0] && minor >= minimum[1])) {
  // node:sqlite is called experimental by Node 24; the person at the terminal can do nothing about it.
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') process.stderr.write(`${warning.name}: ${warning.message}\n`)
  })
  const { main } = await import('./main.ts')
  await main(process.argv.slice(2))
} else {
  const node = join(here, '..', '..', 'node_modules', '.bin', 'node')
  if (!existsSync(node)) {
    process.stderr.write(
      `Ringside needs Node ${minimum.join('.')} or later and runs under ${process.version}. Run npm install, or use a newer Node.\n`,
    )
    process.exit(2)
  }
  goOnUnder(node)
}

function goOnUnder(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  // A terminal sends its signals to both; anybody else sends them to this process only.
  process.on('SIGINT', () => {})
  for (const name of ['SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name))
  child.on('error', (failure) => {
    process.stderr.write(`${node} cannot be started: ${failure.message}\n`)
    process.exit(2)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}
