import { AppError } from '#shared/base/errors.ts'

/** One JSON value on stdout, on one line. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** What is going on, on stderr: a line that is replaced on a terminal, else a line whenever `text` starts a new stage. */
export class Progress {
  private stage = ''
  private readonly out = process.stderr
  private open = false

  /** @param done a share from 0 to 1 draws a bar; null where the whole is not known. */
  show(stage: string, text: string, done: number | null = null): void {
    if (this.out.isTTY) {
      this.out.write(`\r\x1b[2K${stage}  ${done === null ? '' : `${bar(done)}  `}${text}`)
      this.open = true
    } else if (stage !== this.stage) {
      this.out.write(`${stage}${text === '' ? '' : `  ${text}`}\n`)
    }
    this.stage = stage
  }

  /** A line that stays. */
  say(line: string): void {
    this.close()
    this.out.write(`${line}\n`)
  }

  close(): void {
    if (this.open) this.out.write('\r\x1b[2K')
    this.open = false
  }
}

const barWidth = 24

function bar(done: number): string {
  const full = Math.round(Math.min(1, Math.max(0, done)) * barWidth)
  return `${'━'.repeat(full)}${'─'.repeat(barWidth - full)}`
}

/** A whole number of an option. @throws {AppError} `bad_input`, naming the option and its range. */
export const wholeNumber =
  (option: string, least: number, most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value
    throw new AppError('bad_input', `${option} ${text}: must be a whole number from ${least} to ${most}.`)
  }

/** Reads an option that is a share, from 0 to 1. */
export const share =
  (option: string) =>
  (text: string): number => {
    const value = Number(text)
    if (text.trim() !== '' && value >= 0 && value <= 1) return value
    throw new AppError('bad_input', `${option}: ${text} is no share from 0 to 1.`)
  }

/** One of a few words. @throws {AppError} `bad_input`, naming them. */
export const oneOf =
  <T extends string>(option: string, words: readonly T[]) =>
  (text: string): T => {
    const found = words.find((word) => word === text)
    if (found !== undefined) return found
    throw new AppError('bad_input', `${option} ${text}: must be one of ${words.join(', ')}.`)
  }

/** Rows under a heading, each column as wide as its widest cell. */
export function table(heading: string[], rows: string[][]): string {
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [heading, ...rows].map(line).join('\n')
}
