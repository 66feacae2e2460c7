/** Hands a text, or bytes, to the user as a file, the same way in a browser and in the desktop window. */
export function download(name: string, content: string | Blob, type = 'application/jsonl'): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has its own reference once the click is dispatched; a frame later is late enough everywhere.
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}

/** A list as JSON, an entry a line. */
export const jsonl = (rows: readonly object[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('')
