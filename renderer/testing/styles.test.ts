import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const renderer = join(import.meta.dirname, '..')

/** Names of the classes that begin a selector of `css`. */
const classes = (css: string): string[] =>
  [...css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{}]+)\{/g)]
    .flatMap(([, selectors]) => (selectors ?? '').split(','))
    .flatMap((selector) => /^\s*\.([a-z][\w-]*)/.exec(selector)?.[1] ?? [])

// Views load their styles when first looked at and never unload them, so a name used twice changes a view according to what was seen before.
test('no class is styled from two files', () => {
  const files = new Map<string, Set<string>>()
  for (const file of globSync('**/*.css', { cwd: renderer })) {
    for (const name of classes(readFileSync(join(renderer, file), 'utf8'))) {
      files.set(name, (files.get(name) ?? new Set()).add(file))
    }
  }
  expect(files.size).toBeGreaterThan(100)
  expect([...files].filter(([, from]) => from.size > 1).map(([name, from]) => [name, [...from]])).toEqual([])
})
