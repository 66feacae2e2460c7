import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Every file of the checkout that git knows or would add, as paths from its root. */
export const projectFiles: string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '-z'],
  { cwd: root, encoding: 'utf8' },
)
  .split('\0')
  // A file deleted but not yet committed is still listed.
  .filter((file) => file !== '' && existsSync(join(root, file)))
  .sort()

export const sourceFiles = projectFiles.filter((file) => /\.(ts|tsx|mjs)$/.test(file))

export const readProjectFile = (file: string): string => readFileSync(join(root, file), 'utf8')
