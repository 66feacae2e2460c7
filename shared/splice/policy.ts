/**
 * What a body may not do, and why. The key is the reason code of the `tampered` grade. Everything here can be had honestly in some crate:
 * a reference body that itself does such a thing allows that very thing (that name, that macro, that attribute) to every body of its task.
 */
export const policy = {
  inner_attribute: 'An inner attribute (`#![…]`) speaks for more than the function.',
  attribute:
    'The attribute is not among those that only concern the body itself: others place code before main, export symbols or macros, or compile differently under test.',
  denied_path:
    'The name reaches the process, its arguments and environment, files, the network, the streams results are printed on, panic hooks or the running test’s name.',
  denied_macro:
    'The macro reads files or the environment at compile time, tells a test build from another, or writes machine code.',
  hidden_name:
    'Inside a macro’s tokens the name of a refused module stands where its use cannot be followed.',
  pasted_path: 'A local macro pastes paths together, so that no rule could see what they name.',
  renamed_root:
    'The standard library’s root, a module of which something is refused, or all their names at once are bound to other names.',
  non_local_impl:
    'An `impl` for a type and trait from outside the body holds in the whole crate, the tests included.',
  module: 'A module inside a body has another scope than it seems to have.',
  extern: '`extern` blocks, crates and functions reach code that no rule here can see.',
  unsafe: '`unsafe` code can reach everything; it is for tasks whose reference body needs it.',
  unsafe_power:
    'Turning numbers or unlike types into pointers, or unlike types into each other, makes anything reachable from `unsafe` code.',
  union: 'A union turns one type into another.',
  lifetime_hole:
    'A local function with several lifetimes taken as a function pointer is the known way to make dangling references in safe code.',
  reads_tests: 'The path names the tests’ own code.',
  touches_files: 'The method asks the file system.',
  forged_line: 'A text has the form of the test harness’s own result lines.',
  lying_type: 'A type behind the function’s `impl` return type answers the tests’ questions by itself.',
} as const

export type Rule = keyof typeof policy

/** One thing a body does against the policy. `key` says which thing, alike in a reference body; `at` is an offset into the block. */
export type Finding = { rule: Rule; key: string; at: number }

/** Attributes that concern nothing but the item or statement they stand on. */
export const allowedAttributes = new Set(
  `allow warn deny expect inline cold must_use derive rustfmt clippy doc non_exhaustive repr default deprecated automatically_derived
  rustfmt::skip`.split(/\s+/),
)

/** Derives that come with the standard library; a crate's own derive is a macro like any other. */
export const allowedDerives = new Set('Clone Copy Debug Default PartialEq Eq PartialOrd Ord Hash'.split(' '))

/** Names that give `unsafe` code more than reading and writing within what it was handed. */
export const powerNames = new Set(
  `transmute transmute_copy transmute_unchecked from_raw_parts from_raw_parts_mut from_raw with_exposed_provenance
  with_exposed_provenance_mut from_exposed_addr without_provenance read_volatile write_volatile cast cast_mut cast_const dlsym`.split(
    /\s+/,
  ),
)

/** Methods of `Path` that ask the file system. */
export const fileMethods = new Set(
  'exists try_exists metadata symlink_metadata canonicalize read_link read_dir is_file is_dir is_symlink'.split(
    ' ',
  ),
)

/** What a local type behind an `impl` return type may define: what an iterator must, and nothing a test compares by. */
export const plainMethods = new Set('next size_hint next_back len fmt poll call drop'.split(' '))

/** The harness's result and summary lines, as any text in a body may hold them. */
export const resultLine = /test result:|\btest \S.* \.\.\. (ok|FAILED|ignored)/
