import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findElectron } from './desktop.mjs'

/** An Electron package whose installer does as told and counts how often it was run. */
function fakeElectron(installer: string) {
  const folder = mkdtempSync(join(tmpdir(), 'electron-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const electron = join(folder, 'electron')
  mkdirSync(electron)
  writeFileSync(join(electron, 'package.json'), '{"version": "45.5.0"}')
  const count = `const fs = require('node:fs'); fs.appendFileSync(__dirname + '/runs', 'x');`
  writeFileSync(join(electron, 'install.js'), `${count}\n${installer}`)
  const said: string[] = []
  const runs = join(electron, 'runs')
  const find = (options = {}) =>
    findElectron(process.execPath, (line) => said.push(line), {
      unfit: null,
      at: { electron, memory: join(folder, 'cache/no-electron.json') },
      ...options,
    })
  return { electron, find, said, runs: () => (existsSync(runs) ? readFileSync(runs, 'utf8').length : 0) }
}

test('a download that fails is told in one line and not tried again until asked for', async () => {
  const fake = fakeElectron(`throw new TypeError('fetch failed')`)
  const first = await fake.find()
  const second = await fake.find()
  const asked = await fake.find({ retry: true })
  expect({ first, second, asked, runs: fake.runs(), said: fake.said }).toEqual({
    first: { path: null, why: 'Electron could not be downloaded (TypeError: fetch failed)' },
    second: {
      path: null,
      why: 'Electron could not be downloaded here (`npm start -- --electron` tries again)',
    },
    asked: { path: null, why: 'Electron could not be downloaded (TypeError: fetch failed)' },
    runs: 2,
    said: [
      'Downloading Electron 45.5.0 (once, about 120 MB)',
      'Downloading Electron 45.5.0 (once, about 120 MB)',
    ],
  })
})

test('a download that works is used and not repeated', async () => {
  const fake = fakeElectron(
    `fs.mkdirSync(__dirname + '/dist'); fs.writeFileSync(__dirname + '/dist/app', ''); fs.writeFileSync(__dirname + '/path.txt', 'app')`,
  )
  const found = { path: join(fake.electron, 'dist/app'), why: null }
  expect({ first: await fake.find(), second: await fake.find(), runs: fake.runs() }).toEqual({
    first: found,
    second: found,
    runs: 1,
  })
})

test('where no window can open, nothing is downloaded', async () => {
  const fake = fakeElectron('')
  const outcome = await fake.find({ unfit: 'There is no display for a window of its own' })
  expect({ outcome, runs: fake.runs() }).toEqual({
    outcome: { path: null, why: 'There is no display for a window of its own' },
    runs: 0,
  })
})
