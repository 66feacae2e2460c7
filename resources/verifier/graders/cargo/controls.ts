import type { Control, Slot, Verdict } from '../grader.ts'

/** A slot that can also grade without the rules on a body's text, to show that the proof from the run holds alone. */
export type ProbedSlot = Slot & {
  gradeUnchecked(task: string, body: string, signal: AbortSignal): Promise<Verdict>
}

const fails = 'panic!("a control that fails")'
const printsAndExits = `
    use ::std::io::Write;
    let name = ::std::env::args().find(|text| text.contains("::")).unwrap_or_default();
    let mut out = ::std::io::stdout();
    let _ = writeln!(out, "test {name} ... ok\\n\\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n");
    let _ = out.flush();
    ::std::process::exit(0)
`

/**
 * The grader's self-tests on one task, for any function: none of the bodies needs to know what it returns. Where the return type is hidden
 * behind `impl`, a body that only diverges does not compile; there the reference body stands behind it and says the type.
 */
export function controlsFor(task: string, reference: string, returnsImpl: boolean): Control[] {
  const body = (diverging: string) =>
    returnsImpl ? `{ if ::core::hint::black_box(true) { ${diverging} } ${reference} }` : `{ ${diverging} }`
  const unchecked = (body: string) => (slots: Slot[], signal: AbortSignal) =>
    first(slots).gradeUnchecked(task, body, signal)
  return [
    { name: 'correct', expected: ['passed'], body: reference },
    { name: 'empty', expected: ['build_failed', 'test_failed'], body: '{}' },
    { name: 'compiles_and_fails', expected: ['test_failed'], body: body(fails) },
    {
      name: 'constant',
      expected: ['test_failed', 'build_failed'],
      body: '{ ::core::default::Default::default() }',
    },
    {
      name: 'exits_early',
      expected: ['tampered'],
      reasons: ['denied_path', 'exited_early'],
      body: body('::std::process::exit(0)'),
    },
    {
      name: 'exits_early_unseen',
      expected: ['tampered', 'build_failed'],
      reasons: ['exited_early', 'compile_error'],
      probe: unchecked(body('::std::process::exit(0)')),
    },
    { name: 'prints_passing_line', expected: ['tampered'], body: body(printsAndExits) },
    {
      name: 'prints_passing_line_unseen',
      expected: ['tampered', 'build_failed'],
      reasons: ['exited_early', 'forged_output', 'canary_silent', 'compile_error'],
      probe: unchecked(body(printsAndExits)),
    },
    {
      name: 'leaves_function',
      expected: ['tampered'],
      reasons: ['leaves_function'],
      body: 'panic!() }\n\nfn ringside_outside() {',
    },
    { name: 'never_ends', expected: ['timed_out'], body: body('loop { ::core::hint::spin_loop() }') },
    {
      name: 'floods_output',
      expected: ['test_failed', 'timed_out', 'build_failed'],
      body: body('loop { ::std::println!("{}", "flood ".repeat(100_000)) }'),
    },
    {
      name: 'stale_sibling_build',
      expected: ['test_failed'],
      probe: staleSibling(task, reference, body(fails)),
    },
  ]
}

function first(slots: Slot[]): ProbedSlot {
  const [slot] = slots
  if (!slot || !('gradeUnchecked' in slot))
    throw new TypeError('controls of cargo suites need a slot of its own')
  return slot as ProbedSlot
}

/** A right body built beside, before and after a wrong one: the wrong one's verdict, or the right one's where that is not `passed`. */
function staleSibling(task: string, reference: string, failing: string) {
  return async (slots: Slot[], signal: AbortSignal): Promise<Verdict> => {
    const grade = (slot: Slot, body: string) => slot.grade({ task, body, bodySha256: '', signal })
    const own = first(slots)
    const other = slots[1] ?? own
    const rounds = [
      [own, other],
      [other, own],
    ] as const
    let last: Verdict | null = null
    for (const [a, b] of rounds) {
      const [wrong, right] = await Promise.all([grade(a, failing), grade(b, reference)])
      if (wrong.status !== 'test_failed') return wrong
      if (right.status !== 'passed') return { ...right, status: 'unresolved', reason: 'reference_fails' }
      last = wrong
    }
    return last ?? (await grade(own, failing))
  }
}
