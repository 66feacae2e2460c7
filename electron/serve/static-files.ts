import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { AppError } from '#shared/base/errors.ts'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
}

export type StaticFile = { bytes: Buffer<ArrayBuffer>; type: string; immutable: boolean }

/**
 * The built window's files by their URL path. Requests are looked up in a list made from the folder once, so no path that a request
 * spells can reach outside it, and every byte that is served was there at the start.
 */
export class StaticFiles {
  private readonly paths: Map<string, string>

  private constructor(paths: Map<string, string>) {
    this.paths = paths
  }

  /** @throws {AppError} `not_found` where the window was not built. */
  static async open(folder: string): Promise<StaticFiles> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    const paths = new Map(files.map((file) => [`/${relative(folder, file).split(sep).join('/')}`, file]))
    const index = paths.get('/index.html')
    if (index === undefined) {
      throw new AppError('not_found', `The window is not built: there is no index.html in ${folder}.`, {
        hint: 'Build it with `npm run build`, or start with `npm start`.',
      })
    }
    paths.set('/', index)
    return new StaticFiles(paths)
  }

  /** @param path the URL's path, still percent-encoded. @returns null where there is no such file. */
  async read(path: string): Promise<StaticFile | null> {
    const file = this.paths.get(path)
    const type = file === undefined ? undefined : types[extname(file)]
    if (file === undefined || type === undefined) return null
    // The bundler puts a hash of the content into every name below assets/.
    return { bytes: await readFile(file), type, immutable: path.startsWith('/assets/') }
  }
}
