/** The same code as another would hand it on. Each must be found. */
export const disguises = {
  exact: (code: string) => code,
  reformatted: (code: string) => reformat(withoutComments(code, (comment) => comment)),
  comment_stripped: (code: string) => withoutComments(code, () => ''),
  stripped_and_reformatted: (code: string) => reformat(withoutComments(code, () => '')),
} as const
export type Disguise = keyof typeof disguises

const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g
const withoutComments = (code: string, instead: (comment: string) => string): string =>
  code.replace(comment, instead)

/** Other line ends, indents and last commas; braces on lines of their own. A line comment keeps its line. */
function reformat(code: string): string {
  return code
    .split('\n')
    .map((line) => {
      if (/\/\//.test(line)) return `\t${line.trim()}`
      const spaced = line.trim().replace(/\s+/g, '  ')
      return `\t\t${spaced.replace(/\{$/, '\n\t{').replace(/([;,]) */g, '$1\n\t')}`
    })
    .join('\r\n')
    .replace(/(\w)\n?\s*\)/g, '$1,\n)')
}

/** The forms in which a corpus holds code. */
export const containers = {
  tree: (code: string) => code,
  markdown: (code: string) => `## A note\n\nSee below.\n\n\`\`\`rust\n${code}\n\`\`\`\n\n`,
  jsonl: (code: string) => `${JSON.stringify({ id: 7, url: 'https://example.org/a//b', text: code })}\n`,
  agent_log: (code: string) =>
    `${JSON.stringify({ role: 'assistant', call: JSON.stringify({ path: 'src/lib.rs', content: code }) })}\n`,
  text: (code: string) => `It goes like this:\n${code}\nand that is all.\n`,
} as const
export type Container = keyof typeof containers
