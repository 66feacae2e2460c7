export type Language = 'python' | 'rust'

/** How one language spells what the mutation operators look for: node types of its tree-sitter grammar, and replacement text. */
export type Dialect = {
  /** Subtrees that hold no behaviour of the body: comments, text, types, imports. */
  opaque: ReadonlySet<string>
  /** Node types whose operator token may be exchanged, and by what. */
  operatorNodes: ReadonlySet<string>
  operators: Readonly<Record<string, readonly string[]>>
  integer: string
  booleans: Readonly<Record<string, string>>
  conditionals: ReadonlySet<string>
  loops: ReadonlySet<string>
  block: string
  /** Statements that may be dropped or change places, with what stands in for a dropped one. */
  statements: ReadonlySet<string>
  blank: string
  returns: ReadonlySet<string>
  returnValues: readonly string[]
  negate: (condition: string) => string
  breakLoop: (indent: string) => string
  always: readonly [string, string]
  callArguments: string
  tuples: ReadonlySet<string>
  /** Names of functions that stand for each other or for nothing. */
  names: Readonly<Record<string, readonly string[]>>
  identifiers: ReadonlySet<string>
  /** Nodes whose last value is an exclusive or inclusive bound. */
  bounds: ReadonlySet<string>
}

const comparisons = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '==': ['!='],
  '!=': ['=='],
}
const arithmetic = {
  '+': ['-'],
  '-': ['+'],
  '*': ['+'],
  '%': ['*'],
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['+='],
}

const python: Dialect = {
  opaque: new Set(['comment', 'string', 'type', 'import_statement', 'import_from_statement']),
  operatorNodes: new Set([
    'comparison_operator',
    'binary_operator',
    'boolean_operator',
    'augmented_assignment',
  ]),
  operators: {
    ...comparisons,
    ...arithmetic,
    '//': ['*'],
    '/': ['*'],
    and: ['or'],
    or: ['and'],
    in: ['not in'],
  },
  integer: 'integer',
  booleans: { true: 'False', false: 'True' },
  conditionals: new Set(['if_statement', 'elif_clause', 'while_statement']),
  loops: new Set(['for_statement', 'while_statement']),
  block: 'block',
  statements: new Set([
    'expression_statement',
    'if_statement',
    'for_statement',
    'while_statement',
    'return_statement',
    'continue_statement',
    'break_statement',
    'delete_statement',
  ]),
  blank: 'pass',
  returns: new Set(['return_statement']),
  returnValues: ['None', '0', '1'],
  negate: (condition) => `not (${condition})`,
  breakLoop: (indent) => `\n${indent}break`,
  always: ['True', 'False'],
  callArguments: 'argument_list',
  tuples: new Set(['tuple']),
  names: { max: ['min'], min: ['max'], sorted: ['list'], any: ['all'], all: ['any'] },
  identifiers: new Set(['identifier']),
  bounds: new Set(['slice']),
}

const rust: Dialect = {
  opaque: new Set([
    'line_comment',
    'block_comment',
    'string_literal',
    'raw_string_literal',
    'char_literal',
    'primitive_type',
    'type_arguments',
    'generic_type',
    'use_declaration',
    'attribute_item',
  ]),
  operatorNodes: new Set(['binary_expression', 'compound_assignment_expr', 'range_expression']),
  operators: {
    ...comparisons,
    ...arithmetic,
    '/': ['*'],
    '/=': ['*='],
    '&&': ['||'],
    '||': ['&&'],
    '&': ['|'],
    '|': ['&'],
    '<<': ['>>'],
    '>>': ['<<'],
    '..': ['..='],
    '..=': ['..'],
  },
  integer: 'integer_literal',
  booleans: { true: 'false', false: 'true' },
  conditionals: new Set(['if_expression', 'while_expression']),
  loops: new Set(['for_expression', 'while_expression', 'loop_expression']),
  block: 'block',
  statements: new Set(['expression_statement']),
  blank: '();',
  returns: new Set(['return_expression']),
  returnValues: ['Default::default()'],
  negate: (condition) => `!(${condition})`,
  breakLoop: () => ' break; ',
  always: ['true', 'false'],
  callArguments: 'arguments',
  tuples: new Set(['tuple_expression']),
  names: {
    max: ['min'],
    min: ['max'],
    any: ['all'],
    all: ['any'],
    first: ['last'],
    last: ['first'],
    saturating_sub: ['wrapping_sub'],
    saturating_add: ['wrapping_add'],
    is_some: ['is_none'],
    is_none: ['is_some'],
    is_empty: [],
  },
  identifiers: new Set(['identifier', 'field_identifier']),
  bounds: new Set(['range_expression']),
}

export const dialects: Record<Language, Dialect> = { python, rust }
