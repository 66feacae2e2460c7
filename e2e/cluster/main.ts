import { existsSync } from 'node:fs'
import { build } from './build.ts'
import { whyNot } from './fitness.ts'
import { places } from './places.ts'
import { stop } from './processes.ts'
import { type Service, services } from './services.ts'
import { down, startService, up } from './up.ts'
import { makeVerifierImage } from './verifier-image.ts'

/**
 * `node e2e/cluster/main.ts up | down | stop SERVICE… | start SERVICE… | image | folder | why-not`: a Kubernetes of one node on this machine,
 * for tests. `up` builds it where that was not done yet and imports the verifier's image; `stop` and `start` make an outage of one of its
 * programs; `why-not` prints why there can be none here, or nothing.
 */
const commands: Record<string, (names: Service[]) => Promise<void>> = {
  up: async () => {
    build()
    await up()
    makeVerifierImage()
  },
  down: async () => {
    // Nothing was ever brought up here, and nothing of the machine is to be touched.
    if (existsSync(places.records)) await down()
  },
  stop: async (names) => {
    for (const name of names) await stop(name)
  },
  start: async (names) => {
    for (const name of names) await startService(name)
  },
  image: async () => makeVerifierImage(),
  folder: async () => void process.stdout.write(`${places.root}\n`),
}

async function main([name = '', ...rest]: string[]): Promise<void> {
  const command = name === 'why-not' ? async () => undefined : commands[name]
  const unknown = rest.find((item) => !Object.hasOwn(services, item))
  if (!command) throw new Error(`commands are ${Object.keys(commands).join(', ')}`)
  if (unknown) throw new Error(`there is no ${unknown}; services are ${Object.keys(services).join(', ')}`)
  const reason = whyNot()
  if (name === 'why-not') {
    if (reason !== null) process.stdout.write(`${reason}\n`)
    return
  }
  if (reason !== null) throw new Error(reason)
  await command(rest as Service[])
}

// Where `ip` and `runc` are; not everybody's PATH has it.
process.env.PATH = `${process.env.PATH}:/usr/sbin:/sbin`

main(process.argv.slice(2)).catch((failure: Error) => {
  process.stderr.write(`cluster: ${failure.message}\n`)
  process.exitCode = 1
})
