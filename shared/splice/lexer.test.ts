import { expect, test } from 'vitest'
import { isLexError, lex } from './lexer.ts'

const words = (source: string, options?: { rawCStrings?: boolean }) => {
  const tokens = lex(source, options)
  return isLexError(tokens) ? `error: ${tokens.message}` : tokens.map(({ kind, text }) => `${kind} ${text}`)
}

test('tells code from everything that only looks like it', () => {
  const cases: Record<string, string[] | string> = {
    "'a' 'b: '\\'' '\\u{7d}' b'}' '{' '\"'": [
      "char 'a'",
      "lifetime 'b",
      'punct :',
      "char '\\''",
      "char '\\u{7d}'",
      "char b'}'",
      "char '{'",
      "char '\"'",
    ],
    'r"\\" r#"a"b"# br##"}"#"## b"\\"}" c"{"': [
      'string r"\\"',
      'string r#"a"b"#',
      'string br##"}"#"##',
      'string b"\\"}"',
      'string c"{"',
    ],
    'a /* { /* } */ { */ b // } \n c': ['ident a', 'ident b', 'ident c'],
    'r#process::exit \u212aey': ['ident process', 'punct :', 'punct :', 'ident exit', 'ident Key'],
    '1..2 1.5e-3 0x1e+2 x.0.1 1.max(2)': [
      'number 1',
      'punct .',
      'punct .',
      'number 2',
      'number 1.5e-3',
      'number 0x1e',
      'punct +',
      'number 2',
      'ident x',
      'punct .',
      'number 0.1',
      'number 1',
      'punct .',
      'ident max',
      'open (',
      'number 2',
      'close )',
    ],
    'größe \'日\' "🦀}"': ['ident größe', "char '日'", 'string "🦀}"'],
    'a /* b /* c */': 'error: a block comment is not closed',
    '"a\\"': 'error: a string is not closed',
    'r##"a"#': 'error: a raw string is not closed',
    '🦀': 'error: the character "🦀" cannot stand here',
  }
  const got = Object.fromEntries(Object.keys(cases).map((source) => [source, words(source)]))
  expect(got).toEqual(cases)
})

test('a raw C string is one literal from the 2021 edition on, and a string with escapes before', () => {
  const source = 'cr#"\\"#'
  expect(words(source)).toEqual(['string cr#"\\"#'])
  expect(words(source, { rawCStrings: false })).toBe('error: a string is not closed')
})

test('a raw identifier before a quote begins no raw string', () => {
  expect(words('r#r"\\"}"')).toEqual(['ident r', 'string "\\"}"'])
})
