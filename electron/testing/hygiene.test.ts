import { expect, test } from 'vitest'
import { projectFiles, readProjectFile } from './source-files.ts'

const code = projectFiles.filter((file) => /\.(ts|tsx|mjs|py|sh|css|rs)$/.test(file))
const text = projectFiles.filter((file) => /\.(ts|tsx|mjs|py|sh|css|rs|md|json|html|ya?ml)$/.test(file))

/** Lines of `files` that match, as `file:line`. This file spells the patterns, so it is left out. */
function linesWith(files: string[], pattern: RegExp): string[] {
  return files
    .filter((file) => file !== 'electron/testing/hygiene.test.ts')
    .flatMap((file) =>
      readProjectFile(file)
        .split('\n')
        .flatMap((line, at) => (pattern.test(line) ? [`${file}:${at + 1}`] : [])),
    )
}

test('no source file is longer than 400 lines', () => {
  const long = code.map((file) => [file, readProjectFile(file).split('\n').length - 1] as const)
  expect(long.filter(([, lines]) => lines > 400)).toEqual([])
})

test('no file names a place of the machine that it was written on', () => {
  expect(linesWith(text, /(^|[^\w.])\/(work|root|tmp\/w)\//)).toEqual([])
})

test('the lock file names no host, so any registry serves it', () => {
  expect(linesWith(['package-lock.json'], /"resolved"|\/\/[\w.-]*registry/)).toEqual([])
})

test('no test is left out or alone without a reason that is said', () => {
  const tests = projectFiles.filter((file) => /\.(test|spec)\.tsx?$/.test(file))
  expect(
    linesWith(tests, /\b(test|it|describe)(\.\w+)*\.(only|todo)\(|\b(test|it|describe)\.skip\(\s*['"`]/),
  ).toEqual([])
})

test('Node is asked for in one version everywhere', () => {
  const manifest = JSON.parse(readProjectFile('package.json'))
  const nodes = Object.entries(manifest.optionalDependencies).filter(([name]) => name.startsWith('node-'))
  expect(nodes.length).toBeGreaterThan(0)
  expect(new Set(nodes.map(([, version]) => version)).size).toBe(1)
  expect(nodes.every(([, version]) => String(version).startsWith('24.'))).toBe(true)
})
