import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { BoardSettings, BoxRate, type Input, type Outputs } from '#shared/ipc/contract.ts'
import { writeAtomic } from '../box/atomic-write.ts'

const Settings = z.object({
  theme: z.enum(['system', 'dark', 'light']).catch('system').default('system'),
  board: BoardSettings.catch(BoardSettings.parse({})).prefault({}),
  notify: z.boolean().catch(false).default(false),
  rates: z.record(z.string(), BoxRate).catch({}).default({}),
})
export type Settings = Outputs['settings.get']

/** What the person chose, in one small file. A damaged file means the defaults again, never a console that does not open. */
export class SettingsFile {
  private readonly path: string

  constructor(path: string) {
    this.path = path
  }

  async get(): Promise<Settings> {
    const text = await readFile(this.path, 'utf8').catch(() => '{}')
    try {
      return Settings.parse(JSON.parse(text))
    } catch {
      return Settings.parse({})
    }
  }

  async set({ theme, board, notify, rates }: Input<'settings.set'>): Promise<Settings> {
    const held = await this.get()
    const settings = {
      theme: theme ?? held.theme,
      board: board ?? held.board,
      notify: notify ?? held.notify,
      rates: rates ?? held.rates,
    }
    await writeAtomic(this.path, `${JSON.stringify(settings, null, 2)}\n`)
    return settings
  }
}
