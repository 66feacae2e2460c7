import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { net, places } from './places.ts'
import { run, succeeds } from './shell.ts'

/** Settings of the kernel that a kubelet changes; each is put back as it was. */
const settings = ['vm/overcommit_memory', 'kernel/panic', 'kernel/panic_on_oops', 'net/ipv4/ip_forward']
const saved = () => join(places.records, 'sysctl.json')
/** Nothing for these may leave the machine: nobody serves the services' addresses here. */
const unreachable = [net.services, '10.245.0.0/16', `${net.node}/32`]

export function prepareMachine(): void {
  if (!existsSync(saved())) {
    const values = settings.map((name) => [name, readFileSync(`/proc/sys/${name}`, 'utf8').trim()])
    writeFileSync(saved(), JSON.stringify(Object.fromEntries(values)))
  }
  if (!run('ip', ['addr', 'show', 'dev', 'lo']).includes(` ${net.node}/`))
    run('ip', ['addr', 'add', `${net.node}/32`, 'dev', 'lo'])
  for (const range of unreachable) succeeds('ip', ['route', 'add', 'unreachable', range, 'metric', '4000'])
}

export function restoreMachine(): void {
  for (const point of mounts()) succeeds('umount', [point])
  if (existsSync(saved()))
    for (const [name, value] of Object.entries(
      JSON.parse(readFileSync(saved(), 'utf8')) as Record<string, string>,
    ))
      writeFileSync(`/proc/sys/${name}`, value)
  succeeds('ip', ['addr', 'del', `${net.node}/32`, 'dev', 'lo'])
  succeeds('ip', ['link', 'del', net.bridge])
  for (const range of unreachable) succeeds('ip', ['route', 'del', 'unreachable', range, 'metric', '4000'])
  for (const group of controlGroups()) removeTree(group)
}

/** Mounts of pods that went with their kubelet, innermost first. */
function mounts(): string[] {
  const points = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
  return points
    .filter((point) => point.startsWith(`${places.root}/run/`))
    .sort()
    .reverse()
}

function controlGroups(): string[] {
  const root = '/sys/fs/cgroup'
  const parents = [
    root,
    ...readdirSync(root, { withFileTypes: true })
      .filter((item) => item.isDirectory())
      .map(({ name }) => join(root, name)),
  ]
  return parents
    .flatMap((parent) => ['kubepods', 'k8s.io'].map((name) => join(parent, name)))
    .filter(existsSync)
}

/** A control group is a folder that only `rmdir` takes, and only when it is empty of groups and processes. */
function removeTree(folder: string): void {
  for (const item of readdirSync(folder, { withFileTypes: true }))
    if (item.isDirectory()) removeTree(join(folder, item.name))
  try {
    rmdirSync(folder)
  } catch {
    // Still in use by what is not ours.
  }
}
