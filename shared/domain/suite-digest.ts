/**
 * The content hash of a suite folder: the sha256 of one line `<path>\0<sha256 of the file>\n` a file, in order of path by code unit, for
 * every file but `suite.json`, which carries the result. Paths are relative, with `/`.
 */
export function suiteDigestInput(files: { path: string; sha256: string }[]): string {
  return files
    .filter((file) => file.path !== 'suite.json')
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .map((file) => `${file.path}\0${file.sha256}\n`)
    .join('')
}
