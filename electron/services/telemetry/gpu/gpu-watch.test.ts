import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasSshd, testNet } from '../../box/ssh/testing.ts'
import { eventually } from '../../box/testing.ts'
import { type GpuState, GpuWatch } from './gpu-watch.ts'

const real = test.skipIf(!hasSshd)
const gib = 1024 ** 3
const mib = 1024 ** 2

/** A box on which the stand-in plays `scene`; null: it has no such program at all. */
async function watched(scene: string | null, silentMs = 60_000) {
  const net = await testNet()
  const bin = join(net.folder, 'bin')
  mkdirSync(bin)
  if (scene !== null) {
    copyFileSync(join(import.meta.dirname, '../../../testing/gpu/nvidia-smi.sh'), join(bin, 'nvidia-smi'))
    writeFileSync(join(bin, 'scene'), scene)
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
