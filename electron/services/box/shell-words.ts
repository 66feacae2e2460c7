/** One word for a POSIX shell, whatever it holds. */
export const shellWord = (word: string): string =>
  /^[A-Za-z0-9_./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** A script that becomes the command: no shell stays between the supervisor and the process that it watches. */
export function execScript(command: string[], env: Record<string, string>): string {
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${shellWord(value)}\n`)
  return `${exports.join('')}exec ${command.map(shellWord).join(' ')} "$@"\n`
}
