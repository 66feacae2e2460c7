import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import { GradeLine } from '#shared/domain/grade.ts'
import type { Boxes } from '../../box/ssh/boxes.ts'
import { type BoxFacts, boxFacts } from '../../box/ssh/facts.ts'
import { judgeFacts } from '../../box/ssh/judge-facts.ts'
import type { SshLink } from '../../box/ssh/link.ts'
import { shCommand } from '../../box/ssh/remote.ts'
import { remoteModule } from '../../box/ssh/remote-module.ts'
import { lookAtGpus } from '../../telemetry/gpu/look.ts'
import type { TrainerModule } from '../../trainer/module.ts'
import type { OwnVerifier } from '../../verifier/own-verifier.ts'
import type { Suite } from '../suites.ts'
import { type Finding, failed, passed } from './checks.ts'

/**
 * Asks one grade of the verifier from the box itself, with what every box of ours has. `$1` is Node, `$2` the address; the token and the request come
 * on stdin: what is among a program's arguments can be read by every user of the box.
 */
const askScript = [
  'const { token, request } = JSON.parse(require("node:fs").readFileSync(0, "utf8"))',
  'const headers = { "content-type": "application/json", authorization: "Bearer " + token }',
  'fetch(process.argv[1] + "/v1/grade", { method: "POST", headers, body: JSON.stringify(request), signal: AbortSignal.timeout(60000) })',
  '.then((reply) => reply.text()).then((said) => console.log(said), (failure) => { console.error(String(failure.cause || failure)); process.exit(3) })',
]
  .join('; ')
  .replace('; .then', '.then')

/** The checks on a box behind SSH, over its one link. */
export class BoxBench {
  private readonly boxes: Boxes
  private readonly box: string
  private readonly link: SshLink
  private facts: { said: BoxFacts; atMs: number } | null = null

  constructor(boxes: Boxes, named: string) {
    this.boxes = boxes
    this.box = boxes.find(named).id
    this.link = boxes.link(this.box)
  }

  async reach(): Promise<Finding> {
    if (this.link.state.state !== 'ready') await this.link.reconnect()
    const began = Date.now()
    const said = await boxFacts(this.link)
    const ended = Date.now()
    this.facts = { said, atMs: (began + ended) / 2 }
    await this.boxes.root(this.box)
    return passed(
      `${this.link.name} answers in ${ended - began} ms: ${said.system}${said.root ? ', as root' : ''}`,
    )
  }

  /** Runs modules of the pipeline's trainer there; null where the box was not reached. */
  module(): TrainerModule | null {
    return this.facts ? remoteModule(this.link, () => this.boxes.root(this.box)) : null
  }

  /** One of the checks of `judgeFacts`, by its name. */
  judged(check: string): Finding {
    if (!this.facts) return failed('the box was not reached', 'Make the box reachable first.')
    const found = judgeFacts(this.facts.said, this.facts.atMs).find((one) => one.check === check)
    if (!found) throw new AppError('internal', `There is no check ${check}.`)
    return found.finding
  }

  /** @param needed whether the run trains on a GPU. */
  async gpus(needed: boolean): Promise<Finding> {
    return this.facts
      ? lookAtGpus(this.link, needed)
      : failed('the box was not reached', 'Make the box reachable first.')
  }

  /** Through a tunnel of its own, closed afterwards: the suite's reference body is graded by a request from the box itself. */
  async grade(verifier: Pick<OwnVerifier, 'client' | 'token'> | null, suite: Suite | null): Promise<Finding> {
    const node = this.facts?.said.node
    const remedy =
      'Allow remote forwarding for this user on the box (AllowTcpForwarding), and look at its firewall.'
    if (!this.facts || !node) return failed('there is nothing on the box to ask with', 'Install Node there.')
    const task = suite?.tasks.find((one) => one.reference !== null)
    if (!verifier || !suite || !task?.reference)
      return failed('no verifier to ask', 'Make the verifier start first.')
    const body = await readFile(join(suite.path, task.reference), 'utf8')
    const here = Number(new URL(verifier.client.url).port)
    const port = await this.link.openTunnel(0, async () => here)
    try {
      const item = { id: 'preflight/reference', task: task.id, body }
      const { code, stdout, stderr } = await this.link.exec(
        shCommand('exec "$1" -e "$2" "$3"', [node.path, askScript, `http://127.0.0.1:${port}`]),
        {
          input: JSON.stringify({
            token: verifier.token,
            request: { run: 'preflight-box', items: [item] },
          }),
          limitMs: 90_000,
        },
      )
      if (code !== 0)
        return failed(`the box does not reach the verifier: ${stderr.trim().split('\n').at(-1)}`, remedy)
      const line = GradeLine.safeParse(JSON.parse(stdout.toString().split('\n')[0] ?? ''))
      if (!line.success) return failed(`the box got ${stdout.toString().slice(0, 120)}`, remedy)
      return line.data.status === 'passed'
        ? passed(`the reference body of ${task.id}, sent from the box, passes`)
        : failed(
            `the reference body of ${task.id}, sent from the box, is ${line.data.status}`,
            'See the controls.',
          )
    } finally {
      await this.link.closeTunnel(port)
    }
  }
}
