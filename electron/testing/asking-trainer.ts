/**
 * The smallest trainer that asks the run's verifier: `node asking-trainer.ts ANSWERS.json`, run by `command.sh` with a journal of its own. ANSWERS.json is
 * `{task, completions}`; each completion becomes a rollout of the one group of step 1.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

type Answers = { task: string; completions: string[] }

const {
  RINGSIDE_RUN_FOLDER: folder = '',
  RINGSIDE_VERIFIER: url,
  RINGSIDE_TOKEN_FILE: tokenFile = '',
} = process.env
const { task, completions } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Answers
const spec = readFileSync(join(folder, 'spec.json'), 'utf8').trim()
const { run } = JSON.parse(spec) as { run: string }
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

let seq = 0
const write = (type: string, fields: object) => {
  const event = { v: 1, seq: seq++, at: new Date().toISOString(), run, type, ...fields }
  appendFileSync(join(folder, 'events.jsonl'), `${JSON.stringify(event)}\n`)
}

write('run.started', {
  spec: JSON.parse(spec),
  specSha256: sha256(spec),
  host: hostname(),
  versions: {},
  seed: 0,
})
write('step.started', { step: 1, prompts: [task], groupSize: completions.length })
mkdirSync(join(folder, 'completions'), { recursive: true })
for (const [index, completion] of completions.entries()) {
  writeFileSync(join(folder, 'completions', sha256(completion)), completion)
  const named = { rollout: `${run}/1/0/${index}`, step: 1, group: 0, index, task }
  write('rollout.generated', {
    ...named,
    completionSha256: sha256(completion),
    tokens: null,
    truncated: false,
  })
}
const reply = await fetch(`${url}/v1/grade`, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`,
  },
  body: JSON.stringify({
    run,
    items: completions.map((completion, index) => ({ id: `${run}/1/0/${index}`, task, completion })),
  }),
})
for (const line of (await reply.text()).split('\n').filter(Boolean)) {
  const { id, task: _, extraction, ...grade } = JSON.parse(line)
  const own = { components: { tests: grade.reward }, total: grade.reward, advantage: null }
  write('rollout.graded', { rollout: id, grade, extraction, ...own })
}
const unknown = { loss: null, gradNorm: null, kl: null, entropy: null, lr: null, parameterDelta: null }
const rest = {
  rewardMean: null,
  rewardStd: null,
  silentGroups: null,
  groups: 1,
  advantages: {},
  stepMs: null,
}
write('step.finished', { step: 1, ...unknown, ...rest })
write('run.finished', { outcome: 'completed', reason: null })
