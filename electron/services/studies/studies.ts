import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Study } from '#shared/domain/study.ts'
import type { Input, Outputs, StudyListing, StudyView } from '#shared/ipc/contract.ts'
import { analyzeStudy } from '#shared/stats/study.ts'
import { drawsOf } from '#shared/stats/study-draws.ts'
import { loadStudy } from './load.ts'

/** Studies that the window offers: every folder below `folder` with a `draws.csv`. Another table can be opened by its path. */
export class StudiesService {
  private readonly folder: string
  private readonly views = new Map<string, Promise<StudyView>>()
  private readonly tables = new Map<string, Promise<Study>>()

  constructor(folder: string) {
    this.folder = folder
  }

  async list(): Promise<StudyListing[]> {
    const entries = await readdir(this.folder, { withFileTypes: true }).catch(() => [])
    const files = entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(this.folder, name, 'draws.csv'))
    // A broken table must not hide the others; opening it by its path says what is wrong with it.
    const found = await Promise.all(files.map((file) => this.view(file).catch(() => null)))
    return found.flatMap((one) =>
      one ? [{ study: one.study, title: one.title, source: one.source, draws: one.figures.draws }] : [],
    )
  }

  /** @param study path of a table of saved draws. @throws {AppError} `not_found`, or `bad_input` naming the line at fault. */
  view(study: string): Promise<StudyView> {
    const known = this.views.get(study)
    if (known !== undefined) return known
    const loading = this.table(study).then((loaded): StudyView => {
      const { title, source, cases } = loaded
      return { study, title, source, cases, figures: analyzeStudy(loaded) }
    })
    this.views.set(study, loading)
    // A table that could not be read is looked at anew: it may have been mended.
    loading.catch(() => this.views.delete(study))
    return loading
  }

  /** @throws {AppError} as `view`. */
  async draws({ study, of }: Input<'studies.draws'>): Promise<Outputs['studies.draws']> {
    const draws = drawsOf(await this.table(study), of)
    return { draws, programs: new Set(draws.flatMap((draw) => draw.source ?? [])).size }
  }

  private table(study: string): Promise<Study> {
    const known = this.tables.get(study)
    if (known !== undefined) return known
    const loading = loadStudy(study)
    this.tables.set(study, loading)
    loading.catch(() => this.tables.delete(study))
    return loading
  }
}
