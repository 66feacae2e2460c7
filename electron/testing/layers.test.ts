import { isBuiltin } from 'node:module'
import { expect, test } from 'vitest'
import { type Import, importsOf } from './imports.ts'
import { sourceFiles } from './source-files.ts'

/** Where a file lives, by the longest prefix, and which rooms it may import from besides its own. */
const rooms: Record<string, string[]> = {
  'shared/': [],
  'resources/': ['shared/'],
  'renderer/': ['shared/'],
  'electron/services/': ['shared/'],
  'electron/serve/': ['shared/', 'electron/services/', 'package.json'],
  'electron/cli/': ['shared/', 'electron/services/', 'electron/serve/', 'package.json'],
  'electron/main/': ['shared/', 'electron/services/', 'electron/serve/'],
  'electron/preload/': ['shared/'],
  'electron/testing/': ['shared/', 'electron/services/'],
  'e2e/': ['shared/'],
}

/** Only these see Electron; all else runs without it. */
const electronRooms = ['electron/main/', 'electron/preload/']
/** What `shared` may use: pure packages, without Node and without a page. */
const purePackages = ['zod', 'mdast-util-from-markdown']

const isTest = (file: string) => /\.(test|cluster)\.tsx?$|\/testing(\/|\.ts$)|^e2e\//.test(file)
const roomOf = (file: string) =>
  Object.keys(rooms)
    .filter((room) => file.startsWith(room))
    .sort((a, b) => b.length - a.length)[0]

function fault(file: string, { specifier, target }: Import): string | null {
  const room = roomOf(file)
  if (room === undefined) return `${file} lies in no layer`
  if (target !== null) {
    const allowed = [room, ...(rooms[room] ?? []), ...(isTest(file) ? ['electron/testing/'] : [])]
    const reachable = allowed.some((prefix) => target.startsWith(prefix))
    const across = target.startsWith('electron/') && !file.startsWith('electron/')
    return reachable && !across ? null : `${file} imports ${target}`
  }
  if (/^electron($|\/)/.test(specifier) && !electronRooms.includes(room)) return `${file} imports electron`
  if (room === 'shared/' && !isTest(file) && !purePackages.includes(specifier))
    return `${file} imports ${specifier}`
  if (room === 'renderer/' && !isTest(file) && isBuiltin(specifier)) return `${file} imports ${specifier}`
  return null
}

const graph = new Map(sourceFiles.map((file) => [file, importsOf(file)]))

test('every import points the one way that the layers allow', () => {
  const faults = [...graph].flatMap(([file, imports]) => imports.map((item) => fault(file, item)))
  expect(faults.filter((item) => item !== null)).toEqual([])
})

test('the rules refuse what they are there for', () => {
  const imports = (file: string, specifier: string, target: string | null = null) =>
    fault(file, { specifier, target, typeOnly: false })
  expect([
    imports('shared/a.ts', 'node:fs'),
    imports('shared/a.ts', '#services/x.ts', 'electron/services/x.ts'),
    imports('shared/a.test.ts', 'node:fs'),
    imports('electron/services/a.ts', 'electron'),
    imports('electron/main/a.ts', 'electron'),
    imports('electron/services/a.ts', '../serve/x.ts', 'electron/serve/x.ts'),
    imports('renderer/a.tsx', '../resources/x.ts', 'resources/x.ts'),
    imports('renderer/a.tsx', 'node:path'),
    imports('resources/a.test.ts', 'x', 'electron/testing/x.ts'),
    imports('stray/a.ts', 'zod'),
  ]).toEqual([
    'shared/a.ts imports node:fs',
    'shared/a.ts imports electron/services/x.ts',
    null,
    'electron/services/a.ts imports electron',
    null,
    'electron/services/a.ts imports electron/serve/x.ts',
    'renderer/a.tsx imports resources/x.ts',
    'renderer/a.tsx imports node:path',
    'resources/a.test.ts imports electron/testing/x.ts',
    'stray/a.ts lies in no layer',
  ])
})

test('no module needs itself to load', () => {
  expect(cycles()).toEqual([])
})

/** Each cycle of imports that is left at run time, once, as the way around it. */
function cycles(): string[] {
  const found = new Map<string, string>()
  const done = new Set<string>()
  const visit = (file: string, way: string[]) => {
    const at = way.indexOf(file)
    if (at !== -1) {
      const around = way.slice(at)
      found.set([...around].sort().join(), [...around, file].join(' → '))
      return
    }
    if (done.has(file)) return
    for (const { target, typeOnly } of graph.get(file) ?? [])
      if (target !== null && !typeOnly) visit(target, [...way, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return [...found.values()]
}
