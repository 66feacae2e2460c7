// `npm test [-- PART [FILTER…]]`, where PART is checks, unit, python or browser; all of them without one. `npm run test:cluster` is the part
// that is not among them: it makes a Kubernetes of its own, which takes ten minutes the first time.
// Installs what is missing, then runs the parts one after another. The very last line is the sum of all that was counted.
import { ensureDebianPackages } from './debian.mjs'
import { endLeftovers, leftovers, markWhatIsStarted } from './leftovers.mjs'
import { build, ensurePackages, findNode, SetupError } from './setup.mjs'
import { suites } from './suites.mjs'

const say = (line) => console.log(`test: ${line}`)

async function main([part, ...filters]) {
  if (part !== undefined && !Object.hasOwn(suites, part))
    throw new SetupError(`There is no part ${part}; parts are ${Object.keys(suites).join(', ')}.`)
  const names = part === undefined ? Object.keys(suites).filter((name) => name !== 'cluster') : [part]
  await ensurePackages(say)
  markWhatIsStarted()
  // Also when Ctrl-C ends the tests: the runs that they started would go on, as runs do.
  process.on('exit', endLeftovers)
  if (names.some((name) => name !== 'checks')) await ensureDebianPackages(say)
  const node = findNode()
  // The tests run what was built: the window in a browser, main and preload against a stand-in.
  const sum = { passed: 0, failed: 0, skipped: 0 }
  for (const [at, name] of names.entries()) {
    say(`${name} (part ${at + 1} of ${names.length})`)
    if (['unit', 'browser', 'cluster'].includes(name)) await build(node, say)
    const counts = await suites[name]({ node, say, filters })
    for (const key of Object.keys(sum)) sum[key] += counts[key]
    say(`${name}: ${line(counts)}`)
  }
  sum.failed += reportLeftovers()
  return sum
}

/** A process that outlives the tests is a failure of its own. @returns {number} 1 where there is one. */
function reportLeftovers() {
  const left = leftovers()
  for (const { pid, text } of left) say(`still running after the tests: ${pid} ${text}`)
  return left.length > 0 ? 1 : 0
}

const line = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`

main(process.argv.slice(2)).then(
  (sum) => {
    process.exitCode = sum.failed === 0 ? 0 : 1
    console.log(line(sum))
  },
  (failure) => {
    console.error(`test: ${failure instanceof SetupError ? failure.message : failure.stack}`)
    process.exitCode = 1
    console.log(line({ passed: 0, failed: 1, skipped: 0 }))
  },
)
