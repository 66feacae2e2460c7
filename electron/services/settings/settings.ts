import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Outputs } from '#shared/ipc/contract.ts'
import { writeAtomic } from '../box/atomic-write.ts'

const Settings = z.object({ theme: z.enum(['system', 'dark', 'light']).catch('system').default('system') })
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

  async set(changes: { theme?: Settings['theme'] | undefined }): Promise<Settings> {
    const settings = { ...(await this.get()), ...(changes.theme && { theme: changes.theme }) }
    await writeAtomic(this.path, `${JSON.stringify(settings, null, 2)}\n`)
    return settings
  }
}
