import { gpuFields, processFields } from '#shared/telemetry/nvidia-smi.ts'
import { shCommand } from '../../box/ssh/remote.ts'

/**
 * One command that goes on for as long as its channel is open: rows of GPUs every `everyS`, rows of processes more seldom, each kind with its own
 * first word; where there is only AMD's tool, a line of its JSON every `everyS`. Its standard input is the leash: at its end, which a broken link is
 * too, everything ends. Whoever sleeps or waits holds neither output: a box without a GPU would keep its channel open until then.
 */
const script = [
  'tool=; for one in rocm-smi nvidia-smi; do command -v $one > /dev/null 2>&1 && tool=$one; done',
  '[ -n "$tool" ] || { echo "nvidia-smi: not found"; exit 3; }',
  'exec 3<&0 < /dev/null; apps=',
  [
    'if [ $tool = rocm-smi ]; then',
    '( while :; do said=$(rocm-smi --showproductname --showuniqueid --showuse --showmeminfo vram --showtemp --showpower --json 2>&1 | tr -d "\\n"); echo "amd $said" || exit; sleep "$3" > /dev/null 2>&1; done ) & gpus=$!; else',
    '( while :; do nvidia-smi "--query-compute-apps=$2" --format=csv,noheader,nounits 2> /dev/null | sed "s/^/app /"; echo end || exit; sleep "$4" > /dev/null 2>&1; done ) & apps=$!;',
    'nvidia-smi "--query-gpu=$1" --format=csv,noheader,nounits -l "$3" 2>&1 | while IFS= read -r line; do echo "gpu $line" || exit; done & gpus=$!; fi',
  ].join(' '),
  '( cat <&3 > /dev/null 2>&1; kill $$ ) & leash=$!',
  'trap "kill $apps $gpus $leash 2> /dev/null; exit" TERM',
  'wait $gpus; kill $apps $leash 2> /dev/null',
].join('; ')

/** @param unknown fields that this driver does not know: their place is taken by one that is no number, so they read as unknown. */
export function gpuQuery(everyS: number, unknown: ReadonlySet<string> = new Set()): string {
  const fields = gpuFields.map((field) => (unknown.has(field) ? 'name' : field))
  const appsEveryS = Math.max(15, everyS)
  return shCommand(script, [fields.join(','), processFields.join(','), String(everyS), String(appsEveryS)])
}
