/** Text by which a binary is known to hold this grade's own source, and no other's; found by a search of its bytes. */
export const buildMark = (nonce: string) => `${prefix}${nonce}`
const prefix = 'ringside-build:'

/** All build marks in a binary, each once. */
export function buildMarksIn(bytes: Buffer): string[] {
  const marks = new Set<string>()
  for (let at = bytes.indexOf(prefix); at >= 0; at = bytes.indexOf(prefix, at + 1)) {
    const text = bytes.toString('latin1', at, at + prefix.length + 32)
    if (/:[0-9a-f]{32}$/.test(text)) marks.add(text)
  }
  return [...marks]
}

/** An item that leaves the mark in every binary into which the spliced file is compiled or linked. */
export function markItem(nonce: string): string {
  const text = buildMark(nonce)
  return `\n#[used]\nstatic RINGSIDE_BUILD_${nonce.toUpperCase()}: [u8; ${text.length}] = *b"${text}";\n`
}

export type Canary = { test: string; text: string; item: string }

/**
 * A test that fails by itself with `nonce`, to be put at the end of a test binary's root file. Its name comes after all `names`, for the
 * harness runs tests in order of name: where this one has failed, every test before it has ended and the harness was still itself.
 * It returns an error and does not panic, so that a panic hook of an honest test is not taken for foul play.
 */
export function canaryFor(nonce: string, names: string[], edition: string): Canary {
  const plain = `zzzz_${nonce}`
  // The last planes of Unicode that still hold letters sort after everything else.
  const module = names.every((name) => name < plain) ? plain : `\u{30000}_${nonce}`
  const root = edition === '2015' ? '::std' : '::core'
  const text = `ringside-canary:${nonce}`
  const item = `
#[cfg(test)]
mod ${module} {
    #[test]
    fn canary() -> ${root}::result::Result<(), &'static str> {
        ${root}::result::Result::Err("${text}")
    }
}
`
  return { test: `${module}::canary`, text, item }
}
