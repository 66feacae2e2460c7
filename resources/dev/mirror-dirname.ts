import { dirname, relative, sep } from 'node:path'

/**
 * Bundling moves code, so `import.meta.dirname` would no longer be the folder of the module that says it. This rewrites it to the same
 * folder mirrored under `out/`, where the build copies whatever lies beside the sources and is read at run time (scripts, suites).
 * `import.meta.filename` stays the bundle's own: code that must know which form it runs in asks that.
 *
 * @param code a module's source. @param file its path. @param root the checkout. @param toOut the way from the bundle's folder to `out/`,
 * such as `.` or `..`.
 */
export function mirrorDirname(code: string, file: string, root: string, toOut: string): string {
  const folder = relative(root, dirname(file)).split(sep).join('/')
  return code.replaceAll('import.meta.dirname', `(import.meta.dirname + "/${toOut}/${folder}")`)
}
