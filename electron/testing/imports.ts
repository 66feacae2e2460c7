import { posix } from 'node:path'
import { parseSync } from 'vite'
import { readProjectFile } from './source-files.ts'

export type Import = {
  /** As written. */
  specifier: string
  /** The project file it names, from the root; null for a package or a module of Node. */
  target: string | null
  /** Whether nothing of it is left at run time. */
  typeOnly: boolean
}

/** What a module imports: statements, re-exports, `import()` and, in types, `import('…')`. */
export function importsOf(file: string): Import[] {
  const source = readProjectFile(file)
  const { staticImports, staticExports, dynamicImports } = parseSync(file, source).module
  const found = [
    ...staticImports.map(({ moduleRequest, entries }) => ({
      specifier: moduleRequest.value,
      typeOnly: entries.length > 0 && entries.every((entry) => entry.isType),
    })),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap((entry) =>
        entry.moduleRequest ? [{ specifier: entry.moduleRequest.value, typeOnly: entry.isType }] : [],
      ),
    ),
    ...dynamicImports.flatMap(({ moduleRequest }) => {
      const text = source.slice(moduleRequest.start, moduleRequest.end)
      const literal = /^(['"`])([^'"`$]+)\1$/.exec(text)?.[2]
      return literal === undefined ? [] : [{ specifier: literal, typeOnly: false }]
    }),
    ...[...source.matchAll(/\btypeof import\((['"])([^'"]+)\1\)/g)].map((match) => ({
      specifier: match[2] ?? '',
      typeOnly: true,
    })),
  ]
  return found.map(({ specifier, typeOnly }) => ({ specifier, typeOnly, target: resolve(file, specifier) }))
}

function resolve(file: string, specifier: string): string | null {
  if (specifier.startsWith('#shared/')) return specifier.replace('#shared/', 'shared/')
  if (specifier.startsWith('#services/')) return specifier.replace('#services/', 'electron/services/')
  if (specifier.startsWith('.'))
    return posix.join(posix.dirname(file), specifier.replace(/\?(raw|url|worker)$/, ''))
  return null
}
