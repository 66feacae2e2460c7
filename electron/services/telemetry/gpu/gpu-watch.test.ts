import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasSshd, testNet } from '../../box/ssh/testing.ts'
import { eventually } from '../../box/testing.ts'
import { type GpuState, GpuWatch } from './gpu-watch.ts'
import { lookAtGpus } from './look.ts'

const real = test.skipIf(!hasSshd)
const gib = 1024 ** 3
const mib = 1024 ** 2

/** Of the shape that rocm-smi gives: two cards, one of which hides its power. */
const rocm = `#!/bin/sh
cat <<'EOF'
{"card0": {"Unique ID": "0xaa", "GPU use (%)": "87", "VRAM Total Memory (B)": "68702699520", "VRAM Total Used Memory (B)": "6864896",
"Temperature (Sensor edge) (C)": "37.0", "Average Graphics Package Power (W)": "38.5", "Card Series": "AMD Instinct MI210"},
"card1": {"Unique ID": "0xbb", "GPU use (%)": "0", "VRAM Total Memory (B)": "68702699520", "VRAM Total Used Memory (B)": "N/A",
"Temperature (Sensor junction) (C)": "35.0", "Card Series": "AMD Instinct MI210"}, "system": {"Driver version": "6.3"}}
EOF
`

/** A box on which the stand-in plays `scene`; null: it has no such program at all. */
async function watched(scene: string | null, silentMs = 60_000) {
  const net = await testNet()
  const bin = join(net.folder, 'bin')
  mkdirSync(bin)
  if (scene !== null) {
    copyFileSync(join(import.meta.dirname, '../../../testing/gpu/nvidia-smi.sh'), join(bin, 'nvidia-smi'))
    writeFileSync(join(bin, 'scene'), scene)
    if (scene === 'amd') writeFileSync(join(bin, 'rocm-smi'), rocm, { mode: 0o755 })
    if (scene === 'amd') rmSync(join(bin, 'nvidia-smi'))
  }
  const server = await net.server('box', { path: bin })
  net.known(server.knownHosts)
  net.configure(net.host('box', server))
  const boxes = await net.boxes()
  const { id } = await boxes.add('box')
  const states: GpuState[] = []
  const link = boxes.link(id)
  const watch = new GpuWatch({
    link,
    now: () => new Date(0),
    everyS: 1,
    silentMs,
    onState: (state) => states.push(state),
  })
  onTestFinished(() => watch.dispose())
  await link.ready()
  await eventually(`a word about ${scene}`, () => states.length > 0)
  return { states, watch, server, link }
}

real('one GPU, sample after sample, with what it does not tell left unknown', async () => {
  const { states, watch, server } = await watched('single')
  await eventually('more samples', () => states.length >= 3)
  expect(watch.state).toEqual({
    state: 'live',
    detail: '',
    sample: {
      at: '1970-01-01T00:00:00.000Z',
      gpus: [
        {
          index: 0,
          uuid: 'GPU-00000000-aaaa-bbbb-cccc-dddddddddddd',
          name: 'NVIDIA GeForce RTX 4090',
          mig: false,
          usedBytes: 1234 * mib,
          reservedBytes: 512 * mib,
          totalBytes: 24564 * mib,
          utilisation: 0.03,
          temperatureC: 45,
          powerW: 55.01,
        },
      ],
      processes: [],
    },
  })
  watch.dispose()
  // The leash: with the channel, everything on the box ends.
  await eventually('nothing left there', () => server.children().length <= 2)
})

real('eight GPUs make one sample; processes are named where they are visible', async () => {
  const { states, watch } = await watched('eight')
  await eventually(
    'whole samples',
    () => states.filter((state) => state.sample?.gpus.length === 8).length >= 2,
  )
  const { gpus = [], processes } = watch.state.sample ?? {}
  expect(gpus.map((gpu) => [gpu.index, gpu.usedBytes])).toEqual(
    Array.from({ length: 8 }, (_, index) => [index, (20480 + index) * mib]),
  )
  expect(processes).toEqual([
    { uuid: gpus[0]?.uuid, pid: 4711, name: '/usr/bin/python3', usedBytes: 20000 * mib },
  ])
})

real('AMD’s tool tells the same by the same way', async () => {
  const { states, watch, server } = await watched('amd')
  await eventually('samples', () => states.length >= 2)
  const common = { name: 'AMD Instinct MI210', mig: false, reservedBytes: null, totalBytes: 68702699520 }
  expect(watch.state.sample?.gpus).toEqual([
    {
      ...common,
      index: 0,
      uuid: '0xaa',
      usedBytes: 6864896,
      utilisation: 0.87,
      temperatureC: 37,
      powerW: 38.5,
    },
    { ...common, index: 1, uuid: '0xbb', usedBytes: null, utilisation: 0, temperatureC: 35, powerW: null },
  ])
  watch.dispose()
  await eventually('nothing left there', () => server.children().length <= 2)
})

real('what is free is told before a launch', async () => {
  const said: string[] = []
  for (const [scene, needed] of [
    ['single', true],
    ['mig', true],
    ['amd', true],
    ['no-gpu', false],
    ['no-gpu', true],
  ] as const) {
    const { link, watch } = await watched(scene)
    watch.dispose()
    const { state, detail } = await lookAtGpus(link, needed)
    said.push(`${state}: ${detail}`)
  }
  expect(said).toEqual([
    'passed: GPU 0 NVIDIA GeForce RTX 4090: 22.3 of 24.0 GiB free',
    'passed: GPU 0 NVIDIA A100-SXM4-40GB: 28.3 of 40.0 GiB free',
    'warned: GPU 0 AMD Instinct MI210: 64.0 of 64.0 GiB free; GPU 1 AMD Instinct MI210: free memory is not told',
    'passed: the driver finds no GPU; the embedded trainer needs none',
    'failed: the driver finds no GPU',
  ])
})

real('MIG, and a driver that does not know a field', async () => {
  const { watch } = await watched('mig')
  await eventually('a sample', () => watch.state.sample !== null)
  expect(watch.state.sample?.gpus[0]).toMatchObject({
    mig: true,
    totalBytes: 40 * gib,
    reservedBytes: null,
    utilisation: null,
    powerW: null,
  })
  const old = await watched('old')
  await eventually('a sample in spite of it', () => old.watch.state.state === 'live')
  expect(old.watch.state.sample?.gpus[0]).toMatchObject({
    name: 'Tesla K80',
    reservedBytes: null,
    usedBytes: 62 * mib,
    powerW: null,
  })
})

real(
  'no program, no GPU, no driver and a query that hangs are told apart, and none of them is a number',
  async () => {
    const told: unknown[] = []
    for (const [scene, state] of [
      [null, 'none'],
      ['no-gpu', 'none'],
      ['no-driver', 'fault'],
      ['hung', 'silent'],
    ] as const) {
      const { watch } = await watched(scene, scene === 'hung' ? 1500 : 60_000)
      await eventually(`the state of ${scene}`, () => watch.state.state === state)
      told.push([watch.state.detail, watch.state.sample])
    }
    expect(told).toEqual([
      ['there is no nvidia-smi', null],
      ['the driver finds no GPU', null],
      [expect.stringContaining("couldn't communicate with the NVIDIA driver"), null],
      ['nvidia-smi has said nothing for 2 s', null],
    ])
  },
)
