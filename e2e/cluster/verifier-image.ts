import { chmodSync, cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { importImage, withFolder } from './images.ts'
import { places } from './places.ts'
import { run, say } from './shell.ts'
import { commitSuites } from './verifier-suites.ts'

const root = resolve(import.meta.dirname, '../..')
const out = join(root, 'out')

/** Of the standard library, what no grader and no graded program needs: a third of its size. */
const unwanted = /\/(test|tests|idlelib|lib2to3|ensurepip|tkinter|turtledemo|dist-packages|config-3[^/]*)$/

/** Everything is run as this user, with a root that it cannot write. */
const user = '10001'

/**
 * The image `ringside.test/verifier:1` out of this machine's own files: the bundled verifier, the Node that runs it, Debian's Python, git,
 * and bubblewrap, which works in some pods. In `/opt/ringside/suites.git` are the suites in commits of their own; see `commitSuites`.
 */
export function makeVerifierImage(): void {
  if (!existsSync(join(out, 'verifier.mjs'))) run(process.execPath, ['resources/dev/build.ts'], { cwd: root })
  withFolder((folder) => {
    for (const name of ['bin', 'etc', 'tmp', 'data', 'dev', 'proc', 'run', 'usr/bin', 'usr/local/bin', 'var'])
      mkdirSync(join(folder, name), { recursive: true })
    // Volumes are mounted there; without them the user may write there all the same.
    for (const name of ['tmp', 'data']) chmodSync(join(folder, name), 0o1777)
    for (const name of ['verifier.mjs', 'resources/verifier', 'resources/demo/booking'])
      cpSync(join(out, name), join(folder, 'opt/ringside', name), { recursive: true })
    chmodSync(join(folder, 'opt/ringside/resources/verifier/image/entry.sh'), 0o755)
    addProgram(folder, realpathSync(join(root, 'node_modules/.bin/node')), '/usr/local/bin/node')
    for (const name of ['git', 'bwrap']) addProgram(folder, `/usr/bin/${name}`, `/usr/bin/${name}`)
    symlinkSync('git', join(folder, 'usr/bin/git-upload-pack'))
    addPython(folder)
    addShell(folder)
    commitSuites(join(folder, 'opt/ringside'))
    // For tests, which name the commits.
    cpSync(join(folder, 'opt/ringside/commits.json'), places.commits)
    const command = ['/opt/ringside/resources/verifier/image/entry.sh']
    importImage('ringside.test/verifier:1', folder, {
      command,
      user,
      env: ['HOME=/tmp'],
      workingDir: '/data',
    })
  })
  say('image ringside.test/verifier:1 is there')
}

function addShell(folder: string): void {
  addProgram(folder, '/bin/busybox', '/bin/busybox')
  for (const name of ['sh', 'rm', 'dirname', 'cat', 'ls', 'sleep', 'id', 'kill', 'env', 'chmod', 'mkdir'])
    symlinkSync('busybox', join(folder, 'bin', name))
  const users = [
    ['root', '0'],
    ['verifier', user],
    ['nobody', '65534'],
  ]
  writeFileSync(
    join(folder, 'etc/passwd'),
    users.map(([name, id]) => `${name}:x:${id}:${id}::/:/bin/sh\n`).join(''),
  )
  writeFileSync(join(folder, 'etc/group'), users.map(([name, id]) => `${name}:x:${id}:\n`).join(''))
  // The repository in the image is root's; git refuses to read another user's unless told.
  writeFileSync(join(folder, 'etc/gitconfig'), '[safe]\n\tdirectory = *\n')
}

/** Debian's Python with its standard library. Not one of the person's own: those lie anywhere and link to anything. */
function addPython(folder: string): void {
  const program = realpathSync('/usr/bin/python3')
  addProgram(folder, program, program)
  symlinkSync(basename(program), join(folder, 'usr/bin/python3'))
  const library = join('/usr/lib', basename(program))
  cpSync(library, join(folder, library), {
    recursive: true,
    dereference: true,
    filter: (file) => !unwanted.test(file) && existsSync(file),
  })
  const extensions = run('find', [join(library, 'lib-dynload'), '-name', '*.so'])
    .trim()
    .split('\n')
  for (const file of extensions) addLibraries(folder, file)
}

function addProgram(folder: string, from: string, to: string): void {
  mkdirSync(dirname(join(folder, to)), { recursive: true })
  cpSync(from, join(folder, to), { dereference: true })
  addLibraries(folder, from)
}

/** The shared libraries that a file is loaded with, each under the name by which it is asked for. */
function addLibraries(folder: string, file: string): void {
  let listing: string
  try {
    listing = run('ldd', [file])
  } catch {
    return // Statically linked.
  }
  for (const [path] of listing.matchAll(/\/\S+\.so\S*/g)) {
    const to = join(folder, path)
    if (existsSync(to)) continue
    mkdirSync(dirname(to), { recursive: true })
    cpSync(realpathSync(path), to)
  }
}
