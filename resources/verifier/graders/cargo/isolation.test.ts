import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findBubblewrap } from '../../sandbox/bubblewrap.ts'
import type { Verdict } from '../grader.ts'
import type { ProbedSlot } from './controls.ts'
import { changedSuite, demoRepository, gradeIn, openDemo, referenceOf } from './testing.ts'

/** Rust that says what it can see and do, as `name=value` lines in a panic. */
const look = `
    fn names(path: &str) -> String {
        let Ok(entries) = std::fs::read_dir(path) else { return "none".into() };
        let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names.join(" ")
    }
    fn outcome<T>(result: std::io::Result<T>) -> &'static str { if result.is_ok() { "yes" } else { "no" } }
    let mut variables: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
    variables.sort();
    let program = std::env::args().next().unwrap_or_default();
    let said = [
        ("root", names("/")),
        ("ringside", names("/ringside")),
        ("crate", names("/ringside/tree/ledger/src")),
        ("git", names("/ringside/tree/.git")),
        ("home", names("/root") + &names("/home")),
        ("etc", names("/etc")),
        ("deps", names("/ringside/target/debug/deps").split(' ').count().to_string()),
        ("variables", variables.join(" ")),
        ("reads its program", outcome(std::fs::read(&program)).into()),
        ("writes the tree", outcome(std::fs::write("/ringside/tree/x", "x")).into()),
        ("writes the target", outcome(std::fs::write("/ringside/target/x", "x")).into()),
        ("writes tmp", outcome(std::fs::write("/tmp/x", "x")).into()),
        ("starts a process", outcome(std::process::Command::new("/usr/bin/true").status()).into()),
        ("network", outcome(std::net::TcpStream::connect(("127.0.0.1", PORT))).into()),
        ("status", std::fs::read_to_string("/proc/self/status").unwrap_or_default().lines()
            .filter(|l| l.starts_with("CapEff") || l.starts_with("Uid")).collect::<Vec<_>>().join(" ").replace('\\t', " ")),
    ];
    let text: String = said.iter().map(|(name, value)| format!("LOOK {name}={value}\\n")).collect();
    panic!("{text}")
`

const lookOf = (verdict: Pick<Verdict, 'output'>): Record<string, string> => {
  const text = verdict.output.map((part) => part.text).join('\n')
  return Object.fromEntries([...text.matchAll(/LOOK ([^=\n]+)=(.*)/g)].map((match) => [match[1], match[2]]))
}

const skip = 'missing' in (await findBubblewrap())
const lateFee = () => changedSuite((tasks) => tasks.filter((task) => task.id === 'late-fee'))

test.skipIf(skip)(
  'a test sees its program, the files that are no sources, and a tmp of its own (needs bubblewrap)',
  {
    timeout: 300_000,
  },
  async () => {
    const { suite, remove } = lateFee()
    process.env.RINGSIDE_SECRET = 'secret'
    const open = await openDemo(1, { suite })
    const slot = open.slots[0] as ProbedSlot
    const body = `{ let _ = (amount, days); ${look.replace('PORT', '1')} }`
    const verdict = await slot.gradeUnchecked('late-fee', body, new AbortController().signal)
    await open.close()
    delete process.env.RINGSIDE_SECRET
    remove()
    expect(lookOf(verdict)).toEqual({
      root: 'bin dev etc lib lib64 ringside tmp usr',
      ringside: 'target tree',
      crate: '',
      git: 'none',
      home: 'nonenone',
      etc: 'ld.so.cache',
      deps: '1',
      variables: 'CARGO_MANIFEST_DIR CARGO_PKG_NAME HOME LANG PWD RUST_BACKTRACE TMPDIR',
      'reads its program': 'no',
      'writes the tree': 'no',
      'writes the target': 'no',
      'writes tmp': 'yes',
      'starts a process': 'no',
      network: 'no',
      status: '',
    })
  },
)

test.skipIf(skip)(
  'a build script sees the toolchain and its slot, without rights and network (needs bubblewrap)',
  {
    timeout: 300_000,
  },
  async () => {
    const { suite, remove } = lateFee()
    const {
      repo,
      commit,
      remove: removeRepo,
    } = demoRepository((folder) =>
      writeFileSync(`${folder}/ledger/build.rs`, `fn main() { ${look.replace('PORT', '1')} }\n`),
    )
    const open = await openDemo(1, { suite, repo, commit })
    const verdict = await gradeIn(open.slots[0], 'late-fee', referenceOf('late-fee'))
    await open.close()
    removeRepo()
    remove()
    const { variables, deps, ...seen } = lookOf(verdict)
    expect(verdict).toMatchObject({ status: 'unresolved', reason: 'reference_does_not_build' })
    expect(
      variables
        ?.split(' ')
        .filter(
          (name) => !/^(CARGO|RUST|LD_|DEBUG|HOST|NUM_JOBS|OPT_LEVEL|OUT_DIR|PROFILE|TARGET)/.test(name),
        ),
    ).toEqual(['HOME', 'LANG', 'PATH', 'PWD'])
    expect(seen).toEqual({
      root: 'bin dev etc lib lib64 proc ringside tmp usr',
      ringside: 'home target toolchain tree',
      crate: 'entry.rs lib.rs matrix.rs money.rs split.rs',
      git: 'none',
      home: 'nonenone',
      etc: 'alternatives ld.so.cache',
      'reads its program': 'yes',
      'writes the tree': 'no',
      'writes the target': 'yes',
      'writes tmp': 'yes',
      'starts a process': 'yes',
      network: 'no',
      status: 'Uid: 65534 65534 65534 65534 CapEff: 0000000000000000',
    })
  },
)
