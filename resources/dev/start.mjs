// `npm start [-- --browser | --electron] [--port P] [--no-open]`
// Installs what is missing, builds what changed and opens the console. Plain JavaScript: it is the first thing that runs on a new machine.
import { findElectron } from './desktop.mjs'
import { run } from './processes.mjs'
import { build, ensurePackages, environment, findNode, root, SetupError } from './setup.mjs'

const say = (line) => console.log(`ringside: ${line}`)

async function main(args) {
  const wanted = args.filter((arg) => arg === '--browser' || arg === '--electron')
  const rest = args.filter((arg) => !wanted.includes(arg))
  await ensurePackages(say)
  const node = findNode()
  await build(node, say)
  const options = { cwd: root, env: environment(node), graceful: true }
  // A port or a closed browser only make sense for the browser shell.
  if (!wanted.includes('--browser') && rest.length === 0) {
    const { path, why } = await findElectron(node, say, { retry: wanted.includes('--electron') })
    if (path !== null) return (await run(path, ['.'], options)).code ?? 1
    say(`${why}; opening the console in the browser instead.`)
  }
  return (await run(node, ['electron/serve/main.ts', ...rest], options)).code ?? 1
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (failure) => {
    console.error(`ringside: ${failure instanceof SetupError ? failure.message : failure.stack}`)
    process.exitCode = 2
  },
)
