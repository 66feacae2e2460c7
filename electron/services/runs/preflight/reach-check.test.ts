import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { boxFacts } from '../../box/ssh/facts.ts'
import { hasSshd, testNet } from '../../box/ssh/testing.ts'
import { programs } from '../../core/programs.ts'
import { LeaseLedger } from '../../leases/ledger.ts'
import { startOwnVerifier } from '../../verifier/own-verifier.ts'
import { loadSuite } from '../suites.ts'
import { gradeFromBox } from './reach-check.ts'

// The hosts file of the box, which is this machine, is looked at as who may write it: root.
test.skipIf(!hasSshd || process.getuid?.() !== 0)(
  'a body is graded by a request from the box itself, by Node or Python, over each way; what stands in the way is said',
  { timeout: 120_000 },
  async () => {
    const net = await testNet()
    const server = await net.server('box')
    net.known(server.knownHosts)
    net.configure(net.host('box', server))
    const boxes = await net.boxes()
    const { id } = await boxes.add('box')
    const link = boxes.link(id)
    const ledger = await LeaseLedger.open(join(net.folder, 'leases.jsonl'), () => new Date())
    onTestFinished(() => ledger.close())
    const path = join(programs.demo, 'booking/weak')
    const verifier = await startOwnVerifier({
      ledger,
      scratch: join(net.folder, 'scratch'),
      suite: path,
      workers: 1,
      run: null,
      purpose: 'a test',
      env: process.env,
    })
    onTestFinished(() => verifier.dispose())
    const suite = await loadSuite(path)
    const facts = await boxFacts(link)
    const common = { link, facts, verifier, suite, reach: { kind: 'tunnel' as const } }
    const mesh = (name: string, address: string) => ({ kind: 'mesh' as const, name, address })
    const findings = [
      await gradeFromBox(common),
      await gradeFromBox({ ...common, facts: { ...facts, node: null } }),
      await gradeFromBox({ ...common, facts: { ...facts, node: null, python: null } }),
      await gradeFromBox({ ...common, verifier: { ...verifier, token: 'not the token that it has' } }),
      await gradeFromBox({ ...common, reach: mesh('verifier.mesh', '127.0.0.1') }),
      await gradeFromBox({ ...common, reach: mesh('localhost', '10.9.8.7') }),
      await gradeFromBox({ ...common, reach: mesh('verifier.mesh', '203.0.113.9') }),
    ]
    const passes = 'passed: the reference body of required-capacity, sent from the box, passes'
    expect(findings.map(({ state, detail }) => `${state}: ${detail}`)).toEqual([
      passes,
      passes,
      'failed: there is nothing on the box to ask with',
      expect.stringMatching(/^failed: the box got .*bearer token is missing or wrong/),
      passes,
      expect.stringMatching(/^failed: localhost stands for \S+ in line \d+ of \/etc\/hosts there$/),
      'failed: 203.0.113.9 is no address of this machine',
    ])
  },
)
