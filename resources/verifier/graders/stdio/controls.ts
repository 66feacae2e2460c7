import type { Control } from '../grader.ts'
import { defaultLimits, type Language, type LoadedTask } from './tasks.ts'

/** Programs whose status is known whatever a task asks; none of them looks at its input. */
const programs: Record<
  Language,
  Record<'fails' | 'constant' | 'spins' | 'floods' | 'reads' | 'starts' | 'broken', string>
> = {
  python: {
    fails: 'raise SystemExit(1)\n',
    constant: 'print("a constant")\n',
    spins: 'while True:\n    pass\n',
    floods: 'while True:\n    print("flood " * 10000)\n',
    reads:
      'import os\nfor folder, _, names in os.walk("/"):\n    for name in names:\n        if name.endswith(".jsonl"):\n            print(open(os.path.join(folder, name)).read())\n',
    starts:
      'import subprocess\nprint(subprocess.run(["/bin/sh", "-c", "echo started"], capture_output=True).stdout)\n',
    broken: 'def main(:\n',
  },
  javascript: {
    fails: 'process.exit(1)\n',
    constant: 'console.log("a constant")\n',
    spins: 'for (;;) {}\n',
    floods: 'const { writeSync } = require("node:fs")\nfor (;;) writeSync(1, "flood ".repeat(10000))\n',
    reads:
      'const fs = require("node:fs")\nconst walk = (folder) => { let names = []; try { names = fs.readdirSync(folder, { withFileTypes: true }) } catch {}\n  for (const n of names) { const p = folder + "/" + n.name; if (n.isDirectory()) walk(p); else if (n.name.endsWith(".jsonl")) console.log(fs.readFileSync(p, "utf8")) } }\nwalk("")\n',
    starts:
      'console.log(require("node:child_process").execFileSync("/bin/sh", ["-c", "echo started"]).toString())\n',
    broken: 'function (\n',
  },
  c: {
    fails: 'int main(void) { return 1; }\n',
    constant: '#include <stdio.h>\nint main(void) { puts("a constant"); return 0; }\n',
    spins: 'int main(void) { volatile int x = 1; while (x) {} return 0; }\n',
    floods:
      '#include <stdio.h>\nint main(void) { for (;;) puts("flood flood flood flood flood flood flood"); }\n',
    reads:
      '#include <stdio.h>\nint main(void) { FILE *f = fopen("/etc/passwd", "r"); if (f) { int c; while ((c = fgetc(f)) != EOF) putchar(c); } return 0; }\n',
    starts: '#include <stdlib.h>\nint main(void) { return system("echo started"); }\n',
    broken: 'int main(void) { return\n',
  },
  cpp: {
    fails: 'int main() { return 1; }\n',
    constant: '#include <iostream>\nint main() { std::cout << "a constant\\n"; }\n',
    spins: 'int main() { volatile int x = 1; while (x) {} }\n',
    floods:
      '#include <iostream>\nint main() { for (;;) std::cout << "flood flood flood flood flood flood\\n"; }\n',
    reads:
      '#include <fstream>\n#include <iostream>\nint main() { std::ifstream f("/etc/passwd"); std::cout << f.rdbuf(); }\n',
    starts: '#include <cstdlib>\nint main() { return std::system("echo started"); }\n',
    broken: 'int main() { return\n',
  },
  rust: {
    fails: 'fn main() { std::process::exit(1) }\n',
    constant: 'fn main() { println!("a constant") }\n',
    spins: 'fn main() { loop { std::hint::spin_loop() } }\n',
    floods: 'fn main() { loop { println!("{}", "flood ".repeat(10000)) } }\n',
    reads: 'fn main() { print!("{}", std::fs::read_to_string("/etc/passwd").unwrap_or_default()) }\n',
    starts:
      'fn main() { println!("{:?}", std::process::Command::new("/bin/sh").arg("-c").arg("echo started").output()) }\n',
    broken: 'fn main( {\n',
  },
}

/** A program that must pass wherever the language's toolchain works at all, with its task. */
export function knownProgram(language: Language): [task: LoadedTask, body: string] {
  const output = 'a constant'
  const cases = [{ id: 'known', input: '', expected: output, written: output }]
  const words = { id: 'known', prompt: '', signature: '', mode: 'program', reference: null } as const
  return [
    { ...words, language, limits: { ...defaultLimits, wallMs: 60_000 }, cases },
    programs[language].constant,
  ]
}

/** The self-test of this grader on one task; `reads` passes only where the expected outputs can be found from inside. */
export function stdioControls(task: LoadedTask): Control[] {
  const correct: Control[] =
    task.reference === null ? [] : [{ name: 'correct', expected: ['passed'], body: task.reference }]
  if (task.language === null) return [...correct, ...answerControls(task)]
  const { fails, constant, spins, floods, reads, starts, broken } = programs[task.language]
  return [
    ...correct,
    { name: 'empty', expected: ['test_failed', 'build_failed'], body: '' },
    { name: 'does_not_parse', expected: ['build_failed'], body: broken },
    { name: 'compiles_and_fails', expected: ['test_failed'], body: fails },
    { name: 'constant', expected: ['test_failed'], body: constant },
    { name: 'echoes_expected', expected: ['test_failed'], body: echo(task) },
    { name: 'never_ends', expected: ['timed_out'], body: spins },
    { name: 'floods_output', expected: ['test_failed'], reasons: ['output_limit'], body: floods },
    { name: 'reads_outside', expected: ['test_failed', 'timed_out'], body: reads },
    { name: 'starts_program', expected: ['test_failed'], body: starts },
  ]
}

/** Prints what the first case expects, with a word more: white space at the end is passed over, nothing else is. */
function echo({ cases, language }: LoadedTask): string {
  const text = JSON.stringify(`${cases[0]?.expected ?? ''} and more`).replaceAll(/[^ -~]/g, '?')
  const ascii = text.replaceAll('\\u', '\\\\u')
  if (language === 'python') return `print(${ascii})\n`
  if (language === 'javascript') return `console.log(${ascii})\n`
  const escaped = ascii.slice(1, -1)
  if (language === 'rust') return `fn main() { print!("{}", "${escaped}") }\n`
  return `#include <stdio.h>\nint main(void) { fputs("${escaped}", stdout); return 0; }\n`
}

const answerControls = (task: LoadedTask): Control[] => [
  { name: 'empty', expected: ['test_failed'], body: '' },
  { name: 'constant', expected: ['test_failed'], body: 'a constant that answers nothing' },
  { name: 'echoes_expected', expected: ['test_failed'], body: `${task.cases[0]?.written} or something else` },
  { name: 'echoes_prompt', expected: ['test_failed'], body: task.prompt },
  {
    name: 'all_numbers',
    expected: ['test_failed'],
    body: Array.from({ length: 1000 }, (_, n) => n).join(', '),
  },
]
