import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SafeText } from './safe-text.ts'

const clean = (text: string) => new SafeText().push(text)
const esc = '\u001b'

describe('SafeText', () => {
  it('keeps text, colour and lines', () => {
    const text = `step 3 ${esc}[1;32mpassed${esc}[0m 57/57 ${esc}[38;5;208mhot${esc}[m\tdone${esc}[K\r\nnext`
    expect(clean(text)).toBe(text.replace('\r\n', '\r\r\n'))
  })

  it.each([
    ['clipboard', `${esc}]52;c;cm0gLXJm\u0007`],
    ['clipboard, ended by ST', `${esc}]52;c;cm0gLXJm${esc}\\`],
    ['title', `${esc}]0;all is well\u0007`],
    ['icon name', `${esc}]1;x\u0007`],
    ['window title', `${esc}]2;x\u0007`],
    ['link', `${esc}]8;;http://127.0.0.1/\u0007`],
    ['palette query', `${esc}]4;1;?\u0007`],
    ['8-bit title', '\u009d2;x\u009c'],
    ['device attributes', `${esc}[c`],
    ['cursor position report', `${esc}[6n`],
    ['window manipulation', `${esc}[21t`],
    ['cursor up and overwrite', `${esc}[5A`],
    ['clear the screen', `${esc}[2J`],
    ['erase backwards', `${esc}[1K`],
    ['alternate screen', `${esc}[?1049h`],
    ['8-bit cursor move', '\u009b5A'],
    ['key modes dressed as SGR', `${esc}[>4;2m`],
    ['sixel', `${esc}Pq#0;2;0;0;0~${esc}\\`],
    ['application command', `${esc}_x${esc}\\`],
    ['privacy message', `${esc}^x${esc}\\`],
    ['reset', `${esc}c`],
    ['character set', `${esc}(0`],
    ['answerback and bell', '\u0005\u0007'],
    ['backspace over text', '\b\b'],
  ])('drops %s', (_name, sequence) => {
    expect(clean(`a${sequence}b`)).toBe('ab')
  })

  it('does not let an unfinished string hide the next line', () => {
    expect(clean(`a${esc}]0;hidden\nshown`)).toBe('a\r\nshown')
    expect(clean(`${esc}]0;${'x'.repeat(5000)}tail`)).toContain('tail')
  })

  it('spells out characters that reorder or hide text', () => {
    expect(clean('pass\u202Edekcah')).toBe('pass<U+202E>dekcah')
  })

  it('counts what it left out', () => {
    const safe = new SafeText()
    safe.push(`${esc}]0;x\u0007a${esc}[2Jb${esc}[0m`)
    expect(safe.dropped).toBe(2)
  })

  it('gives the same wherever the pieces are cut, and never a forbidden byte', () => {
    const part = fc.constantFrom(
      esc,
      '[',
      ']',
      '52;c;',
      '\u0007',
      '\\',
      'm',
      '0;1',
      'A',
      '\n',
      'text',
      '\u009d',
      '\u009c',
      '?',
      'P',
      'é',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), fc.nat(80), (parts, cut) => {
        const whole = parts.join('')
        const safe = new SafeText()
        const inPieces = safe.push(whole.slice(0, cut)) + safe.push(whole.slice(cut))
        expect(inPieces).toBe(clean(whole))
        expect(controls(inPieces)).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })
})

/** Control characters in `text` that are neither layout nor part of a permitted sequence. */
function controls(text: string): string[] {
  const sequence = new RegExp(`${esc}\\[(?:[0-9;:]*m|0?K)`, 'g')
  return Array.from(text.replaceAll(sequence, '').replaceAll(/[\t\r\n]/g, '')).filter(
    (char) => char < ' ' || (char >= '\u007f' && char <= '\u009f'),
  )
}
