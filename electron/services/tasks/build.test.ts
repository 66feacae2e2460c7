import { execFileSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultThresholds } from '#shared/tasks/rules.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { LeaseLedger } from '../leases/ledger.ts'
import { loadSuite } from '../runs/suites.ts'
import { type BuildRequest, buildTasks } from './build.ts'
import { exportCode } from './export-code.ts'
import { markTasks } from './mark.ts'

const library = `/// Joins spans that touch.
pub fn merge(mut spans: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    spans.sort();
    let mut out: Vec<(i64, i64)> = Vec::new();
    for (from, to) in spans {
        if let Some(last) = out.last_mut() {
            if last.1 >= from {
                last.1 = last.1.max(to); // grows
                continue;
            }
        }
        if from < to {
            out.push((from, to));
        }
    }
    out
}

pub fn longest(words: &[&str]) -> usize {
    let mut best = 0;
    for word in words {
        let count = word.chars().count();
        if count > best {
            best = count;
        }
    }
    let seen = words.len();
    let limit = seen * 100;
    if best > limit {
        best = limit;
    }
    best
}

pub fn spread(values: &[i64]) -> i64 {
    let mut low = i64::MAX;
    let mut high = i64::MIN;
    for value in values {
        if *value < low {
            low = *value;
        }
        if *value > high {
            high = *value;
        }
    }
    if values.is_empty() {
        return 0;
    }
    high - low
}

pub fn twice(x: i64) -> i64 {
    x * 2
}

pub fn unseen(x: i64) -> i64 {
    x + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn joins() {
        assert_eq!(merge(vec![(5, 9), (1, 2), (2, 4)]), vec![(1, 4), (5, 9)]);
    }
    #[test]
    fn nothing_is_longest() {
        assert_eq!(longest(&[]), 0);
    }
    #[test]
    fn doubles() {
        assert_eq!(twice(2), 4);
        assert_eq!(spread(&[3, 9, 4]), 6);
    }
}
`

async function repository(): Promise<string> {
  const repo = join(await tempFolder(), 'small')
  await mkdir(join(repo, 'src'), { recursive: true })
  await writeFile(
    join(repo, 'Cargo.toml'),
    '[package]\nname = "small"\nversion = "0.1.0"\nedition = "2021"\n',
  )
  await writeFile(join(repo, 'src/lib.rs'), library)
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repo, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args])
  git('init', '-q')
  git('add', '-A')
  git('commit', '-q', '-m', 'one')
  return repo
}

test('from a repository to a suite: every function is a task or dropped by its own rule', {
  timeout: 600_000,
}, async () => {
  const folder = await tempFolder()
  const repo = await repository()
  const start = library.indexOf('pub fn spread')
  const copy = library.slice(start, library.indexOf('pub fn twice')).replaceAll(/\s+/g, ' ')
  await writeFile(join(folder, 'corpus.jsonl'), `${JSON.stringify({ text: copy })}\n`)
  const ledger = await LeaseLedger.open(join(folder, 'leases.jsonl'), () => new Date())
  const deps = { ledger, scratch: join(folder, 'scratch'), env: process.env }
  const out = join(folder, 'suite')
  const request: BuildRequest = {
    ...{ repo, commit: 'HEAD', manifest: 'Cargo.toml', out, name: 'small', from: null, tests: 'withheld' },
    ...{ corpus: [join(folder, 'corpus.jsonl')], tokenizer: null, model: null, limits: defaultThresholds },
  }
  const report = await buildTasks(request, deps)
  expect(report.dropped.map(({ task, reason }) => [task, reason])).toEqual([
    ['small-twice', 'short_body'],
    ['small-unseen', 'no_test_calls_it'],
    ['small-spread', 'contaminated'],
    ['small-longest', 'constant_body_passes'],
  ])
  expect([report.found, report.kept, report.controls['small-merge']?.every(({ holds }) => holds)]).toEqual([
    5,
    1,
    true,
  ])
  const [task] = (await loadSuite(out)).tasks
  const { prompt = '' } = task ?? {}
  expect([task?.measured?.buildMs, task?.measured?.testMs].map((ms) => typeof ms)).toEqual([
    'number',
    'number',
  ])
  expect([
    prompt.includes('pub fn merge'),
    prompt.includes('last_mut'),
    prompt.includes('assert_eq!'),
  ]).toEqual([true, false, false])

  const code = join(folder, 'code.jsonl')
  const exported = await exportCode(
    { repo, commit: 'HEAD', manifest: 'Cargo.toml', suites: [out], out: code },
    deps,
  )
  expect([exported.stripped, exported.left, (await readFile(code, 'utf8')).includes('last_mut')]).toEqual([
    1,
    [],
    false,
  ])

  const marking = { repo, commit: 'HEAD', manifest: 'Cargo.toml', limits: defaultThresholds }
  const shown = await markTasks({ ...marking, write: false }, deps)
  expect(await readFile(join(repo, 'src/lib.rs'), 'utf8')).toBe(library)
  expect(shown.proposed.map((one) => one.task)).toEqual(['small-merge', 'small-longest', 'small-spread'])
  await writeFile(join(folder, 'marks.diff'), shown.diff)
  execFileSync('git', ['-C', repo, 'apply', '--check', join(folder, 'marks.diff')])
  await markTasks({ ...marking, write: true }, deps)
  execFileSync('git', ['-C', repo, 'apply', '--check', '--reverse', join(folder, 'marks.diff')])
  await expect(markTasks({ ...marking, write: true }, deps)).rejects.toThrow(/is not as the commit has it/)
  await ledger.close()
})
