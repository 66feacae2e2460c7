import { AppError } from '#shared/base/errors.ts'
import type { VerifierReach } from '#shared/domain/run.ts'
import type { Boxes } from '../../box/ssh/boxes.ts'
import { type BoxFacts, boxFacts } from '../../box/ssh/facts.ts'
import { judgeFacts } from '../../box/ssh/judge-facts.ts'
import type { SshLink } from '../../box/ssh/link.ts'
import { remoteModule } from '../../box/ssh/remote-module.ts'
import { lookAtGpus } from '../../telemetry/gpu/look.ts'
import type { TrainerModule } from '../../trainer/module.ts'
import type { OwnVerifier } from '../../verifier/own-verifier.ts'
import type { Suite } from '../suites.ts'
import { type Finding, failed, passed, warned } from './checks.ts'
import { gradeFromBox } from './reach-check.ts'

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

  /** Node there, which only the embedded trainer cannot do without. */
  node(needed: boolean): Finding {
    const found = this.judged('box_node')
    return needed || found.state !== 'failed' || !this.facts
      ? found
      : warned(found.detail, 'This run does without; files are followed more slowly.')
  }

  /** @param needed whether the run trains on a GPU. */
  async gpus(needed: boolean): Promise<Finding> {
    return this.facts
      ? lookAtGpus(this.link, needed)
      : failed('the box was not reached', 'Make the box reachable first.')
  }

  /** By a request from the box itself, over the way that the run would go. */
  async grade(
    verifier: Pick<OwnVerifier, 'client' | 'token'> | null,
    suite: Suite | null,
    reach: VerifierReach,
  ): Promise<Finding> {
    if (!this.facts) return failed('the box was not reached', 'Make the box reachable first.')
    if (!verifier || !suite) return failed('no verifier to ask', 'Make the verifier start first.')
    return gradeFromBox({ link: this.link, facts: this.facts.said, verifier, suite, reach })
  }
}
