import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import type { OpenCore } from '#services/core/core.ts'
import { AppError } from '#shared/base/errors.ts'
import type { BoxTest } from '#shared/domain/box.ts'
import { print, printJson, table } from '../output.ts'
import { withCore } from '../with-core.ts'

type Json = { json?: true }

export function addBoxes(program: Command): void {
  const boxes = program.command('boxes').description('machines behind SSH that runs can train on')
  boxes
    .command('list')
    .description('all boxes, and what they hold')
    .option('--json', 'print a JSON array')
    .action(list)
  boxes
    .command('add <target>')
    .description('add a box: an alias of the SSH configuration, or user@host:port')
    .option('--name <name>', 'what to call it')
    .option('--json', 'print the box')
    .action(add)
  boxes
    .command('test <box>')
    .description('connect and look around; the step that fails is named with its remedy')
    .option(
      '--trust <fingerprint>',
      'trust the key with exactly this fingerprint where the box asks about it',
    )
    .option('--json', 'print {box, ok, steps}')
    .action(test)
  boxes
    .command('pin <box> <name> <address>')
    .description('pin a name to an address in the hosts file of the box; refused where it stands for another')
    .action(pin)
  boxes
    .command('unpin <box> <name>')
    .description('take a pinned name away again, and look whether it is gone')
    .action(unpin)
  boxes.command('remove <box>').description('forget a box that holds nothing').action(remove)
}

async function list({ json }: Json): Promise<void> {
  const boxes = await withCore((core) => Promise.resolve(core.handlers['boxes.list']({})))
  if (json) printJson(boxes)
  else if (boxes.length === 0) print('No box yet: ringside boxes add TARGET.')
  else
    print(
      table(
        ['box', 'target', 'runs there', 'name'],
        boxes.map(({ id, target, runs, name }) => [id, target, runs.join(' ') || '–', name]),
      ),
    )
}

async function add(target: string, { name, json }: Json & { name?: string }): Promise<void> {
  const box = await withCore((core) =>
    Promise.resolve(core.handlers['boxes.add']({ target, ...(name !== undefined && { name }) })),
  )
  if (json) printJson(box)
  else print(`${box.id} added; ringside boxes test ${box.id} connects to it.`)
}

async function test(named: string, options: Json & { trust?: string }): Promise<void> {
  const report = await withCore((core) => testAndAnswer(core, named, options))
  if (options.json) printJson(report)
  else print(testInWords(report))
  const failure = report.steps.find((step) => step.state === 'failed')
  if (failure)
    throw new AppError(
      'preflight_failed',
      `${failure.step}: ${failure.detail}`,
      failure.remedy ? { hint: failure.remedy } : {},
    )
}

async function remove(named: string): Promise<void> {
  await withCore((core) => Promise.resolve(core.handlers['boxes.remove']({ box: named })))
  print(`${named} is forgotten.`)
}

const pinLease = (box: string, name: string) => `pin/${box}/${name.toLowerCase()}`

async function pin(named: string, name: string, address: string): Promise<void> {
  const state = await withCore(async ({ parts }) => {
    const { pinHost } = await import('#services/box/ssh/hosts-pin.ts')
    const box = parts.boxes.find(named).id
    const request = { lease: pinLease(box, name), run: null, box, name, address }
    return pinHost(parts.boxes.link(box), parts.ledger, request)
  })
  print(
    state === 'added' ? `${name} is ${address} on ${named}.` : `${name} was ${address} on ${named} already.`,
  )
}

async function unpin(named: string, name: string): Promise<void> {
  const proof = await withCore(async ({ parts }) => {
    const id = pinLease(parts.boxes.find(named).id, name)
    const lease = parts.ledger.all().find((one) => one.id === id && one.state !== 'released')
    if (!lease) throw new AppError('not_found', `${name} was not pinned on ${named} by this console.`)
    const released = await parts.remote.release(lease)
    if (!released.gone) throw new AppError('leaked', `${lease.label} is left: ${released.why}.`)
    await parts.ledger.release(id, released.proof)
    return released.proof
  })
  print(proof)
}

/** Tests, answers what the box asks (by `--trust`, else by the person at the terminal), and tests again. */
async function testAndAnswer(
  core: OpenCore,
  named: string,
  { trust, json }: Json & { trust?: string },
): Promise<BoxTest> {
  const box = core.parts.boxes.find(named).id
  for (;;) {
    const report = await core.handlers['boxes.test']({ box })
    const { hostKey } = core.parts.boxes.link(box).state
    if (report.ok || !hostKey) return report
    const trusted = trust === undefined ? !json && (await askTrust(report)) : trust === hostKey.fingerprint
    if (!trusted) return report
    // A jump before the box may ask first; the next one is asked about in turn.
    await core.parts.boxes.trust(box, hostKey.fingerprint).catch(() => undefined)
  }
}

async function askTrust(report: BoxTest): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const said = await lines.question(`${report.steps.at(-1)?.detail} Trust it? Type yes: `)
  lines.close()
  return said.trim() === 'yes'
}

const signs = { passed: '✓', warned: '!', failed: '✗' } as const

const testInWords = ({ steps }: BoxTest): string =>
  steps
    .map(
      ({ step, state, detail, ms }) =>
        `  ${signs[state]} ${step}${detail === '' ? '' : `: ${detail}`}${ms > 0 ? ` (${ms} ms)` : ''}`,
    )
    .join('\n')
