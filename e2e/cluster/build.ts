import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { places } from './places.ts'
import { run, say } from './shell.ts'

/** What the cluster is built with, and what it runs on beside what is built. */
const packages = [
  ...['golang-1.19-go', 'dpkg-dev', 'openssl'],
  ...['etcd-server', 'containerd', 'runc', 'containernetworking-plugins', 'busybox-static'],
  ...['iptables', 'iproute2', 'conntrack', 'socat', 'ipset', 'ethtool'],
]

const parts = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kubectl']

const goRoot = '/usr/lib/go-1.19'
const upstream = 'k8s.io/kubernetes'
const version = { gitVersion: 'v1.20.2', gitMajor: '1', gitMinor: '20', gitTreeState: 'archive' }

/**
 * Makes the programs where they are not yet: Debian's packages, then Kubernetes from Debian's own source package with the dependencies
 * that it carries. About ten minutes on two cores, once a machine; needs 2 GB of disk while it builds and 3 GB of memory.
 */
export function build(): void {
  installPackages()
  if (existsSync(places.program)) return
  say('building Kubernetes from Debian’s source package (once a machine, about ten minutes)')
  mkdirSync(places.bin, { recursive: true })
  const tree = unpackSource()
  say('source unpacked')
  const go = goTools(tree)
  generateApiDescription(tree, go)
  say('API description generated; compiling')
  mkdirSync(join(tree, 'cmd/all-in-one'), { recursive: true })
  copyFileSync(join(import.meta.dirname, 'all-in-one/main.go'), join(tree, 'cmd/all-in-one/main.go'))
  const made = join(places.build, 'kubernetes')
  // Leaves the cloud providers and the Docker shim out.
  const tags = ['-tags', 'providerless dockerless', '-trimpath', '-ldflags', linkFlags()]
  go(['build', '-p', '2', ...tags, '-o', made, './cmd/all-in-one'])
  for (const part of parts) {
    rmSync(join(places.bin, part), { force: true })
    symlinkSync('kubernetes', join(places.bin, part))
  }
  renameSync(made, places.program)
  // 1.3 GB of sources and intermediate files that only another build would want.
  rmSync(places.build, { recursive: true, force: true })
  say('built')
}

function installPackages(): void {
  const missing = packages.filter((name) => !isInstalled(name))
  if (missing.length === 0) return
  say(`installing ${missing.join(', ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  run('apt-get', ['update', '-qq'], { env })
  run('apt-get', ['install', '-qqy', '--no-install-recommends', ...missing], { env })
}

function isInstalled(name: string): boolean {
  try {
    return run('dpkg-query', ['-s', name]).includes('Status: install ok installed')
  } catch {
    return false
  }
}

/** Fetches and unpacks the source package with lists of its own, so that the machine's package lists stay as they are. */
function unpackSource(): string {
  const { build: folder } = places
  for (const path of ['apt/lists/partial', 'apt/cache/archives/partial', 'go/src/k8s.io'])
    mkdirSync(join(folder, path), { recursive: true })
  const tree = join(folder, 'go/src', upstream)
  if (existsSync(join(tree, 'go.mod'))) return tree
  const sources = join(folder, 'apt/sources.list')
  writeFileSync(sources, sourceLines().join('\n'))
  const config = join(folder, 'apt/apt.conf')
  const settings = {
    'Dir::Etc::SourceList': sources,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': join(folder, 'apt/lists'),
    'Dir::Cache': join(folder, 'apt/cache'),
    'APT::Sandbox::User': 'root',
  }
  writeFileSync(
    config,
    Object.entries(settings)
      .map(([key, value]) => `${key} "${value}";\n`)
      .join(''),
  )
  const env = { ...process.env, APT_CONFIG: config }
  run('apt-get', ['update', '-qq'], { env })
  run('apt-get', ['source', '-qq', '--download-only', 'kubernetes'], { env, cwd: folder })
  const description = readdirSync(folder).find((name) => name.endsWith('.dsc'))
  if (!description) throw new Error('apt-get source gave no kubernetes_*.dsc')
  rmSync(tree, { recursive: true, force: true })
  run('dpkg-source', ['--no-check', '-q', '-x', description, tree], { cwd: folder })
  return tree
}

/** The machine's own Debian archives, asked for source packages. Other archives have no Kubernetes of Debian's. */
function sourceLines(): string[] {
  const folder = '/etc/apt/sources.list.d'
  const lines = existsSync('/etc/apt/sources.list')
    ? readFileSync('/etc/apt/sources.list', 'utf8').split('\n')
    : []
  const found = lines
    .filter((line) => /^deb\s.*\/debian/.test(line))
    .map((line) => line.replace(/^deb/, 'deb-src'))
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const text = readFileSync(join(folder, name), 'utf8')
    if (name.endsWith('.sources')) found.push(...fromStanzas(text))
  }
  if (found.length === 0) throw new Error('no Debian archive is named in /etc/apt')
  return found
}

/** The newer form of a list, stanzas of fields, as lines of the older one. */
function fromStanzas(text: string): string[] {
  return text.split(/\n\s*\n/).flatMap((stanza) => {
    const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.+)$`, 'm').exec(stanza)?.[1]?.trim() ?? ''
    const signed = field('Signed-By')
    if (!/debian-archive/.test(signed) && !/\/debian/.test(field('URIs'))) return []
    const key = signed.startsWith('/') ? `[signed-by=${signed}] ` : ''
    return field('URIs')
      .split(/\s+/)
      .flatMap((uri) =>
        field('Suites')
          .split(/\s+/)
          .map((suite) => `deb-src ${key}${uri} ${suite} ${field('Components')}`),
      )
  })
}

function goTools(tree: string): (args: string[]) => void {
  const env = {
    ...process.env,
    PATH: `${goRoot}/bin:${process.env.PATH}`,
    ...{ GO111MODULE: 'off', GOFLAGS: '', GOPROXY: 'off', CGO_ENABLED: '0' },
    GOPATH: join(places.build, 'go'),
    GOCACHE: process.env.GOCACHE ?? join(places.build, 'go-cache'),
  }
  return (args) => void run('go', args, { cwd: tree, env })
}

/** The one file that is generated and not in the tree: what `/openapi/v2` answers, without which the API server does not compile. */
function generateApiDescription(tree: string, go: (args: string[]) => void): void {
  const generator = join(places.build, 'openapi-gen')
  go(['build', '-p', '2', '-o', generator, './vendor/k8s.io/kube-openapi/cmd/openapi-gen'])
  const staged = readdirSync(join(tree, 'vendor/k8s.io'))
    .filter((name) => !/code-generator|^sample-/.test(name))
    .map((name) => `vendor/k8s.io/${name}/`)
  const marked = run(
    'grep',
    ['-rl', '--include=*.go', '^// *+k8s:openapi-gen=', 'pkg', 'cmd', 'plugin', ...staged],
    {
      cwd: tree,
    },
  )
  const folders = new Set(
    marked
      .split('\n')
      .filter((file) => file !== '' && !/_test\.go$|\/_examples\//.test(file))
      .map((file) => `${upstream}/${dirname(file)}`),
  )
  const header = 'vendor/k8s.io/code-generator/hack/boilerplate.go.txt'
  const output = ['-p', `${upstream}/pkg/generated/openapi`, '-O', 'zz_generated.openapi']
  run(
    generator,
    ['--logtostderr', '-i', [...folders].sort().join(), ...output, '-h', header, '-r', '/dev/null'],
    {
      cwd: tree,
      env: {
        ...process.env,
        PATH: `${goRoot}/bin:${process.env.PATH}`,
        GO111MODULE: 'off',
        GOPATH: join(places.build, 'go'),
      },
    },
  )
}

function linkFlags(): string {
  const stamps = ['component-base/version', 'client-go/pkg/version'].flatMap((library) =>
    Object.entries(version).map(
      ([name, value]) => `-X ${upstream}/vendor/k8s.io/${library}.${name}=${value}`,
    ),
  )
  return ['-s', '-w', ...stamps].join(' ')
}
